"""The environments of servers of another time: which there are, building them, trying them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.core.suggestions import choices
from benchsuite.core.units import format_duration
from benchsuite.pythons import building
from benchsuite.runner import planning, preflight
from benchsuite.runner.assembly import started
from benchsuite.servers.base import Available
from benchsuite.servers.heritage.adapters import Heritage

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
            with started(plan) as (found, _):
                seconds = format_duration(found.startup_s)
            yield f"{server.name} {server.version(python)} answered after {seconds}"

    def _unusable(self) -> Available | None:
        """What keeps all of its servers from running."""
        found = [server.available() for server in self.servers]
        return None if any(one.ok for one in found) else found[0]


def environments() -> list[Environment]:
    """All of them, in the order of their servers."""
    servers: dict[str, list[type[Heritage]]] = {}
    for adapter in conf.servers().values():
        if issubclass(adapter, Heritage):
            servers.setdefault(adapter.target, []).append(adapter)
    return [Environment(PREFIX + name, tuple(found)) for name, found in servers.items()]


def environment(name: str) -> Environment:
    """The one of that name, with or without "heritage-"; raises UsageError with the valid names."""
    found = {one.name: one for one in environments()}
    full = name if name in found else PREFIX + name
    if full not in found:
        raise UsageError(f"There is no heritage environment {name!r}; {choices(name, found)}")
    return found[full]
