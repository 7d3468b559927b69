"""Specs check themselves and survive being stored."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import (
    DatabaseSpec,
    DelaySpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    VisitorSpec,
    WorkloadSpec,
)
from benchsuite.core.specs.spec import Spec
from tests.golden import Golden

FULL = RunSpec(
    workload=WorkloadSpec(workload="cpu", options={"size": 1000}),
    server=ServerSpec(server="uwsgi", processes=2, threads=4, options={"http11-socket": True}),
    load=LoadProfile(users=100, spawn_rate=20.0, think_time_s=0.5, drain_s=5.0, keep_alive=False),
    database=DatabaseSpec(
        use="postgres://me@host/name", rows=10, fixtures=("shop", "prices"), fill=("restock --all",)
    ),
    visitor=VisitorSpec(login="eve", host="shop.example:8000", headers=("Accept-Language: de",)),
    label="before the change",
    repetition=3,
    seed=42,
)


OPEN = RunSpec(
    server=ServerSpec(server="uvicorn"),
    load=LoadProfile(
        model="open",
        arrival_rate=200.0,
        arrivals="poisson",
        max_in_flight=50,
        stages=(100.0, 200.0),
        processes=2,
        cpus=(1,),
    ),
)


@pytest.mark.parametrize("spec", [FULL, OPEN, RunSpec(server=ServerSpec(server="uvicorn"))])
def test_a_run_is_the_same_after_being_stored_as_json(spec: RunSpec) -> None:
    assert RunSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_a_spec_does_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        FULL.server.processes = 8  # type: ignore[misc]


class TestKey:
    def test_is_the_same_for_repetitions(self) -> None:
        again = dataclasses.replace(FULL, repetition=4, seed=1, label="after")
        assert again.key == FULL.key

    def test_does_not_depend_on_the_order_of_options(self) -> None:
        one, other = (
            RunSpec(server=ServerSpec(server="uwsgi", options=dict(options)))
            for options in ([("a", 1), ("b", 2)], [("b", 2), ("a", 1)])
        )
        assert one.key == other.key

    def test_is_the_same_for_equal_specs_and_after_being_stored(self) -> None:
        whole = dataclasses.replace(FULL, load=LoadProfile(duration_s=10))
        fraction = dataclasses.replace(FULL, load=LoadProfile(duration_s=10.0))
        assert whole == fraction
        assert whole.key == fraction.key
        assert RunSpec.from_json(json.loads(json.dumps(FULL.to_json()))).key == FULL.key

    @pytest.mark.parametrize(
        "changes",
        [
            {"server": ServerSpec(server="uwsgi", processes=4)},
            {"workload": WorkloadSpec(workload="plain")},
            {"load": LoadProfile(users=101)},
            {"database": DatabaseSpec(rows=11)},
        ],
    )
    def test_differs_for_anything_else(self, changes: dict[str, Any]) -> None:
        assert dataclasses.replace(FULL, **changes).key != FULL.key

    def test_differs_for_another_server_of_the_same_options(self) -> None:
        one, other = (RunSpec(server=ServerSpec(server=name)) for name in ("uwsgi", "uvicorn"))
        assert one.key != other.key

    def test_does_not_depend_on_how_numbers_in_a_list_are_written(self) -> None:
        one, other = (RunSpec(server=SERVER, load=LoadProfile(stages=levels)) for levels in STAGES)
        assert one.key == other.key

    def test_a_new_field_splits_cells_only_by_another_value(self) -> None:
        bare = RunSpec(server=SERVER)
        old, new = (RunSpec(server=Coloured(server="uwsgi", **more)) for more in ({}, RED))
        assert old.key == bare.key != new.key

    def test_a_new_part_and_a_new_field_of_the_run_do_the_same(self) -> None:
        bare, fields = RunSpec(server=SERVER), {"server": SERVER, "workload": FULL.workload}
        assert Wider(server=SERVER).key == bare.key
        assert Wider(**fields).key == RunSpec(**fields).key
        assert len({Wider(server=SERVER, **more).key for more in ({}, {"pace": SLOW}, RED)}) == 3

    def test_a_changed_default_neither_splits_cells_nor_joins_them(self) -> None:
        """Runs of before have the default of before, those of today another one."""
        was, is_now = (RunSpec(server=Coloured(server="uwsgi", colour=one)) for one in CHANGED)
        before, today = (RunSpec(server=Recoloured(server="uwsgi", colour=one)) for one in CHANGED)
        assert [before.key, today.key] == [was.key, is_now.key]
        assert RunSpec(server=Recoloured(server="uwsgi")).key == today.key
        assert Recoloured.from_json({"server": "uwsgi"}) == before.server

    def test_a_field_that_is_gone_is_left_out_of_what_was_stored(self) -> None:
        assert DelaySpec.from_json({"to_clients_s": 1.0, "by": "proxy"}) == DelaySpec(
            to_clients_s=1.0
        )
        with pytest.raises(UsageError, match="there are unknown fields"):
            DelaySpec.from_json({"bye": "proxy"})

    def test_no_default_has_changed_without_its_first_one_being_kept(self) -> None:
        """A default that is new goes into the file; one that was changed stays as it is there, and
        is named in `first_defaults` of its spec.
        """
        recorded = json.loads((Path(__file__).parent / "first_defaults.json").read_text())
        first = RunSpec(server=ServerSpec(server=""))._plain().to_json()
        assert json.loads(json.dumps(first)) == recorded


SERVER = ServerSpec(server="uwsgi")
STAGES: tuple[Any, ...] = ((10.0, 30.0), (10, 30))
RED: dict[str, Any] = {"colour": "red"}
CHANGED = ("none", "blue")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Coloured(ServerSpec):
    """A spec with a field more than what was stored."""

    colour: str = "none"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Recoloured(ServerSpec):
    """The same after somebody changed the default."""

    first_defaults = {"colour": "none"}
    colour: str = "blue"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PaceSpec(Spec):
    beat_s: float = 1.0


SLOW = PaceSpec(beat_s=2.0)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wider(RunSpec):
    """A run with a part and a field more."""

    pace: PaceSpec = dataclasses.field(default_factory=PaceSpec)
    colour: str = "none"


class TestTimes:
    def test_all_users_at_once_need_no_ramp(self) -> None:
        load = LoadProfile(users=100, warmup_s=3, duration_s=10, timeout_s=30)
        assert (load.window_start_s, load.window_end_s) == (3, 13)
        assert load.longest_s == 43

    def test_the_warm_up_begins_when_the_last_user_has_been_started(self) -> None:
        load = LoadProfile(users=100, spawn_rate=20, warmup_s=3, duration_s=10, drain_s=2)
        assert (load.window_start_s, load.window_end_s) == (8, 18)
        assert load.longest_s == 20

    def test_stages_follow_each_other_each_with_its_ramp_and_warm_up(self) -> None:
        load = LoadProfile(users=30, stages=(10, 30, 20), spawn_rate=10, warmup_s=3, duration_s=10)
        first, second, third = load.plan
        assert (first.level, first.start_s, first.window_start_s) == (10, 0, 4 - 1 + 0)
        assert (second.start_s, second.window_start_s) == (first.window_end_s, 13 + 2 + 3)
        assert (third.start_s, third.window_start_s) == (28, 31), "who goes needs no ramp"
        assert load.window_end_s == 41

    def test_what_may_be_in_flight_is_what_arrives_within_a_time_out(self) -> None:
        def limit(rate: float, **more: float) -> int:
            return LoadProfile(model="open", arrival_rate=rate, **more).in_flight_limit  # type: ignore[arg-type]

        assert limit(0.01, timeout_s=1.0) == 1
        assert limit(2.5) == 75
        assert limit(500) == 1000
        assert limit(500, max_in_flight=7) == 7

    def test_a_load_has_words(self) -> None:
        assert LoadProfile(users=1).words == "1 user"
        assert LoadProfile(users=100, stages=(50, 100)).words == "50, 100 users"
        once = LoadProfile(users=35, iterations=1, warmup_s=0)
        assert once.words_of("connection") == "35 connections × 1 journey"
        rates = LoadProfile(model="open", arrival_rate=2000, arrivals="poisson")
        assert rates.words == "2\u2009000 /s (poisson)"


def test_values(golden: Golden) -> None:
    golden.values(raises=dataclasses.FrozenInstanceError)
