"""Builds the environment of servers of another time, and starts each of them once."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.core.management.base import CommandError

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError, choices
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.units import format_duration
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.pythons import building
from benchsuite.report.terminal.grid import Grid
from benchsuite.runner import planning, preflight
from benchsuite.runner.assembly import started
from benchsuite.servers.base import Available
from benchsuite.servers.heritage.adapters import Heritage
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone

PREFIX = "heritage-"


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment, and the servers that run in it."""

    name: str
    servers: tuple[type[Heritage], ...]

    @property
    def pythons(self) -> tuple[str, ...]:
        return self.servers[0].pythons

    @property
    def packages(self) -> int:
        return len(self.servers[0].pins().lines)

    @property
    def state(self) -> str:
        """Whether it has been built or, if it can't be, why."""
        unusable = self._unusable()
        if unusable is not None:
            return f"can't be built: {unusable.reason}; {unusable.command}"
        root = conf.cache_folder()
        return "built" if building.built(self.servers[0].recipe(""), root) else "not built"

    def build(self, say: Callable[[str], None]) -> Iterator[str]:
        """Builds it and tries each server once; a line for each."""
        python = building.build(self.servers[0].recipe(""), conf.cache_folder(), say)
        yield f"{self.name}: {python.executable} (Python {python.version})"
        for server in self.servers:
            plan = planning.resolve(RunSpec(server=ServerSpec(server=server.name)))
            try:
                preflight.check(plan)
            except UnavailableError as error:
                yield f"{server.name} was not tried: {error}"
                continue
            with started(plan) as (system, _):
                seconds = format_duration(system.startup_s)
            yield f"{server.name} {server.version(python)} answered after {seconds}"

    def _unusable(self) -> Available | None:
        """What keeps all of its servers from running."""
        states = [server.available() for server in self.servers]
        return None if any(one.ok for one in states) else states[0]


def environments() -> list[Environment]:
    """All of them, in the order of their servers."""
    servers: dict[str, list[type[Heritage]]] = {}
    for adapter in conf.servers().values():
        if issubclass(adapter, Heritage):
            servers.setdefault(adapter.target, []).append(adapter)
    return [Environment(PREFIX + name, tuple(found)) for name, found in servers.items()]


def environment(name: str) -> Environment:
    """The one of that name, with or without "heritage-"; raises UsageError with the valid names."""
    by_name = {one.name: one for one in environments()}
    full = name if name in by_name else PREFIX + name
    if full not in by_name:
        raise UsageError(f"There is no heritage environment {name!r}; {choices(name, by_name)}")
    return by_name[full]


class Command(BriefCommand):
    help = __doc__
    examples = ("--list", "channels0", "chaussette")

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="environment to build, such as channels0")
        parser.add_argument("--list", action="store_true", help="show the environments and stop")

    def handle(self, **options: Any) -> None:
        screen = Screen(quiet_stdout=False)
        if options["list"] or not options["name"]:
            screen.console.table(_table())
            return
        try:
            wanted = environment(options["name"])
            with terminable(), alone(screen.waiting):
                for line in wanted.build(screen.building):
                    screen.warn(line)
        except KeyboardInterrupt as interrupt:
            raise CommandError("Interrupted; nothing half-built is left.", returncode=130) from (
                interrupt
            )


def _table() -> Grid:
    return Grid(
        headings=("environment", "Python", "packages", "state", "servers"),
        rows=[
            [
                one.name,
                " or ".join(one.pythons),
                str(one.packages),
                one.state,
                ", ".join(server.name for server in one.servers),
            ]
            for one in environments()
        ],
        words=("Python", "state"),
        prose=("state", "servers"),
        spare=("packages",),
    )
