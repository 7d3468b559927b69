"""Runs with something around the server: fronts, a database, a Redis, added latency."""

import json
import sqlite3
from typing import Any

import pytest

from tests.integration.command import SHORT, Command, measured
from tests.needs import needs


def parts(one: dict[str, Any]) -> list[str]:
    return [program["part"] for program in one["programs"]]


def watched(command: Command) -> set[str]:
    """The parts of which telemetry has CPU or memory."""
    with sqlite3.connect(command.folder / "results.sqlite3") as connection:
        found = connection.execute(
            "SELECT DISTINCT part FROM benchsuite_reading WHERE memory_bytes > 0"
        ).fetchall()
    connection.close()
    return {part for (part,) in found}


@needs("nginx", "haproxy")
@pytest.mark.parametrize("front", ["nginx", "haproxy"])
def test_instances_behind_a_front(command: Command, front: str) -> None:
    one = measured(command, "--server=gunicorn-sync", f"--front={front}", "--instances=2")
    assert one["failures"] == 0
    assert one["requests"] > 10
    assert parts(one) == ["target", "target", "front"]
    assert one["programs"][2]["version"]
    ports = {
        program["argv"][program["argv"].index("--bind") + 1] for program in one["programs"][:2]
    }
    assert len(ports) == 2, "each instance has an address of its own"
    assert {"target", "front", "load"} <= watched(command)


@pytest.mark.alone
@pytest.mark.parametrize(
    "database",
    [
        pytest.param("postgresql", marks=needs("postgresql", "psycopg")),
        pytest.param("mariadb", marks=needs("mariadb", "mysqlclient")),
    ],
)
def test_a_database_of_the_run_s_own_with_a_delay_before_it(
    command: Command, database: str
) -> None:
    """A sync view on a fresh connection makes several round trips, each late by 20 ms."""
    one = measured(
        command,
        "--server=gunicorn-sync",
        f"--database={database}",
        "--max-connections=20",
        "--workload=io_read",
        "--rows=100",
        "--conn-max-age=0",
        "--delay-to-database=20ms",
    )
    assert one["failures"] == 0
    assert one["response_time"]["mean_s"] > 0.06, "two queries and the connection before them"
    assert set(parts(one)) == {"database", "target", "delay"}
    (proxy,) = one["delay"]["proxies"].values()
    assert proxy["delay_s"] == 0.02
    assert 0 <= proxy["accuracy"]["median_error_s"] < 0.01
    assert "reached through 127.0.0.1:" in one["settings_changed"]["DATABASES"]
    assert {"database", "delay"} <= watched(command)


@needs("postgresql", "psycopg", "granian")
def test_each_change_of_a_locked_row_is_stored(command: Command) -> None:
    one = measured(
        command,
        "--server=granian-asgi",
        "--workload=io_lock_async",
        "--workload-option=among=1",
        "--database=postgresql",
        "--rows=20",
    )
    assert (one["requests"] > 5, one["failures"]) == (True, 0)
    assert not [one for one in one["findings"] if one["code"].startswith(("B208", "B214"))]


def test_a_delay_to_clients_is_in_every_response_time(command: Command) -> None:
    one = measured(
        command,
        "--server=gunicorn-sync",
        "--users=5",
        "--duration=1",
        "--delay-to-clients=100ms",
    )
    assert one["failures"] == 0
    assert one["response_time"]["p50_s"] >= 0.1
    assert parts(one) == ["target", "delay"]


@needs("redis", "daphne")
def test_a_redis_of_the_run_s_own(command: Command) -> None:
    one = measured(command, "--server=daphne", "--layer=redis", "--layer-by=unix")
    assert set(parts(one)) == {"redis", "target"}
    assert "redis" in watched(command)


def test_a_file_can_not_be_reached_late(command: Command) -> None:
    words = ("--workload=io_read", "--rows=20", "--delay-to-database=20ms")
    ended = command.run("runbench", *SHORT, "--json=-", *words)
    (one,) = json.loads(ended.out)
    assert one["status"] == "failed"
    assert "add --database=postgresql" in one["failure"]
