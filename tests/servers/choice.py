"""Which server the tests run on: the first way, in a fixed order, that there is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tests.servers import distribution
from tests.servers.container import ContainerServer
from tests.servers.engine import choose_image, connect
from tests.servers.handle import OwnServer, Server, ServerUnavailableError
from tests.servers.java import find_java
from tests.servers.local import LocalServer, ensure_class_archive
from tests.servers.waiting import wait_until_answers

WAYS = ("uri", "docker", "local")
DISPOSABLE = "CITEHOP_NEO4J_DISPOSABLE"
REQUIRED = "CITEHOP_REQUIRE_NEO4J"

Settings = Mapping[str, str] | None


@dataclass(frozen=True, slots=True)
class DeclaredServer:
    """A server that `NEO4J_URI` names and its owner declared disposable; not ours to stop."""

    uri: str
    auth: tuple[str, str]
    version: str

    @property
    def described(self) -> str:
        """The way it was had."""
        return f"the server that NEO4J_URI names and {DISPOSABLE}=1 declares disposable"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a server, looked at but not yet gone."""

    name: str
    why_not: str | None
    promise: str = ""


class Starter(Protocol):
    """Starts a server of the tests' own."""

    def __call__(self, *, settings: Settings = None, heap: str = "512m") -> OwnServer:
        """A running server."""


def is_required() -> bool:
    """Whether a missing server fails tests instead of skipping them."""
    return os.environ.get(REQUIRED) == "1"


def look(way: str = "auto") -> list[Way]:
    """Looks at each way in order, without starting, pulling or building anything."""
    looked = {"uri": _look_at_uri, "docker": _look_at_docker, "local": _look_at_local}
    return [looked[name]() for name in WAYS if way in {"auto", name}]


def shared_server(ways: list[Way], *, wait_seconds: float) -> tuple[Server, Callable[[], None]]:
    """The one server that most tests share, and what ends it.

    Raises:
        ServerUnavailableError: No way led to one; the message has each way's reason.
    """
    reasons = []
    for way in ways:
        if way.why_not is not None:
            reasons.append(f"{way.name}: {way.why_not}")
        elif way.name == "uri":
            # Whoever names a server wants that one: none stands in for it.
            return _declared(wait_seconds), lambda: None
        else:
            try:
                server = _start(way.name, None, "512m", wait_seconds)
            except ServerUnavailableError as error:
                reasons.append(f"{way.name}: {error}")
            else:
                return server, server.close
    raise ServerUnavailableError(none_found(reasons))


def own_server(ways: list[Way], settings: Settings, heap: str, *, wait_seconds: float) -> OwnServer:
    """A running server for one test; a process is quicker to kill and freeze than a container.

    Raises:
        ServerUnavailableError: Neither could be started.
    """
    reasons = []
    for way in sorted((w for w in ways if w.name != "uri"), key=lambda w: w.name != "local"):
        if way.why_not is not None:
            reasons.append(f"{way.name}: {way.why_not}")
            continue
        try:
            return _start(way.name, settings, heap, wait_seconds)
        except ServerUnavailableError as error:
            reasons.append(f"{way.name}: {error}")
    raise ServerUnavailableError(none_found(reasons))


def calendar_server(*, wait_seconds: float) -> LocalServer:
    """A running server of the newest calendar version.

    Raises:
        ServerUnavailableError: It could not be started.
    """
    # Without a class archive: it is started once, and making one takes longer than it saves.
    server = LocalServer(distribution.calendar(), wait_seconds=wait_seconds)
    server.start()
    return server


def none_found(reasons: list[str]) -> str:
    """What is said where there is no server."""
    tried = "; ".join(reasons) or "no way was left to try"
    return (
        f"no Neo4j server. Tried {tried}. Any one of these mends it: NEO4J_URI with "
        f"{DISPOSABLE}=1, a Docker engine, or Java 17 with Maven"
    )


def _start(
    way: str, settings: Settings, heap: str, wait_seconds: float
) -> LocalServer | ContainerServer:
    server: LocalServer | ContainerServer
    if way == "docker":
        client = connect()
        try:
            image = choose_image(client)
        finally:
            client.close()
        server = ContainerServer(image, settings=settings, heap=heap, wait_seconds=wait_seconds)
    else:
        release = distribution.long_term()
        ensure_class_archive(release)
        server = LocalServer(release, settings=settings, heap=heap, wait_seconds=wait_seconds)
    try:
        server.start()
    except BaseException:
        server.close()
        raise
    return server


def _declared(wait_seconds: float) -> DeclaredServer:
    uri = os.environ["NEO4J_URI"]
    auth = (os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ.get("NEO4J_PASSWORD", ""))
    return DeclaredServer(uri, auth, wait_until_answers(uri, auth, seconds=wait_seconds))


def _look_at_uri() -> Way:
    if not os.environ.get("NEO4J_URI"):
        return Way("uri", "NEO4J_URI is not set")
    if os.environ.get(DISPOSABLE) != "1":
        return Way("uri", f"NEO4J_URI is set but {DISPOSABLE}=1 is not, so it is left alone")
    return Way("uri", None, "the server that NEO4J_URI names")


def _look_at_docker() -> Way:
    try:
        client = connect()
    except ServerUnavailableError as error:
        return Way("docker", str(error))
    try:
        version = client.version()["Version"]
    finally:
        client.close()
    image = os.environ.get("NEO4J_IMAGE") or "the official image, or one built here"
    return Way("docker", None, f"a container of {image} on Docker engine {version}")


def _look_at_local() -> Way:
    java = find_java(17, below=22)
    if java is None:
        return Way("local", "no Java 17 to 21 was found")
    version = distribution.pinned_version("neo4j.version")
    fetched = (distribution.cache_folder() / version / "lib").is_dir()
    if not fetched and shutil.which("mvn") is None:
        return Way("local", "Maven (mvn) was not found, which fetches Neo4j's jars")
    return Way("local", None, f"a process of Neo4j {version} on Java {java.version}")
