"""The image of docker/neo4j/ in real containers: what a user of the official image expects."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver, GraphDatabase
from neo4j.exceptions import AuthError, ClientError
from tests.servers.container import ContainerServer
from tests.servers.engine import DockerClient
from tests.servers.local import free_port
from tests.servers.waiting import ask_version, wait_until_answers

from testcontainers.community.neo4j import Neo4jContainer  # isort: skip

PASSWORD = "a-long-enough-word"  # noqa: S105 (of throwaway containers)
AUTH = ("neo4j", PASSWORD)
GIVEN = {"NEO4J_AUTH": f"neo4j/{PASSWORD}"}
SMALL = {
    "NEO4J_server_memory_heap_initial__size": "256m",
    "NEO4J_server_memory_heap_max__size": "400m",
    "NEO4J_server_memory_pagecache_size": "64m",
}
HEALTH_SECONDS = 150


@dataclass(frozen=True)
class Running:
    """A container and where its server listens."""

    container: Any
    uri: str

    def wait(self, auth: tuple[str, str] | None = AUTH) -> str:
        """Waits for a query to be answered and returns the server's version."""
        return wait_until_answers(self.uri, auth, seconds=180, why_ended=self.why_ended)

    def why_ended(self) -> str | None:
        """Its log, once it has ended."""
        self.container.reload()
        ended = self.container.status == "exited"
        return self.container.logs().decode() if ended else None

    def health(self) -> str:
        """The health that the engine last saw, waited for until it is no longer `starting`."""
        end = time.monotonic() + HEALTH_SECONDS
        while time.monotonic() < end:
            self.container.reload()
            status = str(self.container.attrs["State"]["Health"]["Status"])
            if status != "starting":
                return status
            time.sleep(0.5)
        return "starting"

    def driver(self, auth: tuple[str, str] = AUTH) -> Driver:
        """A driver for it."""
        return GraphDatabase.driver(self.uri, auth=auth, max_transaction_retry_time=0)

    def run(self, *command: str) -> tuple[int, str]:
        """Exit code and output of a command inside it."""
        code, output = self.container.exec_run(list(command))
        return int(code), output.decode().strip()


Run = Callable[..., Running]


def starting(engine: DockerClient, image: str) -> Iterator[Run]:
    """Gives what starts containers; then removes them with their volumes."""
    started: list[Any] = []

    def start(environment: dict[str, str], **options: Any) -> Running:
        port = free_port()
        container = engine.containers.run(
            image,
            environment=SMALL | environment,
            ports={"7687/tcp": ("127.0.0.1", port)},
            detach=True,
            **options,
        )
        started.append(container)
        return Running(container, f"bolt://127.0.0.1:{port}")

    yield start
    for container in started:
        container.remove(force=True, v=True)


@pytest.fixture
def run(docker_engine: DockerClient, built_image: str) -> Iterator[Run]:
    """Starts containers of the built image for one test."""
    yield from starting(docker_engine, built_image)


@pytest.fixture
def volume(docker_engine: DockerClient) -> Iterator[str]:
    """The name of a volume; ask for it before `run`, which then ends what uses it first."""
    name = f"citehop-test-{secrets.token_hex(6)}"
    docker_engine.volumes.create(name)
    yield name
    docker_engine.volumes.get(name).remove()


@pytest.fixture(scope="module")
def plain(docker_engine: DockerClient, built_image: str) -> Iterator[Running]:
    """A container with a password, which tests look at and do not change."""
    for start in starting(docker_engine, built_image):
        running = start(GIVEN | {"NEO4J_server_bolt_connection__keep__alive": "7s"})
        running.wait()
        yield running


def test_the_server_does_not_run_as_root(plain: Running) -> None:
    """Process, data and logs belong to the official image's user, 7474."""
    assert plain.run("stat", "-c", "%u", "/proc/1") == (0, "7474")
    assert plain.run("stat", "-c", "%u", "/data/databases", "/logs/neo4j.log") == (0, "7474\n7474")
    assert plain.run("id", "-u") == (0, "7474")


def test_settings_come_from_the_environment(plain: Running) -> None:
    """One underscore is a dot and two are an underscore, as in the official image."""
    with plain.driver() as driver:
        rows = driver.execute_query("SHOW SETTINGS YIELD name, value").records
    values = {row["name"]: row["value"] for row in rows}
    assert values["server.bolt.connection_keep_alive"] == "7s"
    assert values["server.memory.heap.max_size"] == "400.00MiB"
    assert values["server.directories.data"] == "/data"


