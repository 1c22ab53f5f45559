"""Connections that are encrypted, to a server whose certificate nobody vouches for."""

from __future__ import annotations

import gc
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers.handle import OwnServer

from citehop.errors import ErrorRecord, StoreError
from citehop.graph.neo4j import Neo4jStore
from citehop.paper import Paper

POLICY = "dbms.ssl.policy.bolt."


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make a certificate")
def test_encrypted_schemes(own_server: Callable[..., OwnServer], tmp_path: Path) -> None:
    """+ssc encrypts and takes any certificate; +s takes a vouched one only, and says so."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    command += " -addext subjectAltName=IP:127.0.0.1 -keyout private.key -out public.crt"
    subprocess.run(command.split(), cwd=tmp_path, capture_output=True, check=True)
    server = own_server(
        settings={
            # Not REQUIRED: the wait for the server's first answer goes without.
            "server.bolt.tls_level": "OPTIONAL",
            f"{POLICY}enabled": "true",
            f"{POLICY}base_directory": str(tmp_path),
            f"{POLICY}private_key": "private.key",
            f"{POLICY}public_certificate": "public.crt",
            f"{POLICY}client_auth": "NONE",
        }
    )
    papers = [Paper("a", "A", "", 2000, [], ["b"]), Paper("b", "B", "", 1990, [])]
    for scheme in ("bolt+ssc", "neo4j+ssc"):
        with Neo4jStore(_by(server, scheme), server.auth, timeout_seconds=30) as store:
            store.load(papers)
            assert [n.id for n in store.expand(["a"], timeout_seconds=30)] == ["b"]
    for scheme in ("bolt+s", "neo4j+s"):
        record = _refusal(Neo4jStore(_by(server, scheme), server.auth, timeout_seconds=30))
        assert (record.code, record.retryable) == ("STORE_MISCONFIGURED", False)
        assert "certificate" in record.message
    # The driver leaves the socket of a handshake that failed to the collector.
    gc.collect()


def _refusal(store: Neo4jStore) -> ErrorRecord:
    with store, pytest.raises(StoreError) as caught:
        store.counts()
    return caught.value.record


def _by(server: OwnServer, scheme: str) -> str:
    return server.uri.replace("bolt://", f"{scheme}://")
