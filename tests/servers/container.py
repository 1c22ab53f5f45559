"""A throwaway Neo4j server in a container, by testcontainers."""

from __future__ import annotations

import atexit
import secrets
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from tests.servers.engine import connect, docker
from tests.servers.handle import ServerUnavailableError
from tests.servers.local import free_port
from tests.servers.waiting import DEFAULT_WAIT_SECONDS, wait_until_answers

# After the engine's module, which sets what testcontainers reads when it is imported.
from testcontainers.core.container import DockerContainer  # isort: skip

BOLT = 7687
STOP_SECONDS = 60
LOG_TAIL = 2000


def variable(setting: str) -> str:
    """The environment variable of a setting: `NEO4J_server_memory_heap_max__size`."""
    return "NEO4J_" + setting.replace("_", "__").replace(".", "_")


class ContainerServer:
    """A server in a container of its own, its data in a volume of its own.

    Each start makes a new container on the volume, so that settings can change; port, password and
    data stay until `close()`.

    Args:
        image: The image to run.
        settings: Added to the image's own, by their Neo4j names.
        heap: The Java heap, as `512m`.
        wait_seconds: How long a start may take until a query is answered.
    """

    def __init__(
        self,
        image: str,
        *,
        settings: Mapping[str, str] | None = None,
        heap: str = "512m",
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
    ) -> None:
        self._image = image
        self._settings = {
            "server.memory.heap.initial_size": heap,
            "server.memory.heap.max_size": heap,
            "server.memory.pagecache.size": "64m",
        } | dict(settings or {})
        self._wait_seconds = wait_seconds
        self._port = free_port()
        self._password = secrets.token_hex(12)
        self._volume = f"citehop-test-{secrets.token_hex(6)}"
        self._container: DockerContainer | None = None
        self._version = "not started"
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"ContainerServer({self._image!r}, {self.uri!r})"

    @property
    def uri(self) -> str:
        """Where drivers connect."""
        return f"bolt://127.0.0.1:{self._port}"

    @property
    def auth(self) -> tuple[str, str]:
        """User and password."""
        return ("neo4j", self._password)

    @property
    def version(self) -> str:
        """What the server said of itself when it last came up."""
        return self._version

    @property
    def described(self) -> str:
        """The way it was had."""
        return f"a container of {self._image}"

    @property
    def container(self) -> DockerContainer:
        """The running container."""
        if self._container is None:
            raise RuntimeError("the server does not run; start() starts it")
        return self._container

    @property
    def pid(self) -> int:
        """The server process, as the engine's machine sees it."""
        wrapped = self.container.get_wrapped_container()
        wrapped.reload()
        return int(wrapped.attrs["State"]["Pid"])

    def start(self) -> None:
        """Starts it and returns when it answers a query.

        Raises:
            ServerUnavailableError: It could not be started, ended, or did not answer in time.
        """
        if self._container is not None:
            raise RuntimeError(f"the server at {self.uri} runs already")
        container = DockerContainer(self._image)
        container.with_env("NEO4J_AUTH", "/".join(self.auth))
        for name, value in self._settings.items():
            container.with_env(variable(name), value)
        container.with_volume_mapping(self._volume, "/data", "rw")
        # On loopback alone, which with_bind_ports cannot say.
        ports: dict[str, Any] = container.ports
        ports[f"{BOLT}/tcp"] = ("127.0.0.1", self._port)
        self._container = container
        try:
            container.start()
            self._version = wait_until_answers(
                self.uri, self.auth, seconds=self._wait_seconds, why_ended=self._why_ended
            )
        except docker.errors.DockerException as error:
            self.kill()
            raise ServerUnavailableError(f"{self._image} could not be started: {error}") from error
        except BaseException:
            self.kill()
            raise

    def stop(self) -> int:
        """Stops it cleanly and returns its exit code."""
        wrapped = self.container.get_wrapped_container()
        wrapped.reload()
        if wrapped.status == "paused":
            wrapped.unpause()
        wrapped.stop(timeout=STOP_SECONDS)
        code = int(wrapped.wait()["StatusCode"])
        self._remove()
        return code

    def kill(self) -> None:
        """Kills it at once, as `kill -9`."""
        self._remove()

    def freeze(self) -> None:
        """Halts all of its processes."""
        self.container.get_wrapped_container().pause()

    def thaw(self) -> None:
        """Lets it go on."""
        self.container.get_wrapped_container().unpause()

    def restart(self, settings: Mapping[str, str] | None = None) -> None:
        """Stops it if it runs and starts it on its data, with `settings` added to its own."""
        if self._container is not None:
            self.stop()
        self._settings.update(settings or {})
        self.start()

    def close(self) -> None:
        """Kills it if it runs and removes its volume."""
        atexit.unregister(self.close)
        if self._container is not None:
            self.kill()
        client = connect()
        try:
            client.volumes.get(self._volume).remove()
        except docker.errors.NotFound:
            pass
        finally:
            client.close()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _remove(self) -> None:
        container, self._container = self.container, None
        # Removing by force kills; the data volume has a name and stays, the logs' goes.
        container.stop(force=True, delete_volume=True)

    def _why_ended(self) -> str | None:
        wrapped = self.container.get_wrapped_container()
        wrapped.reload()
        if wrapped.status not in {"exited", "dead"}:
            return None
        code = wrapped.attrs["State"]["ExitCode"]
        log = wrapped.logs(tail=40).decode("utf-8", errors="replace")
        return f"exit code {code}; its log ends: {log[-LOG_TAIL:]}"
