"""What a run's programs are started with."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import override_settings

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, LayerSpec, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.isolation.facts import Facts
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.runner import assembly, preflight
from benchsuite.runner.assembly import MOST_PADDING, process_environment
from benchsuite.runner.planning import resolve
from benchsuite.runner.running_system import WORKERS
from benchsuite.servers.launched import Waitress

SPEC = RunSpec(
    server=ServerSpec(server="daphne"),
    workload=WorkloadSpec(workload="layer"),
    layer=LayerSpec(backend="redis", workers=2),
)


def test_workers_run_under_the_python_that_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Sequence[str], Mapping[str, str]]] = []

    @contextmanager
    def running(argv: Sequence[str], *, env: Mapping[str, str], **given: Any) -> Iterator[object]:
        started.append((argv, env))
        yield SimpleNamespace(name=given["name"])

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(assembly, "running", running)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: f"{name} of {self.name}")
    run = tmp_path / "run"
    start = assembly.StartRequest(
        plan=resolve(SPEC).under(Interpreter("/new/bin/python", "new")),
        folder=run,
        token="feed",
        clone=cast(Any, None),
        facts=Facts(database_address=None, static_url="", static_root=""),
    )
    assembled = assembly.Assembly(start)
    assembled.instructions = run / "instructions.json"
    assembled.services["redis"] = "unix:/run/redis"
    assembled._start_workers()
    assert [argv[0] for argv, _ in started] == ["/new/bin/python"] * 2
    for number, (_, env) in enumerate(started, start=1):
        assert env["PYTHONPATH"].startswith(f"{run / WORKERS}-{number}/import:")
        assert env["BENCHSUITE_INSTRUCTIONS"] == str(run / "instructions.json")
    assert [one.version for one in assembled.system.members] == ["channels of new"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["run"], "nothing beside the run's folder"


UVICORN = resolve(RunSpec(server=ServerSpec(server="uvicorn"))).server


def made(seed: int = 1) -> dict[str, str]:
    return process_environment(
        UVICORN, token="feed", instructions=Path("/run/instructions.json"), seed=seed
    )


def test_it_opens_the_target_and_loads_the_isolated_settings() -> None:
    env = made()
    assert env["BENCHSUITE_RUN"] == "feed"
    assert env["BENCHSUITE_INSTRUCTIONS"] == "/run/instructions.json"
    assert env["DJANGO_SETTINGS_MODULE"] == "benchsuite.isolation.settings"


def test_the_users_variables_stand_above_the_servers_own() -> None:
    tornado = resolve(RunSpec(server=ServerSpec(server="tornado", threads=1))).server
    own = "DJANGO_ALLOW_ASYNC_UNSAFE"
    for variables in ({}, {own: "0", "MALLOC_ARENA_MAX": "2"}):
        env = process_environment(
            tornado, token="feed", instructions=None, seed=1, variables=variables
        )
        assert env.items() >= {own: "true", **variables}.items()


def test_each_start_varies_hash_seed_and_size_and_repeats_them_by_seed() -> None:
    assert made(1) == made(1)
    sizes = {len(made(seed)["BENCHSUITE_PADDING"]) for seed in range(20)}
    hashes = {made(seed)["PYTHONHASHSEED"] for seed in range(20)}
    assert len(sizes) > 15
    assert len(hashes) == 20
    assert max(sizes) < MOST_PADDING
    assert all(0 <= int(one) < 2**32 for one in hashes)


class Wants(Waitress):
    services = ("carrier-pigeon",)


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ({"use": "mine"}, "--database=mine is not known; there are: throwaway, keep, postgresq"),
        ({"use": "redis"}, "--database=redis is not known"),
        ({"use": "me:s3cret@host"}, r"--database=me:\*\*\*@host is not known"),
        ({"use": "mariadb", "max_connections": 8}, "MariaDB gives no fewer than 9 connections"),
    ],
)
def test_a_database_that_can_not_be_had_is_refused(database, message):
    spec = RunSpec(server=ServerSpec(server="waitress"), database=DatabaseSpec(**database))
    with pytest.raises(UsageError, match=message):
        preflight.check(resolve(spec))


def test_a_service_that_a_server_wants_must_be_known():
    with (
        override_settings(BENCHSUITE={"SERVERS": {"wants": f"{__name__}.Wants"}}),
        pytest.raises(
            UsageError, match="no service 'carrier-pigeon'; there are: postgresql, mariadb, redis"
        ),
    ):
        resolve(RunSpec(server=ServerSpec(server="wants")))