def test_the_given_password_is_asked_for(plain: Running) -> None:
    """NEO4J_AUTH sets the password, and another one is refused."""
    with plain.driver(("neo4j", "another-long-word")) as driver, pytest.raises(AuthError):
        driver.verify_connectivity()


def test_health_is_a_query_that_was_answered(plain: Running) -> None:
    """The engine calls it healthy once the database answers."""
    assert plain.health() == "healthy"
    assert plain.run("healthcheck") == (0, "")


def test_a_changed_password_leaves_it_healthy_and_nobody_locked_out(run: Run) -> None:
    """The health check sends a refused password once, never so often that users are locked out."""
    running = run(GIVEN)
    running.wait()
    with running.driver() as driver:
        statement = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
        words = {"old": PASSWORD, "new": "the-changed-word"}
        driver.execute_query(statement, words, database_="system")
    assert [running.run("healthcheck")[0] for _ in range(5)] == [0] * 5
    assert ask_version(running.uri, ("neo4j", "the-changed-word"), seconds=10) == running.wait(
        ("neo4j", "the-changed-word")
    )


def test_without_authentication_and_http_it_is_healthy(run: Run) -> None:
    """NEO4J_AUTH=none lets anybody in; without HTTP the health check speaks Bolt."""
    running = run({"NEO4J_AUTH": "none", "NEO4J_server_http_enabled": "false"})
    assert running.wait(None).startswith("5.26.")
    assert running.run("healthcheck") == (0, "")
    assert running.health() == "healthy"


def test_the_password_can_be_in_a_file(run: Run, tmp_path: Path) -> None:
    """NEO4J_AUTH_PATH names a file, so that no password stands in the container's environment."""
    secret = tmp_path / "auth"
    secret.write_text(f"neo4j/{PASSWORD}\n", "utf-8")
    secret.chmod(0o644)
    tmp_path.chmod(0o755)
    mounted = {str(secret): {"bind": "/run/secrets/auth", "mode": "ro"}}
    running = run({"NEO4J_AUTH_PATH": "/run/secrets/auth"}, volumes=mounted)
    assert running.wait().startswith("5.26.")
    assert running.run("healthcheck") == (0, "")


@pytest.mark.parametrize(
    ("environment", "auth"),
    [({}, ("neo4j", "neo4j")), ({"NEO4J_AUTH": f"neo4j/{PASSWORD}/true"}, AUTH)],
    ids=["no-auth-given", "asked-for"],
)
def test_a_password_that_must_be_changed(
    run: Run, environment: dict[str, str], auth: tuple[str, str]
) -> None:
    """Neo4j's own first password, and one that says so, run no query until they are changed."""
    running = run(environment)
    assert running.health() == "healthy"
    with running.driver(auth) as driver, pytest.raises(ClientError) as caught:
        driver.execute_query("RETURN 1")
    assert caught.value.code == "Neo.ClientError.Security.CredentialsExpired"


@pytest.mark.parametrize(
    ("environment", "code", "said"),
    [
        ({"NEO4J_AUTH": "neo4j/neo4j"}, 1, "cannot be 'neo4j'"),
        ({"NEO4J_AUTH": "bob/whatever-word"}, 1, "has to be neo4j/PASSWORD"),
        ({"NEO4J_AUTH": "neo4j/short"}, 70, "at least 8 characters"),
        ({"NEO4J_AUTH_PATH": "/nowhere"}, 1, "/nowhere cannot be read"),
        (GIVEN | {"NEO4J_db_format": "a\nb"}, 1, "NEO4J_db_format has more than one line"),
        (GIVEN | {"NEO4J_no_such_setting": "1"}, 70, "no.such.setting"),
    ],
    ids=["default", "other-user", "short", "no-file", "two-lines", "unknown-setting"],
)
def test_what_cannot_be_is_refused_with_a_reason(
    run: Run, environment: dict[str, str], code: int, said: str
) -> None:
    """A bad password or setting ends the container with a code and a sentence; no secret in it."""
    container = run(environment).container
    assert container.wait(timeout=120)["StatusCode"] == code
    log = container.logs().decode()
    assert said in log
    assert "whatever-word" not in log


def test_a_folder_that_cannot_be_written_is_named(run: Run) -> None:
    """A user without rights on /data is told what to do, at once."""
    container = run(GIVEN, user="1234").container
    assert container.wait(timeout=60)["StatusCode"] == 1
    assert "/data cannot be written by user 1234" in container.logs().decode()


def create_node(running: Running) -> None:
    """Adds one node."""
    with running.driver() as driver:
        driver.execute_query("CREATE (:Kept)")


