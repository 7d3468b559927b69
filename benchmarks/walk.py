"""The walk of one option: what its value passes between the command line and the load's job.

python -m benchmarks.walk [COMMAND --OPTION=…]

A *stay* is a function of benchsuite that is handed the value and hands it on: it is at work when
the load is told its job, or returns it to a stay. A *climb* is a stay in a higher layer than the
one before.
"""

import argparse
import os
import random
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import django
from django.core.management import load_command_class

from benchmarks.house import CHECKOUT, ROOT
from benchsuite.load.job import Job

AROUND = ("--server=uvicorn", "--duration=1s", "--warmup=0")
DEEPEST = 6  #: Levels of what is looked into.

Stay = tuple[str, str]  #: A file, and a function in it.


class Walk:
    """Whatever is handed the value, in the order in which it first was."""

    def __init__(self, option: str) -> None:
        self.text = option.partition("=")[2]
        self.word = option
        self.handed: dict[Stay, set[Stay]] = {}  #: And to which functions each returned it.
        self.at_work: set[Stay] = set()  #: When the load was told its job.

    def holds(self, value: Any, depth: int = DEEPEST) -> bool:
        if isinstance(value, str | int | float):
            return value == self.word or str(value) == self.text
        if not depth or isinstance(value, type):
            return False
        parts: Sequence[Any] = ()
        if isinstance(value, argparse.Namespace):
            parts = [vars(value)]
        elif isinstance(value, Mapping):
            parts = list(value.values())
        elif isinstance(value, list | tuple):
            parts = value
        elif is_dataclass(value):
            parts = [getattr(value, field.name, None) for field in fields(value)]
        return any(self.holds(part, depth - 1) for part in parts)

    def look(self, frame: FrameType, event: str, returned: object) -> None:
        if self.at_work or event not in ("call", "return") or not (stay := _stay(frame)):
            return
        if event == "return":
            if stay in self.handed and self.holds(returned):
                self.handed[stay].update(list(_above(frame.f_back))[:1])
            return
        code = frame.f_code
        count = code.co_argcount + code.co_kwonlyargcount + 2  # *args and **options too
        handed = [frame.f_locals.get(name) for name in code.co_varnames[:count]]
        if any(map(self.holds, handed)):
            self.handed.setdefault(stay, set())
            if stay[0].startswith("load/parent") and any(isinstance(one, Job) for one in handed):
                self.at_work.update(_above(frame))

    @property
    def stays(self) -> list[Stay]:
        stays, before = set(self.at_work), 0
        while len(stays) > before:
            before = len(stays)
            stays |= {stay for stay, callers in self.handed.items() if callers & stays}
        return [stay for stay in self.handed if stay in stays]


def _stay(frame: FrameType) -> Stay | None:
    path, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
    if not path.is_relative_to(ROOT) or name.endswith(">"):
        return None
    return str(path.relative_to(ROOT)), name


def _above(frame: FrameType | None) -> Iterator[Stay]:
    while frame is not None:
        if stay := _stay(frame):
            yield stay
        frame = frame.f_back


def _floors() -> Mapping[str, int]:
    """The layer of each room, the highest first."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(one for one in settings["contracts"] if one["id"] == "layers")["layers"]
    return {name.strip(): at for at, names in enumerate(layers) for name in names.split("|")}


def main(words: Sequence[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    command, walk = load_command_class("benchsuite", words[0]), Walk(words[1])
    sys.setprofile(walk.look)
    try:
        command.run_from_argv(["manage.py", *words])
    finally:
        sys.setprofile(None)
    floors, before, climbs = _floors(), 0, 0
    for path, function in walk.stays:
        floor = floors[path.partition("/")[0].removesuffix(".py")]
        climbs += floor < before
        print(f"{'↑' if floor < before else ' '} {path:<36} {function}")
        before = floor
    print(f"{len(walk.stays)} stays, {climbs} climbs")


if __name__ == "__main__":
    # a value that no stored run has
    main(sys.argv[1:] or ["runbench", f"--users={random.randrange(200, 300)}", *AROUND])
