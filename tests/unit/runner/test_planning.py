"""The order of runs, the estimate, and what is refused before the first start."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import DatabaseSpec, LoadProfile, RunSpec, ServerSpec, WorkloadSpec
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.report.terminal.text import cpus_words
from benchsuite.runner import planning
from benchsuite.servers.base import Available
from benchsuite.servers.uvicorn import Uvicorn


def spec(server: str = "uvicorn", **changes: object) -> RunSpec:
    return RunSpec(server=ServerSpec(server=server), **changes)  # type: ignore[arg-type]


def test_every_block_holds_every_server_once() -> None:
    names = ["uvicorn", "daphne", "hypercorn", "waitress"]
    runs = planning.blocks([spec(name) for name in names], repeat=6, seed=1)
    blocks = [runs[start : start + 4] for start in range(0, 24, 4)]
    assert all(sorted(run.server.server for run in block) == sorted(names) for block in blocks)
    assert [{run.repetition for run in block} for block in blocks] == [{n} for n in range(1, 7)]
    assert len({tuple(run.server.server for run in block) for block in blocks}) > 1


def test_the_order_follows_the_seed() -> None:
    specs = [spec(name) for name in ("uvicorn", "daphne", "hypercorn")]
    assert planning.blocks(specs, 5, seed=7) == planning.blocks(specs, 5, seed=7)
    assert planning.blocks(specs, 5, seed=7) != planning.blocks(specs, 5, seed=8)


def test_each_start_has_a_seed_of_its_own() -> None:
    runs = planning.blocks([spec()], repeat=10, seed=0)
    assert len({run.seed for run in runs}) == 10
    assert len({run.key for run in runs}) == 1


@pytest.mark.parametrize("repeat", [0, -1, 1001])
def test_repeats_are_bounded(repeat: int) -> None:
    with pytest.raises(UsageError, match="--repeat must be between 1 and 1000"):
        planning.blocks([spec()], repeat=repeat, seed=0)


def test_the_estimate_counts_load_starts_and_seeding() -> None:
    load = LoadProfile(users=10, spawn_rate=5, warmup_s=3, duration_s=10)
    plain = planning.estimate_s([spec(load=load)])
    assert plain == planning.SESSION_S + planning.START_S + 2 + 3 + 10
    reads = spec(
        load=load,
        workload=WorkloadSpec(workload="io_read"),
        database=DatabaseSpec(rows=planning.ROWS_PER_S),
    )
    assert planning.estimate_s([reads]) == plain + 1
    assert planning.estimate_s([reads, reads]) == 2 * plain - planning.SESSION_S + 1


def test_unknown_names_are_refused_with_the_valid_ones() -> None:
    with pytest.raises(
        UsageError, match=r"no server 'apache'; did you mean apache-daemon or .* There are: .*uwsgi"
    ):
        planning.check([spec("apache")])
    with pytest.raises(UsageError, match=r"no workload 'sleep'; there are: .*io_read"):
        planning.check([spec(workload=WorkloadSpec(workload="sleep"))])


def test_a_server_that_is_not_installed_is_refused_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = Available(False, "uvicorn is not installed", "pip install uvicorn")
    monkeypatch.setattr(Uvicorn, "available", classmethod(lambda cls, python: missing))
    with pytest.raises(UnavailableError, match="uvicorn is not installed; pip install uvicorn"):
        planning.check([spec()])


@pytest.mark.parametrize(
    ("load", "sentence"),
    [
        (LoadProfile(model="open", arrival_rate=5.0), "so a --rate can't be kept; use --users"),
        (LoadProfile(users=5, stages=(5.0, 2.0)), "so --stages must rise from level to level"),
    ],
)
def test_what_the_users_of_a_locustfile_cant_do_is_refused(
    load: LoadProfile, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "locustfile.py"
    file.write_text("")
    workload = WorkloadSpec(workload="locustfile", options={"path": str(file)})
    with pytest.raises(UsageError, match=sentence):
        planning.check([spec(workload=workload, load=load)])


def test_the_plan_says_when_processes_share_a_cpu() -> None:
    run = RunSpec(
        server=ServerSpec(server="uvicorn", processes=2, cpus=(0,)), load=LoadProfile(cpus=(1, 2))
    )
    assert cpus_words(run) == "server with 2 processes on CPU 0, load on CPUs 1–2"
    assert cpus_words(spec()) == "server and load share all CPUs"


def test_consumers_need_channels_unless_they_are_the_projects_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = Interpreter.installed
    monkeypatch.setattr(
        Interpreter,
        "installed",
        lambda self, name: None if name == "channels" else found(self, name),
    )
    with pytest.raises(
        UnavailableError, match=r"consumers of ws_echo need channels, .*\[channels\]"
    ):
        planning.check([spec(workload=WorkloadSpec(workload="ws_echo"))])
    own = WorkloadSpec(workload="ws_echo", options={"path": "/ws/chat/"})
    planning.check([spec(workload=own)])
