"""Builds the environment of servers of another time, and starts each of them once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.core.management.base import CommandParser

from benchsuite import conf
from benchsuite.core.answer import Table
from benchsuite.core.exceptions import UnavailableError, UsageError, choices
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.units import format_duration, gathered
from benchsuite.management.options.parsing import BriefCommand
from benchsuite.management.output import Screen
from benchsuite.pythons import building
from benchsuite.runner import planning, preflight
from benchsuite.runner.assembly import started
from benchsuite.servers.heritage.adapters import Heritage
from benchsuite.system.interrupts import terminable
from benchsuite.system.lock import alone


def environments() -> dict[str, list[type[Heritage]]]:
    """Each of them by name, with the servers that run in it, in their order."""
    heritage = (adapter for adapter in conf.servers().values() if issubclass(adapter, Heritage))
    return gathered((adapter.target, adapter) for adapter in heritage)


class Command(BriefCommand):
    help = __doc__
    examples = ("", "channels0", "chaussette")

    def add_arguments(self, parser: CommandParser) -> None:
        words = "environment to build, such as channels0; without one they are shown"
        parser.add_argument("name", nargs="?", help=words)

    def handle(self, **options: Any) -> None:
        screen, by_name, name = Screen(), environments(), options["name"]
        if not name:
            screen.table(_table(by_name))
            return
        if name not in by_name:
            raise UsageError(f"There is no heritage environment {name!r}; {choices(name, by_name)}")
        with terminable(), alone(screen.waiting):
            for line in _build(name, by_name[name], screen.building):
                screen.say(line)


def _build(
    name: str, servers: Sequence[type[Heritage]], say: Callable[[str], None]
) -> Iterator[str]:
    """Builds an environment and tries each server once; a line for each."""
    python = building.build(servers[0].recipe(""), conf.cache_folder(), say)
    yield f"{name}: {python.executable} (Python {python.version})"
    for server in servers:
        plan = planning.resolve(RunSpec(server=ServerSpec(server=server.name)))
        try:
            preflight.check(plan)
        except UnavailableError as error:
            yield f"{server.name} was not tried: {error}"
            continue
        with started(plan) as (system, _):
            seconds = format_duration(system.startup_s)
        yield f"{server.name} {server.version(python)} answered after {seconds}"


def _table(by_name: Mapping[str, Sequence[type[Heritage]]]) -> Table:
    rows = []
    for name, servers in by_name.items():
        first, availables = servers[0], [server.available() for server in servers]
        state = f"can't be built: {availables[0].reason}; {availables[0].command}"
        if any(available.ok for available in availables):
            built = building.built(first.recipe(""), conf.cache_folder())
            state = "built" if built else "not built"
        names = ", ".join(server.name for server in servers)
        rows.append([name, " or ".join(first.pythons), str(len(first.pins().lines)), state, names])
    headings = ("environment", "Python", "packages", "state", "servers")
    return Table(headings, rows, figures=("packages",), spare=("packages",))
