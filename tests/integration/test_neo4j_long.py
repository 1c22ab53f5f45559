"""What takes minutes on a server: many kills, and many rows on a small heap."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.integration.test_neo4j_load import Start, content, corpus, in_memory

from citehop.errors import StoreError
from citehop.graph.neo4j import Neo4jStore

pytestmark = [pytest.mark.long, pytest.mark.neo4j]

ROWS = 700_000
SELF_CITATIONS = 6
"""Rows of the case that name themselves: n = 7 n + k modulo their number, k from 0 to 4."""
CITATIONS = 5 * ROWS - SELF_CITATIONS
CLIENT_MEGABYTES = 400


@pytest.mark.timeout(3_600)
def test_twenty_killed_loads_run_again(own_server: Start) -> None:
    """Each of twenty loads that change every paper is killed in the middle, and then made whole."""
    server = own_server()
    chance = random.Random(time.time_ns())
    papers = corpus(2_000, seed=0)
    with Neo4jStore(server.uri, server.auth, timeout_seconds=60) as store:
        start = time.monotonic()
        store.load(papers)
        seconds = time.monotonic() - start
        assert content(store) == in_memory(papers)
    cut_off = 0
    for number in range(1, 21):
        papers = corpus(2_000, seed=number)
        with Neo4jStore(server.uri, server.auth) as store:
            killer = threading.Timer(chance.uniform(0, seconds), server.kill)
            killer.start()
            try:
                store.load(papers)
            except StoreError as error:
                assert error.code == "STORE_UNAVAILABLE"  # noqa: PT017 - it need not be raised
                cut_off += 1
            killer.join()
        server.start()
        with Neo4jStore(server.uri, server.auth, timeout_seconds=60) as store:
            store.load(papers)
            assert content(store) == in_memory(papers)
    assert cut_off > 3


@pytest.mark.timeout(7_200)
def test_case_35_on_a_small_heap(own_server: Start, tmp_path: Path) -> None:
    """700,000 papers with long abstracts go into a server with a heap of 512 MB; ours stays small.

    They are those of the case, and the command reads them from a file.
    """
    server = own_server(heap="512m", settings={"server.memory.pagecache.size": "256m"})
    path = tmp_path / "rows.jsonl.gz"
    _write_rows(path)
    command = [sys.executable, "-m", "citehop", "load", str(path), "--no-merge", "--json"]
    command += ["--store", server.uri]
    user, password = server.auth
    environment = os.environ | {"NEO4J_USERNAME": user, "NEO4J_PASSWORD": password}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)

    assert process.returncode == 0
    report = json.loads(said)
    assert (report["created"], report["edges"]) == (ROWS, CITATIONS)
    assert report["dropped_self"] == SELF_CITATIONS
    assert (report["papers_in_store"], report["citations_in_store"]) == (ROWS, CITATIONS)
    # In kilobytes on Linux.
    assert used.ru_maxrss / 1e3 < CLIENT_MEGABYTES


def _write_rows(path: Path) -> None:
    with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
        for number in range(ROWS):
            references = [f"W{(number * 7 + k) % ROWS}" for k in range(5)]
            row = {"id": f"W{number}", "title": f"Paper {number}", "abstract": "word " * 400}
            file.write(json.dumps(row | {"references": references}) + "\n")
