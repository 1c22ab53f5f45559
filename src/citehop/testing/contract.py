"""The whole contract as one class of tests to inherit."""

from __future__ import annotations

from citehop.testing.contract_cut import CutContract
from citehop.testing.contract_load import LoadContract
from citehop.testing.contract_lookup import LookupContract
from citehop.testing.contract_paths import PathsContract
from citehop.testing.contract_random import RandomContract
from citehop.testing.contract_walk import WalkContract


class StoreContract(
    WalkContract, CutContract, PathsContract, LoadContract, LookupContract, RandomContract
):
    """Everything that :class:`citehop.graph.store.CitationStore` promises.

    Inherit, and say in ``make_store`` how a store is made; see
    :class:`citehop.testing.fixtures.StoreFixtures` for what else can be set.
    """
