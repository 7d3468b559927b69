"""The cells of a study: which there are, with which options, at which scale, and as commands."""

from dataclasses import replace

from benchsuite.studies import matrix
from benchsuite.studies.study import Cell, Options, Share
from tests.unit.studies.samples import changed, study

CELL = Cell(
    coordinates={"setup": "pool", "delay": "0"},
    options={
        "users": 20,
        "fill": ("loaddemo --count 3", "warm"),
        "spawn-rate": 100.0,
        "workload": "plain",
        "option": {"timeout_s": 30, "reuse": True},
        "keep-alive": False,
        "no-fsync": True,
        "rate": Share(0.21, "plateau", {"setup": "sync"}),
        "server": ("uvicorn",),
    },
)


def at(**coordinates: str) -> Cell:
    (cell,) = [one for one in matrix.cells(study()) if one.coordinates == coordinates]
    return cell


def delays(scale: float, *only: str) -> list[str]:
    wanted = {"delay": only} if only else {}
    cells = matrix.cells(replace(study(), claims=()), scale, wanted)
    return sorted({cell.coordinates["delay"] for cell in cells})


def scaled(scale: float, *changes: tuple[str, str]) -> Options:
    only = {"setup": ("async",), "route": ("read",), "delay": ("0",)}
    (cell,) = matrix.cells(study(changed(*changes)), scale, only)
    names = ("warmup", "duration", "messages", "spawn-rate", "users")
    return {name: cell.options[name] for name in names}


def test_values(golden):
    golden.values()
