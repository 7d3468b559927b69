"""Specs check themselves and survive being stored."""

import dataclasses
import json
from pathlib import Path

import pytest

from benchsuite.core.specs import (
    DatabaseSpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    VisitorSpec,
    WorkloadSpec,
)
from benchsuite.core.specs.spec import Spec

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
def test_a_run_is_the_same_after_being_stored_as_json(spec):
    assert RunSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_no_default_has_changed_without_its_first_one_being_kept():
    """A default that is new goes into the file; one that was changed stays as it is there, and
    is named in `first_defaults` of its spec.
    """
    recorded = json.loads((Path(__file__).parent / "first_defaults.json").read_text())
    first = RunSpec(server=ServerSpec(server=""))._plain().to_json()
    assert json.loads(json.dumps(first)) == recorded


SERVER = ServerSpec(server="uwsgi")


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


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Wider(RunSpec):
    """A run with a part and a field more."""

    pace: PaceSpec = dataclasses.field(default_factory=PaceSpec)
    colour: str = "none"


def plan(**load):
    """Begin and end of the window, and the longest that it may take."""
    profile = LoadProfile(**load)
    return profile.window_start_s, profile.window_end_s, profile.longest_s


def limit(rate, **more):
    return LoadProfile(model="open", arrival_rate=rate, **more).in_flight_limit


def test_values(golden):
    golden.values(raises=dataclasses.FrozenInstanceError)


ENTRY = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}


def test_no_setting_names_a_database(golden):
    golden.values()
