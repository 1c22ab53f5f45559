"""The jars of a Neo4j release: resolved once by Maven and kept in a cache folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.servers.handle import ServerUnavailableError
from tests.servers.java import Java, find_java

ROOT = Path(__file__).resolve().parents[2]
POM = ROOT / "docker" / "neo4j" / "pom.xml"
MAVEN_SECONDS = 600.0
ENTRY_POINT = "META-INF/services/org.neo4j.server.startup.EntryPoint"

# What Neo4j reflects into; without them it starts but warns, and its admin tool cannot import.
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
OPTIONS = (
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dlog4j2.disable.jmx=true",
)
# Newer runtimes warn about what Neo4j does on purpose.
CALENDAR_OPTIONS = (
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)
CALENDAR_OPTIONS_SINCE_JAVA = 24


@dataclass(frozen=True, slots=True)
class Distribution:
    """A release's jars and the Java that runs them."""

    version: str
    folder: Path
    java: Java
    main: str

    @property
    def is_calendar(self) -> bool:
        """Whether it is a calendar version (2025.01 and later), not 5.x."""
        return not self.version.startswith("5.")

    @property
    def class_path(self) -> str:
        """All jars; Java expands the star itself."""
        return f"{self.folder / 'lib'}/*"

    @property
    def class_archive(self) -> Path:
        """Loaded classes kept for quicker starts; tied to this Java and these jars."""
        return self.folder / f"classes-java{self.java.version}.jsa"

    @property
    def java_options(self) -> tuple[str, ...]:
        """What Neo4j needs of Java, whatever the memory."""
        newer = self.is_calendar and self.java.major >= CALENDAR_OPTIONS_SINCE_JAVA
        return OPTIONS + (CALENDAR_OPTIONS if newer else ())


def long_term() -> Distribution:
    """The release that citehop asks for at least (5.26), on Java 17 or 21.

    Raises:
        ServerUnavailableError: Java or Maven is missing, or Maven could not get the jars.
    """
    return _distribution(pinned_version("neo4j.version"), at_least=17, below=22)


def calendar() -> Distribution:
    """The newest calendar version, on Java 21 or later.

    Raises:
        ServerUnavailableError: As for `long_term`.
    """
    return _distribution(pinned_version("neo4j.calendar.version"), at_least=21, below=1000)


def calendar_java() -> Java | None:
    """The Java that a calendar version would run on; None where there is none."""
    return find_java(21)


def pinned_version(name: str) -> str:
    """A version property of docker/neo4j/pom.xml, the one place where versions are written."""
    match = re.search(rf"<{re.escape(name)}>([^<]+)</", POM.read_text("utf-8"))
    if match is None:
        raise ValueError(f"{POM} has no property <{name}>")
    return match[1]


def cache_folder() -> Path:
    """Where jars are kept: `CITEHOP_NEO4J_CACHE`, else `.cache/neo4j` in the checkout."""
    named = os.environ.get("CITEHOP_NEO4J_CACHE")
    return Path(named).resolve() if named else ROOT / ".cache" / "neo4j"


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Lets one test run at a time fill a part of the cache."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _distribution(version: str, *, at_least: int, below: int) -> Distribution:
    java = find_java(at_least, below=below)
    if java is None:
        wanted = f"Java {at_least}" + (f" to {below - 1}" if below < 1000 else " or later")
        raise ServerUnavailableError(f"Neo4j {version} needs {wanted}, and none was found")
    folder = cache_folder() / version
    with locked(version):
        if not (folder / "lib").is_dir():
            _resolve(version, folder)
    return Distribution(version, folder, java, _main_class(version, folder / "lib"))


def _resolve(version: str, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailableError(f"the jars of Neo4j {version} need Maven (mvn) to be fetched")
    partial = folder / "lib.partial"
    shutil.rmtree(partial, ignore_errors=True)
    command = [maven, "-q", "-B", "-f", str(POM), f"-Dneo4j.version={version}"]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    command += [f"-DoutputDirectory={partial}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=MAVEN_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ServerUnavailableError(f"Maven took over {MAVEN_SECONDS:g} s") from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()[-1000:]
        raise ServerUnavailableError(f"Maven could not get the jars of Neo4j {version}: {said}")
    # Renamed last, so that a run cut off half-way leaves nothing that looks complete.
    partial.rename(folder / "lib")


def _main_class(version: str, lib: Path) -> str:
    with zipfile.ZipFile(lib / f"neo4j-{version}.jar") as jar:
        return jar.read(ENTRY_POINT).decode("utf-8").strip()
