"""The fixtures, options and report lines about servers; tests/README.md describes them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NoReturn

import pytest

from tests.servers import choice
from tests.servers.distribution import calendar_java, pinned_version
from tests.servers.engine import DockerClient, connect
from tests.servers.engine import built_image as build_image
from tests.servers.handle import OwnServer, Server, ServerUnavailableError
from tests.servers.waiting import DEFAULT_WAIT_SECONDS
from tests.servers.wiping import wipe

SHARED = {"neo4j_server", "empty_neo4j"}
SERVER_FIXTURES = SHARED | {"own_server", "neo4j_calendar_server", "neo4j_each_version"}
CONTAINER_FIXTURES = {"docker_engine", "built_image"}
# These start servers inside the test's own time, which a busy machine makes long.
STARTING = CONTAINER_FIXTURES | {"own_server", "neo4j_calendar_server", "neo4j_each_version"}
STARTING_SECONDS = 400


class Servers:
    """What this test run knows of servers: where it looked, what it started, what it left out."""

    def __init__(self, way: str, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        self.ways = choice.look(way)
        self.used: list[str] = []
        self.left_out: list[str] = []
        self._closing = ExitStack()
        self._shared: Server | ServerUnavailableError | None = None

    @property
    def promise(self) -> str:
        """What would be started, should a test ask."""
        found = [way.promise for way in self.ways if way.why_not is None]
        not_found = [f"{way.name}: {way.why_not}" for way in self.ways if way.why_not is not None]
        return f"{found[0]}, if a test asks" if found else choice.none_found(not_found)

    def shared(self) -> Server:
        """The server that most tests share, started by the first call."""
        if self._shared is None:
            started = time.monotonic()
            try:
                self._shared, close = choice.shared_server(
                    self.ways, wait_seconds=self.wait_seconds
                )
            except ServerUnavailableError as error:
                self._shared = error
            else:
                self._closing.callback(close)
                self.note(self._shared, f"shared, up in {time.monotonic() - started:.1f} s")
        if isinstance(self._shared, ServerUnavailableError):
            raise self._shared
        return self._shared

    def note(self, server: Server, remark: str) -> None:
        """Keeps a line about a server for the report."""
        line = f"Neo4j {server.version}, {server.described} ({remark})"
        if line not in self.used:
            self.used.append(line)

    def close(self) -> None:
        """Ends what was started here."""
        self._closing.close()


SERVERS = pytest.StashKey[Servers]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("neo4j", "the Neo4j server that tests run on")
    group.addoption(
        "--neo4j-wait",
        type=float,
        default=float(os.environ.get("CITEHOP_NEO4J_WAIT", DEFAULT_WAIT_SECONDS)),
        metavar="SECONDS",
        help="how long a server may take until it answers a query (default: %(default)s)",
    )
    group.addoption(
        "--neo4j-way",
        choices=("auto", *choice.WAYS),
        default=os.environ.get("CITEHOP_NEO4J_WAY", "auto"),
        help="take only this way to a server (default: %(default)s, the first that there is)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Looks where a server can be had."""
    servers = Servers(config.getoption("--neo4j-way"), config.getoption("--neo4j-wait"))
    config.stash[SERVERS] = servers
    config.add_cleanup(servers.close)


