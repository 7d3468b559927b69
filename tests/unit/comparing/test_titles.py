"""Cells that differ in anything have titles that say in what."""

import dataclasses
from datetime import UTC, datetime

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.titles import around, cell_titles
from benchsuite.models import Run
from tests.factories import make_spec

SPEC = make_spec(options={"path": "/shop/"}, workload="url")

SAME_CELL = {"label", "repetition", "seed"}

OPEN = {"model": "open", "arrival_rate": 50.0}
ENDING = {**OPEN, "ends_below": 0.5, "ends_within_s": 0.2}
OTHER = {
    ("database", "fill_from"): {"fill_from": "mine"},
    ("load", "model"): OPEN,
    ("load", "arrival_rate"): OPEN,
    ("load", "arrivals"): {**OPEN, "arrivals": "poisson"},
    ("load", "max_in_flight"): {**OPEN, "max_in_flight": 9},
    ("load", "in_turn"): {**OPEN, "in_turn": True},
    ("load", "ends_below"): ENDING,
    ("load", "ends_within_s"): {**ENDING, "ends_within_s": 0.3},
    ("load", "stages"): {"stages": (10.0, 20.0)},
    ("load", "cpus"): {"cpus": (1,)},
    ("server", "cpus"): {"cpus": (1,)},
    ("server", "front"): {"front": "nginx"},
    ("server", "front_options"): {"front": "nginx", "front_options": {"processes": 2}},
    ("load", "iterations"): {"iterations": 7, "warmup_s": 0.0},
    ("server", "instances"): {"front": "nginx", "instances": 2},
    ("server", "application"): {"application": "shop.bare:application"},
    ("server", "python"): {"python": "3.13"},
    ("server", "environment"): {"environment": "new@0123456789abcdef"},
    ("database", "use"): {"use": "postgresql"},
    ("database", "max_connections"): {"use": "postgresql", "max_connections": 30},
    ("database", "fsync"): {"use": "postgresql", "fsync": False},
    ("layer", "backend"): {"backend": "redis"},
    ("layer", "by"): {"backend": "redis", "by": "unix"},
    ("layer", "url"): {"backend": "redis", "url": "redis://elsewhere/"},
    ("target", "settings"): {"settings": {"SHOP.size": 5}},
    ("visitor", "headers"): {"headers": ("Accept-Language: de",)},
    ("visitor", "cookies"): {"cookies": ("lang=de",)},
}
"""Where another value is not simply any other."""

BESIDE = {
    ("load", "arrivals"): OPEN,
    ("load", "max_in_flight"): OPEN,
    ("load", "in_turn"): OPEN,
    ("load", "ends_below"): OPEN,
    ("load", "ends_within_s"): ENDING,
    ("load", "iterations"): {"warmup_s": 0.0},
    ("server", "front_options"): {"front": "nginx"},
    ("server", "instances"): {"front": "nginx"},
    ("database", "max_connections"): {"use": "postgresql"},
    ("database", "fsync"): {"use": "postgresql"},
    ("layer", "by"): {"backend": "redis"},
    ("layer", "url"): {"backend": "redis"},
}
"""What the other cell has of it."""


def fields():
    """Every field of a RunSpec that belongs to the cell."""
    for outer in dataclasses.fields(SPEC):
        part = getattr(SPEC, outer.name)
        if outer.name in SAME_CELL:
            continue
        if not dataclasses.is_dataclass(part):
            yield (outer.name,)
        else:
            yield from ((outer.name, inner.name) for inner in dataclasses.fields(part))


def changed(spec, path, values):
    if len(path) == 1:
        return dataclasses.replace(spec, **values)
    part = dataclasses.replace(getattr(spec, path[0]), **values)
    return dataclasses.replace(spec, **{path[0]: part})


def another(path):
    value = getattr(SPEC, path[0]) if len(path) == 1 else getattr(getattr(SPEC, path[0]), path[1])
    if path in OTHER:
        return OTHER[path]
    if isinstance(value, bool):
        return {path[-1]: not value}
    if isinstance(value, int | float):
        return {path[-1]: value + 1}
    if isinstance(value, str):
        return {path[-1]: "skip"}
    if isinstance(value, tuple):
        return {path[-1]: ("things",)}
    return {path[-1]: {"path": "/cart/"} if value is not None else 7}


def cell(spec):
    load = spec.load
    columns = {"server": spec.server.server, "workload": spec.workload.workload, "key": spec.key}
    columns |= {"users": None if load.is_open else load.users, "arrival_rate": load.arrival_rate}
    return Cell((Run(**columns, spec=spec.to_json(), started_at=datetime(2026, 1, 2, tzinfo=UTC)),))


def test_what_tells_two_cells_apart_by_each_field(golden):
    """Whatever they differ in, their titles differ by it."""
    lines = []
    for path in fields():
        pair = changed(SPEC, path, BESIDE.get(path, {})), changed(SPEC, path, another(path))
        assert pair[0].key != pair[1].key, path
        titles = cell_titles(list(map(cell, pair)))
        assert titles[0] != titles[1], path
        assert not any(title.endswith(("(1)", "(2)")) for title in titles), titles
        lines.append(f"{'.'.join(path)}: {' | '.join(titles)}")
    golden("\n".join(lines))


def run(load=None, **fields):
    """Not stored; its spec may lack what later versions say."""
    spec = {**SPEC.to_json(), **fields.pop("spec", {})}
    given = {"server": "uvicorn", "unit": "request", "model": "closed", "users": 100, **fields}
    return Run(**given, spec={**spec, "load": {**spec["load"], **(load or {})}})


def test_what_stood_around_a_server_is_said_alike_of_plans_and_of_stored_runs():
    for path, values in OTHER.items():
        spec = changed(changed(SPEC, path, BESIDE.get(path, {})), path, values)
        assert around(spec.to_json())["database"] == spec.database.words
    assert set(around({}).values()) == {"", around(SPEC.to_json())["database"]}


def test_values(golden):
    golden.values()
