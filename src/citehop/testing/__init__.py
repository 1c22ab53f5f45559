"""What a store must pass, for stores made here and elsewhere. Needs the extra ``testing``.

A backend's test file is a few lines::

    class TestMyStore(StoreContract):
        def make_store(self) -> CitationStore:
            return MyStore(...)
"""

from __future__ import annotations

import pytest

# Only then do the suite's assertions say what was compared.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.contract{part}"
        for part in ("_walk", "_cut", "_load", "_lookup", "_paths", "_random")
    )
)

from citehop.testing.contract import StoreContract as StoreContract  # noqa: E402 - see above
from citehop.testing.corpus import corpus12 as corpus12  # noqa: E402
from citehop.testing.corpus import graph as graph  # noqa: E402
from citehop.testing.corpus import paper as paper  # noqa: E402

__all__ = ["StoreContract", "corpus12", "graph", "paper"]
