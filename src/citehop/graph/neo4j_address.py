"""Where a server is, and who asks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from citehop.graph.neo4j_errors import AUTH_FAILED
from citehop.graph.open import NEO4J_SCHEMES

DEFAULT_URI = "neo4j://localhost:7687"


def checked_uri(uri: str) -> str:
    """Return ``uri``.

    Raises:
        ValueError: If its scheme is no Neo4j one, or it holds credentials; they are not quoted.
    """
    parts = urlsplit(uri)
    if parts.scheme not in NEO4J_SCHEMES or not parts.netloc:
        raise ValueError(
            f"uri must begin with one of {', '.join(NEO4J_SCHEMES)}, then ://, as {DEFAULT_URI}"
        )
    if "@" in parts.netloc:
        raise ValueError("uri must hold no user or password; pass them as auth=(user, password)")
    return uri


def credentials(
    auth: tuple[str, str] | None, file: str | Path | None, environment: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return user and password: as given, else from a file, else from the environment.

    The file holds ``user`` and ``password`` on two lines, or ``user/password`` on one. The
    environment's names are ``NEO4J_USERNAME`` (default ``neo4j``) and ``NEO4J_PASSWORD``.

    Raises:
        StoreError: If the file cannot be read or holds something else.
    """
    if auth is not None:
        user, password = auth
        return user, password
    if file is not None:
        return _from_file(Path(file))
    found = environment.get("NEO4J_PASSWORD")
    return (environment.get("NEO4J_USERNAME", "neo4j"), found) if found is not None else None


def _from_file(path: Path) -> tuple[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise AUTH_FAILED.error(f"{path}: the credentials file cannot be read") from error
    parts = lines[0].split("/", 1) if len(lines) == 1 else lines[:2]
    if len(parts) != 2 or not all(parts):
        raise AUTH_FAILED.error(f"{path}: expected user and password on two lines")
    return parts[0], parts[1]
