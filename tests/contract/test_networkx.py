"""The store in memory keeps the contract."""

from __future__ import annotations

from citehop.graph.networkx import NetworkXStore
from citehop.testing import StoreContract


class TestNetworkXStore(StoreContract):
    """Everything that a store promises."""

    def make_store(self) -> NetworkXStore:
        """Return a store in memory."""
        return NetworkXStore()
