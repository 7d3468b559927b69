"""The cells of a study: which there are, and with which options."""

from dataclasses import replace

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.studies import matrix
from benchsuite.studies.study import Cell, Coordinates, Kind
from tests.unit.studies.samples import changed, study


def at(found: tuple[Cell, ...], **coordinates: str) -> Cell:
    (cell,) = [one for one in found if one.coordinates == coordinates]
    return cell


def test_the_product_of_the_axes_without_what_is_excluded() -> None:
    found = [cell.coordinates for cell in matrix.cells(study())]
    assert len(found) == 3 * 2 * 3 - 3
    assert found[:2] == [
        {"setup": "sync", "route": "cpu", "delay": "0"},
        {"setup": "sync", "route": "cpu", "delay": "100"},
    ]
    assert not any(one["setup"] == "pool" and one["route"] == "cpu" for one in found)


def test_options_come_from_every_then_the_axes_then_the_sets_and_the_last_wins() -> None:
    found = matrix.cells(study())
    assert at(found, setup="pool", route="read", delay="100").options == {
        "server": ("uvicorn",),
        "option": {"loop": "uvloop"},
        "workload": "io_read",
        "messages": 400,
        "delay-to-database": "100ms",
        "users": 50,
        "spawn-rate": 5,
        "warmup": "10s",
        "duration": "70s",
        "keep-alive": False,
    }
    cpu = at(found, setup="async", route="cpu", delay="200").options
    assert "delay-to-database" not in cpu
    assert (cpu["users"], cpu["max-connections"]) == (500, 100)
    sync = at(found, setup="sync", route="read", delay="200").options
    assert sync["option"] == {"timeout_s": 30}


def test_a_cell_is_of_the_kinds_of_its_arms() -> None:
    found = matrix.cells(study())
    assert at(found, setup="sync", route="cpu", delay="0").kinds == (Kind.TODAY,)
    assert at(found, setup="async", route="cpu", delay="0").kinds == ()


def test_a_scale_thins_levels_and_what_is_asked_for_is_kept() -> None:
    def delays(scale: float, *only: str) -> set[str]:
        wanted = {"delay": only} if only else {}
        cells = matrix.cells(replace(study(), claims=()), scale, wanted)
        return {cell.coordinates["delay"] for cell in cells}

    assert delays(1) == {"0", "100", "200"}
    assert delays(0.5) == {"0", "200"}
    assert delays(0.05) == {"200"}
    assert delays(0.05, "100") == {"100"}


def test_only_selects_and_combines() -> None:
    found = matrix.cells(study(), 1, {"setup": ("sync", "pool"), "route": ("read",)})
    assert [cell.coordinates["setup"] for cell in found] == ["sync"] * 3 + ["pool"] * 3
    with pytest.raises(
        UsageError, match="No configuration of shop is setup=pool and route=cpu at scale 1"
    ):
        matrix.cells(study(), 1, {"setup": ("pool",), "route": ("cpu",)})


def test_a_cell_brings_those_that_it_needs() -> None:
    share = 'rate = { share = 0.2, figure = "plateau", cell = { setup = "sync", delay = "0" } }'
    found = study(changed(("users = 50\n", f"{share}\n")))

    def where(scale: float) -> list[Coordinates]:
        return [cell.coordinates for cell in matrix.cells(found, scale, {"setup": ("pool",)})]

    assert where(0.05) == [
        {"setup": "sync", "route": "read", "delay": "0"},
        {"setup": "pool", "route": "read", "delay": "200"},
    ]
