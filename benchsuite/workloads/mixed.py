"""Users of several kinds at once, in stated shares."""

import shlex
from collections import ChainMap
from collections.abc import Sequence
from dataclasses import replace
from math import gcd
from pkgutil import resolve_name
from typing import Any

from benchsuite.core.exceptions import UsageError, choices
from benchsuite.core.samples import MESSAGE, REQUEST
from benchsuite.core.specs import LoadProfile, Option
from benchsuite.workloads import BUILTIN
from benchsuite.workloads.base import Population, Workload

EXAMPLE = "'80 plain + 20 ws_echo size=64'"
MOST_SHARES = 1000


class Mixed(Workload):
    """Each user does the work of one part for the whole load; users are assigned in the order of
    their numbers, so that any number of them is as close to the shares as possible.
    """

    name = "mixed"
    summary = "HTTP and WebSocket users at once, in stated shares, with the figures of each"
    options = {"shares": ""}
    needs_websocket = True
    alike = False

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        parts = [_part(words.strip()) for words in self.settings["shares"].split(" + ")]
        self._parts = works = [work for _, work in parts]
        if len(works) < 2 or len({work.name for work in works}) < len(works):
            raise UsageError(
                "mixed needs two or more different workloads in its option shares; write "
                f"shares={EXAMPLE}."
            )
        if calibrating := [work.name for work in works if work.calibrates]:
            raise UsageError(
                f"{calibrating[0]} can't be calibrated as a part of mixed; give its size in place "
                "of seconds."
            )
        self._turns = _turns([share for share, _ in parts])
        for fact in ("needs_target_app", "needs_websocket", "needs_layer", "uses_database"):
            setattr(self, fact, any(getattr(work, fact) for work in works))
        self.services = dict(ChainMap(*(dict(work.services) for work in works)))
        self.libraries = dict(ChainMap(*(dict(work.libraries) for work in works)))
        ready = (work for work in works if work.needs_target_app >= self.needs_target_app)
        self.ready_path = next(ready).ready_path
        self.rehearsals = max(work.rehearsals for work in works)
        self._gather_unchecked()

    def fit(self, load: LoadProfile) -> LoadProfile:
        if load.is_open or load.stages:
            raise UsageError(
                "Shares are of a number of users; give it with --users, and remove --rate and "
                "--stages."
            )
        for work, population in zip(self._parts, self.populations(load), strict=True):
            if not population.users:
                raise UsageError(
                    f"Of {load.users} users none is left for {work.name}; give more --users, and "
                    "leave --diagnose and --flame out: they have one user."
                )
            work.visitor = self.visitor
            count = len(population.users)  # load processes share the users of all parts
            work.fit(replace(load, users=count, processes=1, hosts=min(load.hosts, 2, count)))
        return load

    def populations(self, load: LoadProfile) -> Sequence[Population]:
        users: list[list[int]] = [[] for _ in self._parts]
        for user in range(load.users):
            users[self._turns[user % len(self._turns)]].append(user)
        return [
            Population(work.name, work.unit, tuple(numbers))
            for work, numbers in zip(self._parts, users, strict=True)
        ]

    def journey(self, client: Any) -> None:
        if client.rehearsal:
            for work in self._parts:
                work.journey(client)
            return
        work = self._parts[self._turns[client.user % len(self._turns)]]
        client.journey_name = work.name
        work.journey(client)

    def rehearsed(self) -> None:
        for work in self._parts:
            work.rehearsed()
        self._gather_unchecked()

    def _gather_unchecked(self) -> None:
        sentences = dict.fromkeys(work.unchecked for work in self._parts if work.unchecked)
        self.unchecked = " ".join(sentences)


def _part(parts: str) -> tuple[int, Workload]:
    """80 and the workload url from "80 url path=/shop/"."""
    try:
        share, name, *options = shlex.split(parts)
    except ValueError:
        share, name, options = "", "", []
    if not (share.isascii() and share.isdigit() and 0 < int(share) <= MOST_SHARES):
        raise UsageError(
            f"A part of mixed must be a whole number up to {MOST_SHARES}, a workload and its "
            f"options, as in shares={EXAMPLE}, and is {parts!r}."
        )
    fit: dict[str, type[Workload]] = {}
    for known, path in BUILTIN.items():
        work = resolve_name(path)
        # It only needs users: no rows, no workers, no groups of users.
        apart = work.whole_journeys or work.needs_workers or work.uses_rows or not work.alike
        if work.unit in (REQUEST, MESSAGE) and not apart and known != "locustfile":
            fit[known] = work
    if name not in fit:
        raise UsageError(f"{name} can't be a part of mixed; {choices(name, fit)}")
    pairs = dict(option.partition("=")[::2] for option in options)
    if len(pairs) < len(options):
        raise UsageError(f"A part of mixed sets an option twice: {parts!r}; leave one of them out.")
    return int(share), fit[name](**pairs)


def _turns(shares: Sequence[int]) -> list[int]:
    """The order of parts in the shortest round with exact shares."""
    turns: list[int] = []
    for made in range(1, sum(shares) // gcd(*shares) + 1):
        lacks = [share * made - turns.count(one) * sum(shares) for one, share in enumerate(shares)]
        turns.append(lacks.index(max(lacks)))
    return turns
