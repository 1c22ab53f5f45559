"""The servers that the other tests stand on: had, waited for, stopped, killed and frozen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import ServiceUnavailable
from tests.servers.choice import Starter, look, none_found, shared_server
from tests.servers.handle import OwnServer, Server, ServerUnavailableError
from tests.servers.local import free_port
from tests.servers.waiting import ask_version, wait_until_answers


def driver_of(server: Server) -> Driver:
    """A driver that does not try again for half a minute."""
    return GraphDatabase.driver(server.uri, auth=server.auth, max_transaction_retry_time=0)


def count_nodes(server: Server) -> int:
    """How many nodes its database has."""
    with driver_of(server) as driver:
        records, _, _ = driver.execute_query("MATCH (n) RETURN count(n) AS n")
        return int(records[0]["n"])


def create_node(server: Server) -> None:
    """Makes one node, under a uniqueness constraint."""
    with driver_of(server) as driver:
        driver.execute_query("CREATE CONSTRAINT IF NOT EXISTS FOR (w:Work) REQUIRE w.id IS UNIQUE")
        driver.execute_query("CREATE (:Work {id: 'kept'})")


def test_the_shared_server_is_the_floor_version(neo4j_server: Server) -> None:
    """The shared server answers a query and is of the 5.26 line or later."""
    major, minor = neo4j_server.version.split(".")[:2]
    assert (int(major), int(minor)) >= (5, 26)
    assert ask_version(neo4j_server.uri, neo4j_server.auth, seconds=10) == neo4j_server.version


def test_each_version_answers(neo4j_each_version: Server) -> None:
    """Both the long-term and the newest calendar version run a statement."""
    with driver_of(neo4j_each_version) as driver:
        assert driver.execute_query("RETURN 6 * 7 AS n").records[0]["n"] == 42


def test_an_emptied_server_has_neither_data_nor_schema(empty_neo4j: Server) -> None:
    """What one test leaves behind, the next that asks for an empty server does not see."""
    create_node(empty_neo4j)
    from tests.servers.wiping import wipe

    wipe(empty_neo4j)
    assert count_nodes(empty_neo4j) == 0
    with driver_of(empty_neo4j) as driver:
        assert driver.execute_query("SHOW CONSTRAINTS").records == []


def test_an_own_server_survives_kill_stop_and_freeze(own_server: Starter) -> None:
    """Data and address outlive a clean stop and a kill; a frozen server answers after the thaw."""
    server = own_server(settings={"db.transaction.timeout": "77s"})
    create_node(server)
    uri = server.uri

    server.kill()
    with driver_of(server) as driver, pytest.raises(ServiceUnavailable):
        driver.execute_query("RETURN 1")
    server.start()
    assert (server.uri, count_nodes(server)) == (uri, 1)

    server.freeze()
    before = time.monotonic()
    with pytest.raises(TimeoutError):
        ask_version(server.uri, server.auth, seconds=1)
    assert time.monotonic() - before < 5  # the limit held; not a measurement
    server.thaw()
    assert ask_version(server.uri, server.auth, seconds=30) == server.version

    assert server.stop() == 0
    server.restart({"server.databases.default_to_read_only": "true"})
    assert count_nodes(server) == 1
    assert setting(server, "db.transaction.timeout") == "1m17s"
    assert setting(server, "server.databases.default_to_read_only") == "true"


def setting(server: OwnServer, name: str) -> str:
    """A setting as the server has it."""
    with driver_of(server) as driver:
        records = driver.execute_query("SHOW SETTINGS $name YIELD value", name=name).records
        return str(records[0]["value"])


def test_a_frozen_server_can_be_stopped(own_server: Starter) -> None:
    """Stopping thaws first, so that the end is clean."""
    server = own_server()
    server.freeze()
    assert server.stop() == 0


SLOW_SERVER = """
import socket, sys, time
time.sleep(1)
with socket.socket() as listening:
    listening.bind(("127.0.0.1", int(sys.argv[1])))
    listening.listen()
    listening.settimeout(2)
    try:
        while True:
            connection, _ = listening.accept()
            connection.sendall(sys.stdin.buffer.read() or b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n")
            connection.close()
    except TimeoutError:
        pass
"""

# Each has been taken for "ready" by a fixture that reads logs; none says that a query is answered.
MISLEADING_LOG = """\
2024-01-01 00:00:00.000+0000 INFO  Bolt enabled on 0.0.0.0:7687.
2024-01-01 00:00:00.000+0000 INFO  Bolt enabled on [0:0:0:0:0:0:0:0%0]:7687.
2025-01-01 00:00:00.000+0000 INFO  bolt://localhost:7687 is ready
2024-01-01 00:00:00.000+0000 INFO  Remote interface available at http://localhost:7474/
2024-01-01 00:00:00.000+0000 INFO  Started.
"""


@pytest.mark.parametrize("sent", ["", MISLEADING_LOG], ids=["garbage", "log-lines"])
def test_a_port_that_opens_late_and_talks_nonsense_is_not_a_server(sent: str) -> None:
    """Closed, then open with something else behind it: one limit ends the wait and says why."""
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", SLOW_SERVER, str(port)], stdin=-1) as process:
        assert process.stdin is not None
        process.stdin.write(sent.encode())
        process.stdin.close()
        with pytest.raises(ServerUnavailableError, match="answered no query within 5 s") as caught:
            wait_until_answers(f"bolt://127.0.0.1:{port}", ("neo4j", "secret-word"), seconds=5)
        attempts = re.search(r"\((\d+) attempts\)", str(caught.value))
        assert attempts is not None
        assert 2 <= int(attempts[1]) <= 12  # the pause grows; a constant first one makes dozens
        process.kill()


@pytest.mark.shared
def test_the_kept_case_of_a_slow_start_is_waited_out(shared_dir: Path) -> None:
    """Case 37: eight closed seconds, four of nonsense; the last thing tried is in the message."""
    program = shared_dir / "cases" / "37-container-startup" / "closed_then_open_port.py"
    with subprocess.Popen([sys.executable, str(program)]) as process:
        with pytest.raises(ServerUnavailableError) as caught:
            wait_until_answers("bolt://127.0.0.1:17687", ("neo4j", "secret-word"), seconds=14)
        process.kill()
    assert "answered no query within 14 s" in str(caught.value)
    assert "the last one: ServiceUnavailable" in str(caught.value)
    assert "secret-word" not in str(caught.value)


def test_waiting_ends_when_the_server_has_ended() -> None:
    """A server that ended is not waited for until the limit."""
    with pytest.raises(ServerUnavailableError, match="ended before it answered: exit code 3"):
        wait_until_answers(
            f"bolt://127.0.0.1:{free_port()}", None, seconds=60, why_ended=lambda: "exit code 3"
        )


def test_waiting_ends_at_a_refused_password(neo4j_server: Server) -> None:
    """A wrong password is no reason to wait; the message does not have it."""
    with pytest.raises(ServerUnavailableError, match="refuses the credentials") as caught:
        wait_until_answers(neo4j_server.uri, ("neo4j", "not-the-password"), seconds=60)
    assert "not-the-password" not in str(caught.value)


def test_a_named_server_is_left_alone_unless_declared_disposable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """NEO4J_URI alone is not enough to let tests loose on somebody's database."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:7687")
    monkeypatch.delenv("CITEHOP_NEO4J_DISPOSABLE", raising=False)
    (way,) = look("uri")
    assert way.why_not is not None
    assert "left alone" in way.why_not
    with pytest.raises(ServerUnavailableError, match="uri: NEO4J_URI is set but"):
        shared_server([way], wait_seconds=1)


def test_a_declared_server_is_used_and_not_stopped(
    neo4j_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server declared disposable is taken before any other way, and outlives the tests."""
    monkeypatch.setenv("NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.auth[0])
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.auth[1])
    monkeypatch.setenv("CITEHOP_NEO4J_DISPOSABLE", "1")
    server, close = shared_server(look("uri"), wait_seconds=30)
    assert (server.uri, server.version) == (neo4j_server.uri, neo4j_server.version)
    close()
    assert ask_version(server.uri, server.auth, seconds=10) == server.version


def test_what_was_tried_and_what_mends_it_is_said() -> None:
    """Without any server the message names each way and its reason."""
    message = none_found(["docker: no engine", "local: no Java 17 to 21 was found"])
    assert "Tried docker: no engine; local: no Java 17 to 21 was found" in message
    assert "CITEHOP_NEO4J_DISPOSABLE=1" in message


INNER_TEST = '''
def test_asks(neo4j_server):
    """Asks for a server that is not there."""
'''


INNER_OPTIONS = ("-p", "tests.servers.plugin", "--neo4j-way=uri", "-rs", "-p", "no:cacheprovider")


@pytest.mark.parametrize(("required", "outcome"), [("0", "1 skipped"), ("1", "1 error")])
def test_without_a_server_tests_skip_or_fail_as_asked(
    tmp_path: Path, root_dir: Path, required: str, outcome: str
) -> None:
    """Skipped with what was tried, or an error where a server is required."""
    (tmp_path / "test_inner.py").write_text(INNER_TEST, "utf-8")
    hidden = {"NEO4J_URI": "", "NEO4J_URL": "", "CITEHOP_REQUIRE_NEO4J": required}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *INNER_OPTIONS, str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | hidden | {"PYTHONPATH": str(root_dir)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert outcome in done.stdout
    assert "uri: NEO4J_URI is not set" in done.stdout
