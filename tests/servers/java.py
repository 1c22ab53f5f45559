"""Finds the Java runtimes of this machine."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

JVM_FOLDERS = (Path("/usr/lib/jvm"), Path("/opt/java"), Path("/Library/Java/JavaVirtualMachines"))


@dataclass(frozen=True, slots=True)
class Java:
    """One Java runtime."""

    home: Path
    version: str

    @property
    def major(self) -> int:
        """The first number of the version, 17 for `17.0.15`."""
        return int(self.version.split(".")[0])

    @property
    def program(self) -> str:
        """The launcher."""
        return str(self.home / "bin" / "java")


def find_java(at_least: int, *, below: int = 1000) -> Java | None:
    """The oldest runtime with `at_least <= major < below`; None where there is none.

    The oldest, because a release of Neo4j is tested by its makers on the Java of its day.
    """
    found = {java.home: java for java in map(_read, _homes()) if java is not None}
    fitting = [java for java in found.values() if at_least <= java.major < below]
    return min(fitting, key=lambda java: (java.major, str(java.home)), default=None)


def _homes() -> list[Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if on_path := shutil.which("java"):
        homes.append(Path(on_path).resolve().parent.parent)
    for folder in JVM_FOLDERS:
        if folder.is_dir():
            homes += [
                path / part for path in sorted(folder.iterdir()) for part in (".", HOME_ON_MAC)
            ]
    return [home.resolve() for home in homes if (home / "bin" / "java").is_file()]


HOME_ON_MAC = "Contents/Home"


def _read(home: Path) -> Java | None:
    """Reads the `release` file, which every runtime since Java 9 has; starts no program."""
    release = home / "release"
    if not release.is_file():
        return None
    match = re.search(r'^JAVA_VERSION="([0-9][0-9.]*)', release.read_text("utf-8"), re.MULTILINE)
    return Java(home, match[1].rstrip(".")) if match else None