def pytest_report_header(config: pytest.Config) -> str:
    """Names the server that would be used."""
    required = ", required" if choice.is_required() else ""
    return f"neo4j{required}: {config.stash[SERVERS].promise}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks tests by the servers they ask for; leaves out, by name, what no Java here can run."""
    without_java = calendar_java() is None
    kept: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        asked = set(getattr(item, "fixturenames", ()))
        if asked & SERVER_FIXTURES:
            item.add_marker(pytest.mark.neo4j)
        if asked & STARTING and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(STARTING_SECONDS))
        if asked & CONTAINER_FIXTURES:
            item.add_marker(pytest.mark.container)
        (left_out if without_java and _asks_for_calendar(item, asked) else kept).append(item)
    if left_out:
        config.stash[SERVERS].left_out += [item.nodeid for item in left_out]
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _asks_for_calendar(item: pytest.Item, asked: set[str]) -> bool:
    callspec = getattr(item, "callspec", None)
    each = callspec.params.get("neo4j_each_version") if callspec is not None else None
    return "neo4j_calendar_server" in asked or each == "calendar"


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Starts the shared server if a test asks for it, and names what answered."""
    asked = {name for item in items for name in getattr(item, "fixturenames", ())}
    if not asked & SHARED or config.option.collectonly:
        return []
    try:
        config.stash[SERVERS].shared()
    except ServerUnavailableError as error:
        return [f"neo4j: {error}"]
    return [f"neo4j: {line}" for line in config.stash[SERVERS].used]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Lists the servers that tests ran on, and the tests left out for want of a newer Java."""
    servers = config.stash[SERVERS]
    if servers.used or servers.left_out:
        terminalreporter.section("Neo4j servers")
    for line in servers.used:
        terminalreporter.line(line)
    if servers.left_out:
        version = pinned_version("neo4j.calendar.version")
        terminalreporter.line(f"deselected, as Neo4j {version} needs Java 21 or later:")
        for name in servers.left_out:
            terminalreporter.line(f"  {name}")


def _do_without(error: ServerUnavailableError) -> NoReturn:
    if choice.is_required():
        pytest.fail(f"{choice.REQUIRED}=1, but {error}", pytrace=False)
    pytest.skip(str(error))


@pytest.fixture(scope="session")
def neo4j_server(pytestconfig: pytest.Config) -> Server:
    """The server that most tests share; what is in its database is anybody's leftover."""
    try:
        return pytestconfig.stash[SERVERS].shared()
    except ServerUnavailableError as error:
        _do_without(error)


@pytest.fixture
def empty_neo4j(neo4j_server: Server) -> Server:
    """The shared server with an empty database and without constraints or indexes."""
    wipe(neo4j_server)
    return neo4j_server


@pytest.fixture
def own_server(pytestconfig: pytest.Config) -> Iterator[choice.Starter]:
    """Starts servers that the test may kill and freeze: `own_server(settings={...}, heap=...)`.

    They run when they are returned, and are closed after the test.
    """
    servers = pytestconfig.stash[SERVERS]
    with ExitStack() as closing:

        def start(*, settings: choice.Settings = None, heap: str = "512m") -> OwnServer:
            try:
                server = choice.own_server(
                    servers.ways, settings, heap, wait_seconds=servers.wait_seconds
                )
            except ServerUnavailableError as error:
                _do_without(error)
            closing.callback(server.close)
            servers.note(server, "of a test's own")
            return server

        yield start


@pytest.fixture(scope="session")
def neo4j_calendar_server(pytestconfig: pytest.Config) -> Iterator[Server]:
    """A shared server of the newest calendar version; without Java 21 the test is deselected."""
    servers = pytestconfig.stash[SERVERS]
    try:
        server = choice.calendar_server(wait_seconds=servers.wait_seconds)
    except ServerUnavailableError as error:
        _do_without(error)
    servers.note(server, "newest calendar version")
    yield server
    server.close()


@pytest.fixture(params=["long-term", "calendar"])
def neo4j_each_version(request: pytest.FixtureRequest) -> Server:
    """The shared server, then the one of the newest calendar version, both with what is there."""
    name = {"long-term": "neo4j_server", "calendar": "neo4j_calendar_server"}[request.param]
    server: Server = request.getfixturevalue(name)
    return server


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[DockerClient]:
    """A client of this machine's Docker engine."""
    try:
        client = connect()
    except ServerUnavailableError as error:
        _do_without(error)
    yield client
    client.close()


@pytest.fixture(scope="session")
def built_image(docker_engine: DockerClient) -> str:
    """The tag of the image that docker/neo4j/ describes, built if it is not there."""
    try:
        return build_image(docker_engine)
    except ServerUnavailableError as error:
        _do_without(error)
