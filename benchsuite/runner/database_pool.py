"""The databases of a session: made once for all runs that may use copies of the same."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite import conf
from benchsuite.core.exceptions import DatabaseError
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.isolation.facts import Facts, Order, Rows
from benchsuite.isolation.instructions import Instructions
from benchsuite.runner.planning import Plan
from benchsuite.services.base import DatabaseService
from benchsuite.system.folders import VARIABLE
from benchsuite.system.process import any_program


class OwnTarget:
    """What `Keeper` says, said of a target that is not the project: nothing was made or changed."""

    facts, settings_changed, doing, has_made = Facts(), dict[str, str](), "", True
    tell: Callable[[str], None]

    def wait(self) -> None:
        """There is nothing to wait for."""

    def clone(self, token: str, **amended: object) -> AbstractContextManager[None]:
        return nullcontext()

    def counts(self, token: str, variables: Mapping[str, str]) -> Mapping[str, int]:
        return {}

    def rows(self, token: str, watched: Iterable[str] = ()) -> Rows:
        return Rows()


ServiceKey = tuple[str, bool]  #: Its name, and whether it waits for the disk.


@dataclass(slots=True)
class Data:
    """Keepers, and the services on which they keep; all end with the session's stack at last."""

    _settings_module: str
    _folder: Path
    _stack: ExitStack
    _marker: str  #: The session's: its guard ends what is left when this process is killed.
    _start_timeout_s: float | None = None
    _keepers: dict[tuple[object, ...], tuple[Keeper, ExitStack, ServiceKey | None]] = field(
        default_factory=dict
    )
    """With what drops their databases, and the service that these are on, if one was started."""
    _services: dict[ServiceKey, tuple[DatabaseService, ExitStack]] = field(default_factory=dict)
    _made: int = 0
    _faults: list[DatabaseError] = field(default_factory=list)

    def service(self, plan: Plan) -> DatabaseService | None:
        """The service asked for, started at the first run that wants it, again where one wants it
        otherwise, and anew, as its databases, where it died. It runs on the target's CPUs.
        """
        kind, key, cpus = plan.database, _service_key(plan), plan.spec.server.cpus
        if kind is None or key is None:
            return None
        connections = plan.spec.database.max_connections or kind.max_connections
        if key in self._services and self._services[key][0].process.poll() is not None:
            self._forget(key)
        if key not in self._services:
            own = self._stack.enter_context(ExitStack())
            service = own.enter_context(
                kind(
                    folder=self._new_folder(kind.name),
                    marker=self._marker,
                    max_connections=connections,
                    fsync=plan.spec.database.fsync,
                    env=any_program(),
                    on_cpus=cpus,
                    start_timeout_s=self._start_timeout_s,
                )
            )
            self._services[key] = service, own
        service, _ = self._services[key]
        if (service.max_connections, service.on_cpus) != (connections, cpus):
            service.max_connections, service.on_cpus = connections, cpus
            service.restart()
        return service

    def keeper(self, plan: Plan) -> Keeper | OwnTarget:
        """Who keeps the databases of this run, and makes them when first asked for."""
        if not plan.server.serves_project:
            return OwnTarget()
        service, key = self.service(plan), plan.data_key
        if key in self._keepers and self._keepers[key][0].was_killed:
            self._keepers.pop(key)[1].close()
        if key not in self._keepers:
            own = self._stack.enter_context(ExitStack())
            own.enter_context(_gone_with(service))
            folder, spec = self._new_folder("data"), plan.spec
            order = Order(
                workload_path=plan.workload_path,
                workload=spec.workload,
                database=plan.data,
                login=spec.visitor.user,
                rights=spec.visitor.rights,
            )
            instructions = Instructions(
                settings_module=self._settings_module,
                token=secrets.token_hex(6),
                folder=str(folder.resolve()),
                database_url=service.admin_url if service else "",
                overrides={**conf.config()["OVERRIDES"], **spec.target.settings},
                needs_target_app=plan.workload.needs_target_app,
                static=spec.static,
                host=spec.visitor.host,
            )
            keeper = own.enter_context(
                throwaway(
                    order,
                    instructions,
                    log=folder / "keeper.log",
                    env={**os.environ, **spec.target.variables, VARIABLE: str(conf.cache_folder())},
                    python=plan.server.python,
                    start_timeout_s=self._start_timeout_s,
                )
            )
            self._keepers[key] = keeper, own, _service_key(plan)
        return self._keepers[key][0]

    def keep_for(self, later: Iterable[Plan]) -> None:
        """Drops what no later run will use; what can't be dropped is told at the end."""
        plans = [plan for plan in later if plan.server.serves_project]
        wanted = {plan.data_key for plan in plans}
        for key in [key for key in self._keepers if key not in wanted]:
            try:
                self._keepers.pop(key)[1].close()
            except DatabaseError as error:
                self._faults.append(error)
        services = {_service_key(plan) for plan in plans}
        for unused in [unused for unused in self._services if unused not in services]:
            self._forget(unused)

    def check(self) -> None:
        """Raises the first error of what could not be dropped between runs."""
        if self._faults:
            raise self._faults[0]

    def _forget(self, key: ServiceKey) -> None:
        for name in [name for name, (*_, service) in self._keepers.items() if service == key]:
            self._keepers.pop(name)[1].close()
        self._services.pop(key)[1].close()

    def _new_folder(self, name: str) -> Path:
        self._made += 1
        folder = self._folder / f"{name}-{self._made}"
        folder.mkdir()
        return folder


def _service_key(plan: Plan) -> ServiceKey | None:
    database = plan.spec.database
    return (database.service, database.fsync) if plan.database is not None else None


@contextmanager
def _gone_with(service: DatabaseService | None) -> Iterator[None]:
    """Databases on a service that died went with it: that they can't be dropped is no error."""
    try:
        yield
    except DatabaseError:
        if service is None or service.process.poll() is None:
            raise
