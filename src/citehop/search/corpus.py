"""The hundred hand-written papers that the mock clients serve."""

from __future__ import annotations

import json

from citehop.data import corpus_lines
from citehop.paper import Paper


def build_corpus() -> list[Paper]:
    """Return 100 papers, ``p001`` to ``p100``, made anew at each call.

    Twenty in a row belong to one topic, in this order: attention sparsity, retrieval
    augmentation, low rank adapters, dataset distillation, evaluation harnesses. ``source`` is
    empty: it is a client that supplies a paper.
    """
    return [Paper(**json.loads(line)) for line in corpus_lines()]
