"""A throwaway Neo4j server as a process of this machine: Java and Maven, no Docker."""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.servers.distribution import Distribution, locked, long_term
from tests.servers.handle import ServerUnavailableError
from tests.servers.waiting import DEFAULT_WAIT_SECONDS, wait_until_answers

STOP_SECONDS = 60.0
ADMIN_SECONDS = 120.0
LOG_TAIL = 2000

# Serial collection and the first compiler only: a test server lives for seconds, on two cores.
QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

SETTINGS = {
    "server.http.enabled": "false",
    "dbms.usage_report.enabled": "false",
    "server.memory.pagecache.size": "64m",
    "db.tx_log.rotation.retention_policy": "false",
    # Connections that are still open need not hold up a clean stop.
    "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
    "internal.server.bolt.connection_shutdown_wait_time": "0s",
}
# Calendar versions otherwise announce themselves on every network of the machine.
CALENDAR_SETTINGS = {
    "server.fleet_discovery.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
}


class LocalServer:
    """A server process with a home, free ports and a random password of its own.

    Not running when made; `start()` or a `with` block starts it, `close()` removes all of it.
    `stop()` and `kill()` keep its data, address and password, so that `start()` goes on from them.

    Args:
        distribution: The release to run; None takes the long-term one.
        settings: Added to neo4j.conf, by their Neo4j names, as
            `{"server.bolt.connection_keep_alive": "1s"}`.
        heap: The Java heap, as `512m`.
        java_options: Further options for Java.
        quick: Starts and stops quickly; False runs Java as a production server would, for timing.
        wait_seconds: How long a start may take until a query is answered.
    """

    def __init__(
        self,
        distribution: Distribution | None = None,
        *,
        settings: Mapping[str, str] | None = None,
        heap: str = "512m",
        java_options: tuple[str, ...] = (),
        quick: bool = True,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
    ) -> None:
        self._distribution = distribution if distribution is not None else long_term()
        self._settings = dict(settings or {})
        self._heap = heap
        self._java_options = java_options
        self._quick = quick
        self._wait_seconds = wait_seconds
        self._port = free_port()
        self._password = secrets.token_hex(12)
        self._home: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._version = self._distribution.version

    def __repr__(self) -> str:
        return f"LocalServer({self._version!r}, {self.uri!r})"

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
        return f"a local process on Java {self._distribution.java.version}"

    @property
    def home(self) -> Path:
        """Its folder: conf, data and logs; made by the first start."""
        if self._home is None:
            raise RuntimeError("the server has no home before it is started or after it is closed")
        return self._home

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process."""
        if self._process is None:
            raise RuntimeError("the server does not run; start() starts it")
        return self._process

    @property
    def pid(self) -> int:
        """The id of the running process."""
        return self.process.pid

    @property
    def running(self) -> bool:
        """Whether the process is there, frozen or not."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts it and returns when it answers a query.

        Raises:
            ServerUnavailableError: It ended or did not answer in time; the message has the end
                of its log.
        """
        if self.running:
            raise RuntimeError(f"the server at {self.uri} runs already (process {self.pid})")
        first = self._home is None
        if first:
            self._home = Path(tempfile.mkdtemp(prefix="citehop-neo4j-"))
            (self._home / "conf").mkdir()
            atexit.register(self.close)
        self._write_settings()
        if first:
            self._set_initial_password()
        self._launch()
        try:
            self._version = wait_until_answers(
                self.uri, self.auth, seconds=self._wait_seconds, why_ended=self._why_ended
            )
        except BaseException:
            self.kill()
            raise

    def stop(self, *, seconds: float = STOP_SECONDS) -> int:
        """Stops it cleanly and returns its exit code; kills it when that takes over `seconds`."""
        process, self._process = self.process, None
        process.terminate()
        process.send_signal(signal.SIGCONT)  # a frozen process does not see that it should end
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def kill(self) -> None:
        """Kills it at once, as `kill -9`."""
        process, self._process = self.process, None
        process.kill()
        process.wait()

    def freeze(self) -> None:
        """Halts it with SIGSTOP."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets it go on with SIGCONT."""
        self.process.send_signal(signal.SIGCONT)

    def restart(self, settings: Mapping[str, str] | None = None) -> None:
        """Stops it if it runs and starts it on its data, with `settings` added to its own."""
        if self._process is not None:
            self.stop()
        self._settings.update(settings or {})
        self.start()

    def close(self) -> None:
        """Kills it if it runs (its data is thrown away, so nothing needs a clean end)."""
        if self._process is not None:
            self.kill()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
            self._home = None
        atexit.unregister(self.close)

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

    def log(self) -> str:
        """All that it printed."""
        with contextlib.suppress(FileNotFoundError):
            return (self.home / "out.log").read_text("utf-8", errors="replace")
        return ""

    def _write_settings(self) -> None:
        settings = {"server.bolt.listen_address": f"127.0.0.1:{self._port}"} | SETTINGS
        if self._distribution.is_calendar:
            settings |= CALENDAR_SETTINGS
        lines = [f"{name}={value}\n" for name, value in (settings | self._settings).items()]
        (self.home / "conf" / "neo4j.conf").write_text("".join(lines), "utf-8")

    def _java(self, *options: str) -> list[str]:
        command = [self._distribution.java.program, *options, *self._distribution.java_options]
        if self._quick:
            command += QUICK
        if self._distribution.class_archive.is_file():
            # A mismatch only means that the archive is not used.
            command += ["-Xshare:auto", f"-XX:SharedArchiveFile={self._distribution.class_archive}"]
        return [*command, "-cp", self._distribution.class_path]

    def _set_initial_password(self) -> None:
        command = self._java("-Xmx256m")
        command += ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", self._password]
        done = subprocess.run(
            command,
            env=os.environ | {"NEO4J_HOME": str(self.home)},
            capture_output=True,
            text=True,
            timeout=ADMIN_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip()[-LOG_TAIL:]
            raise ServerUnavailableError(f"Neo4j's admin tool could not set a password: {said}")

    def _launch(self) -> None:
        command = self._java(f"-Xmx{self._heap}", *self._java_options)
        command += [self._distribution.main, f"--home-dir={self.home}"]
        command += [f"--config-dir={self.home / 'conf'}", "--console-mode"]
        with (self.home / "out.log").open("ab") as out:
            # A session of its own: Ctrl-C in the terminal is for pytest, which then closes it.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def _why_ended(self) -> str | None:
        code = self.process.poll()
        return None if code is None else f"exit code {code}; its log ends: {self.log()[-LOG_TAIL:]}"


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on.

    Neo4j must not be given port 0: it reports it as it stands, and drivers read it as 7687, where
    another server may be.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ensure_class_archive(distribution: Distribution) -> None:
    """Makes the class archive once, by a server that runs for it; later starts are quicker."""
    with locked(f"{distribution.version}-classes"):
        archive = distribution.class_archive
        if archive.is_file():
            return
        partial = archive.with_suffix(".partial")
        options = (f"-XX:ArchiveClassesAtExit={partial}",)
        with LocalServer(distribution, java_options=options) as server:
            server.stop()
        if partial.is_file():
            partial.rename(archive)
