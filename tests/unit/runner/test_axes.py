"""The product of axes: pure, in order, each cell once."""

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec, ServerSpec
from benchsuite.core.specs.spec import changed
from benchsuite.runner.axes import Axis, axis, product

BASE = RunSpec(server=ServerSpec(server="uvicorn"), load=LoadProfile(users=5))


def test_a_spec_is_changed_in_its_parts_at_once() -> None:
    spec = changed(BASE, {"server.front": "nginx", "server.instances": 3, "label": "x"})
    assert spec.server == ServerSpec(server="uvicorn", front="nginx", instances=3)
    assert (spec.label, spec.load) == ("x", BASE.load)
    assert BASE.server.instances == 1


def test_a_part_may_be_changed_whole_and_then_in_itself() -> None:
    spec = changed(BASE, {"load.users": 7, "load": LoadProfile(users=3, warmup_s=9.0)})
    assert spec.load == LoadProfile(users=7, warmup_s=9.0)


def test_the_first_axis_is_outermost() -> None:
    cells = product(
        BASE,
        [
            axis("server", "server.server", ["uvicorn", "daphne"]),
            axis("processes", "server.processes", [1, 2]),
            axis("threads", "server.threads", None),
        ],
    )
    seen = [(cell.server.server, cell.server.processes) for cell in cells]
    assert seen == [("uvicorn", 1), ("uvicorn", 2), ("daphne", 1), ("daphne", 2)]
    assert {cell.server.threads for cell in cells} == {None}


def test_no_axis_leaves_the_base() -> None:
    assert product(BASE, []) == (BASE,)


def test_the_same_cell_is_made_once() -> None:
    assert len(product(BASE, [axis("users", "load.users", [5, 6, 5])])) == 2
    fronts = Axis("front", ({}, {"server.front": ""}, {"server.front": "nginx"}))
    assert [cell.server.front for cell in product(BASE, [fronts])] == ["", "nginx"]


def test_a_combination_that_cannot_be_is_named() -> None:
    instances = axis("instances", "server.instances", [1, 2])
    servers = axis("server", "server.server", ["uvicorn", "daphne"])
    with pytest.raises(UsageError, match=r"^server uvicorn, instances 2: --instances=2 needs some"):
        product(BASE, [servers, instances])
    with pytest.raises(UsageError, match=r"^--instances=2 needs some"):
        product(BASE, [axis("instances", "server.instances", [2])])
