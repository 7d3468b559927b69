"""The databases of a session: made once for each workload and each database asked for."""

import os
import secrets
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchsuite import conf
from benchsuite.isolation.databases.client import Keeper, throwaway
from benchsuite.runner.own_target import OwnTarget
from benchsuite.runner.plan import Plan
from benchsuite.services.database import DatabaseService


@dataclass(slots=True)
class Data:
    """Keepers, and the services on which they keep; all end with the session's stack."""

    _settings_module: str
    _folder: Path
    _stack: ExitStack
    _marker: str  #: The session's: its guard ends what is left when this process is killed.
    _start_timeout_s: float | None = None
    _keepers: dict[tuple[str, ...], Keeper] = field(default_factory=dict)
    _services: dict[tuple[str, int, bool, tuple[int, ...] | None], DatabaseService] = field(
        default_factory=dict
    )

    def service(self, plan: Plan) -> DatabaseService | None:
        """The database service that was asked for, started at the first run that wants it.

        It is a part of what answers: it runs on the target's CPUs, and keeps off the load's.
        """
        spec, kind = plan.spec, plan.database
        wanted = spec.database
        if kind is None:
            return None
        connections = wanted.max_connections or kind.max_connections
        key = (wanted.service, connections, wanted.fsync, spec.server.cpus)
        if key not in self._services:
            folder = self._folder / f"{wanted.service}-{len(self._services)}"
            folder.mkdir()
            self._services[key] = self._stack.enter_context(
                kind(
                    folder=folder,
                    marker=self._marker,
                    max_connections=connections,
                    fsync=wanted.fsync,
                    env=dict(os.environ),
                    on_cpus=spec.server.cpus,
                    start_timeout_s=self._start_timeout_s,
                )
            )
        return self._services[key]

    def keeper(self, plan: Plan) -> Keeper | OwnTarget:
        """Who keeps the databases of this workload; it begins to make them when it is first asked
        for.

        One for each Python: another Django has other migrations. A server that brings its own
        target has none of them, and something that stands in.
        """
        spec, python = plan.spec, plan.server.python
        if not plan.server.serves_project:
            return OwnTarget(spec.workload)
        service = self.service(plan)
        key = (
            repr(spec.workload),
            repr(spec.database),
            repr((spec.visitor.login, spec.visitor.host)),
            service.admin_url if service else "",
            python.executable,
            spec.static,
        )
        if key not in self._keepers:
            folder = self._folder / f"data-{len(self._keepers)}"
            folder.mkdir()
            self._keepers[key] = self._stack.enter_context(
                throwaway(
                    folder=folder,
                    settings_module=self._settings_module,
                    token=secrets.token_hex(6),
                    workload_path=plan.workload_path,
                    workload=spec.workload,
                    database=spec.database,
                    visitor=spec.visitor,
                    database_url=service.admin_url if service else "",
                    needs_target_app=plan.workload.needs_target_app,
                    log=folder / "keeper.log",
                    env=dict(os.environ),
                    python=python,
                    start_timeout_s=self._start_timeout_s,
                    static=spec.static,
                    overrides=conf.config()["OVERRIDES"],
                )
            )
        return self._keepers[key]
