"""A cell as a command line."""

import shlex

from benchsuite.studies.options import arguments, in_cell, shares
from benchsuite.studies.study import Cell, Share

RATE = Share(0.21, "plateau", {"setup": "sync"})
CELL = Cell(
    coordinates={"setup": "pool", "delay": "0"},
    kinds=(),
    options={
        "users": 20,
        "fill": ("loaddemo --count 3", "warm"),
        "spawn-rate": 100.0,
        "workload": "plain",
        "option": {"timeout_s": 30, "reuse": True},
        "keep-alive": False,
        "no-fsync": True,
        "rate": RATE,
        "server": ("uvicorn",),
    },
)


def test_each_option_is_one_argument_in_a_fixed_order() -> None:
    found = arguments(CELL, {"rate": 61.25})
    assert found == [
        "--server=uvicorn",
        "--workload=plain",
        "--fill=loaddemo --count 3",
        "--fill=warm",
        "--no-keep-alive",
        "--no-fsync",
        "--option=reuse=true",
        "--option=timeout_s=30",
        "--rate=61.25",
        "--spawn-rate=100",
        "--users=20",
    ]
    assert shlex.split(shlex.join(found)) == found


def test_what_is_not_known_yet_is_a_formula() -> None:
    assert "--rate=0.21*plateau(setup=sync)" in arguments(CELL)


def test_what_must_be_measured_first_is_the_cell_but_for_what_is_named() -> None:
    (share,) = shares(CELL.options).values()
    whole = Share(0.21, "plateau", {"setup": "sync", "delay": "0"})
    assert in_cell(share, CELL.coordinates) == whole