def count_nodes(running: Running) -> int:
    """How many nodes there are, once it answers."""
    running.wait()
    with running.driver() as driver:
        return int(driver.execute_query("MATCH (n:Kept) RETURN count(n) AS n").records[0]["n"])


def test_data_outlives_stop_kill_and_the_container(volume: str, run: Run) -> None:
    """A clean stop has exit code 0; what was written is there after it, a kill and a removal."""
    mounted = {volume: {"bind": "/data", "mode": "rw"}}
    running = run(GIVEN, volumes=mounted)
    assert count_nodes(running) == 0
    create_node(running)

    running.container.stop(timeout=60)
    assert running.container.wait()["StatusCode"] == 0
    running.container.start()
    assert count_nodes(running) == 1
    create_node(running)

    running.container.kill()
    assert running.container.wait()["StatusCode"] == 137
    running.container.start()
    assert count_nodes(running) == 2

    running.container.stop(timeout=60)
    # The password of the volume stays; the one given now is only a first password.
    renewed = run({"NEO4J_AUTH": "neo4j/some-other-word"}, volumes=mounted)
    assert count_nodes(renewed) == 2


def test_testcontainers_own_class_works_with_it(built_image: str) -> None:
    """`Neo4jContainer`, which many projects use, starts it and hands out a driver."""
    container = Neo4jContainer(image=built_image, password=PASSWORD)
    with container.with_env("NEO4J_server_memory_heap_initial__size", "256m") as server:
        with server.get_driver() as driver:
            assert driver.execute_query("RETURN 1 AS n").records[0]["n"] == 1
        assert server.get_connection_url().startswith("bolt://127.0.0.1:")


def test_the_container_handle_does_what_the_process_handle_does(built_image: str) -> None:
    """Freeze, thaw, kill and restart with other settings, on the same address and data."""
    with ContainerServer(built_image, heap="400m", wait_seconds=180) as server:
        assert server.pid > 1
        running = Running(server.container, server.uri)
        with running.driver(server.auth) as driver:
            driver.execute_query("CREATE (:Kept)")
        server.freeze()
        with pytest.raises(TimeoutError):
            ask_version(server.uri, server.auth, seconds=1)
        server.thaw()
        assert ask_version(server.uri, server.auth, seconds=30) == server.version
        server.kill()
        server.start()
        assert server.stop() == 0
        server.restart({"db.transaction.timeout": "77s"})
        with running.driver(server.auth) as driver:
            asked = "SHOW SETTINGS 'db.transaction.timeout' YIELD value"
            assert driver.execute_query(asked).records[0]["value"] == "1m17s"
            assert driver.execute_query("MATCH (n:Kept) RETURN n").records != []


def compose_command() -> list[str]:
    """Compose, as a part of the docker command or as a program of its own."""
    docker = shutil.which("docker")
    if docker is not None:
        asked = subprocess.run([docker, "compose", "version"], capture_output=True, check=False)
        if asked.returncode == 0:
            return [docker, "compose"]
    program = shutil.which("docker-compose")
    return [program] if program is not None else []


def test_the_compose_file_starts_the_image_named(
    docker_engine: DockerClient, built_image: str, root_dir: Path
) -> None:
    """NEO4J_IMAGE is taken, the health check passes, and ports are published on loopback alone."""
    command = compose_command()
    if not command:
        pytest.skip("needs docker compose or docker-compose")
    project = f"citehop-test-{secrets.token_hex(4)}"
    bolt = free_port()
    environment = os.environ | {
        "NEO4J_IMAGE": built_image,
        "NEO4J_PASSWORD": PASSWORD,
        "NEO4J_HEAP": "400m",
        "NEO4J_PAGECACHE": "64m",
        "NEO4J_BOLT_PORT": str(bolt),
        "NEO4J_HTTP_PORT": str(free_port()),
    }
    compose = [*command, "-p", project, "-f", str(root_dir / "docker" / "compose.yaml")]
    try:
        subprocess.run([*compose, "up", "-d"], env=environment, capture_output=True, check=True)
        label = f"com.docker.compose.project={project}"
        (container,) = docker_engine.containers.list(filters={"label": label})
        running = Running(container, f"bolt://127.0.0.1:{bolt}")
        assert running.wait().startswith("5.26.")
        assert running.health() == "healthy"
        published = container.attrs["NetworkSettings"]["Ports"].values()
        assert {binding["HostIp"] for bindings in published for binding in bindings} == {
            "127.0.0.1"
        }
    finally:
        down = [*compose, "down", "-v", "--timeout", "60"]
        subprocess.run(down, env=environment, capture_output=True, check=True)
