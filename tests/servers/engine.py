"""The Docker engine of this machine, and the image that servers are run from."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

from tests.servers.distribution import ROOT, locked, pinned_version
from tests.servers.handle import ServerUnavailableError

# Read by testcontainers when it is imported. Its reaper is an image of its own, which a machine
# without a registry cannot pull; what is started here is removed here. Addresses are loopback,
# also where the tests themselves run in a container that has the engine's socket.
os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")
os.environ.setdefault("TESTCONTAINERS_CONNECTION_MODE", "docker_host")
os.environ.setdefault("TESTCONTAINERS_HOST_OVERRIDE", "127.0.0.1")

import requests

# Imported by name: a type checker takes the checkout's folder docker/ for the package.
docker: Any = importlib.import_module("docker")
DockerClient: TypeAlias = Any

OFFICIAL_IMAGE = "neo4j:5.26-community"
RECIPE = ROOT / "docker" / "neo4j"
SOURCE_LABEL = "citehop.source"
PING_SECONDS = 5
CALL_SECONDS = 60
PULL_SECONDS = 60.0
BUILD_SECONDS = 600.0


def connect() -> DockerClient:
    """A client of the engine, which answered.

    Raises:
        ServerUnavailableError: There is none, or it does not answer.
    """
    try:
        _knock()
        probe = docker.from_env(timeout=PING_SECONDS)
        try:
            probe.ping()
        finally:
            probe.close()
        return docker.from_env(timeout=CALL_SECONDS)
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise ServerUnavailableError(f"no Docker engine answers: {error}") from error


def _knock() -> None:
    """Raises OSError where nobody listens: the client would leave its socket open then."""
    address = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.settimeout(PING_SECONDS)
            knocking.connect(address.removeprefix("unix://"))


def choose_image(client: DockerClient) -> str:
    """NEO4J_IMAGE, else the official image, pulled if need be and possible, else one built here.

    Raises:
        ServerUnavailableError: The last of the three failed as well.
    """
    if named := os.environ.get("NEO4J_IMAGE"):
        return named
    if _is_present(client, OFFICIAL_IMAGE) or _pull(OFFICIAL_IMAGE):
        return OFFICIAL_IMAGE
    return built_image(client)


def built_image(client: DockerClient) -> str:
    """The image of docker/neo4j/, built unless one of the same recipe is there already.

    Raises:
        ServerUnavailableError: It could not be built; the message has the end of what was said.
    """
    tag = f"citehop-neo4j:{pinned_version('neo4j.version')}"
    source = recipe_digest()
    with locked("image"):
        if not _is_built_from(client, tag, source):
            _build(tag)
    return tag


def recipe_digest() -> str:
    """A digest of all files that the image is made from, as build.sh labels the image with."""
    files = sorted(RECIPE.iterdir(), key=lambda path: path.name.encode())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _is_present(client: DockerClient, image: str) -> bool:
    try:
        client.images.get(image)
    except docker.errors.ImageNotFound:
        return False
    return True


def _is_built_from(client: DockerClient, tag: str, source: str) -> bool:
    try:
        labels = client.images.get(tag).labels
    except docker.errors.ImageNotFound:
        return False
    return bool(labels.get(SOURCE_LABEL) == source)


def _pull(image: str) -> bool:
    """Whether the image could be pulled; bounded, as a closed network may not even refuse."""
    program = shutil.which("docker")
    if program is None:
        return False
    try:
        done = subprocess.run(
            [program, "pull", "-q", image],
            capture_output=True,
            timeout=PULL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _build(tag: str) -> None:
    if not sys.platform.startswith("linux"):
        raise ServerUnavailableError(f"{tag} can be built on Linux only; name one by NEO4J_IMAGE")
    try:
        done = subprocess.run(
            [str(Path(RECIPE, "build.sh")), tag],
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ServerUnavailableError(f"building {tag} took over {BUILD_SECONDS:g} s") from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr).strip()[-1500:]
        raise ServerUnavailableError(f"{tag} could not be built: {said}")
