"""The databases of one command and the instructions of its runs; lives in the keeper."""

import copy
import dataclasses
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import django.db
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.urls import Resolver404, resolve
from django.utils.module_loading import import_string

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.observations import FILES_STORED, MAILS_SENT
from benchsuite.core.specs import KEEP, DatabaseSpec, WorkloadSpec
from benchsuite.core.units import format_bytes
from benchsuite.isolation.databases import filling
from benchsuite.isolation.databases.creation import Throwaway, engine, with_rows
from benchsuite.isolation.databases.faults import explain
from benchsuite.isolation.databases.filling import fill
from benchsuite.isolation.databases.readying import Readying
from benchsuite.isolation.databases.signing_in import check_apps, signed_in
from benchsuite.isolation.facts import FACTS_OF, Facts
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import files
from benchsuite.isolation.overrides.applied import change_followers, overridden
from benchsuite.isolation.overrides.backends import mails
from benchsuite.isolation.overrides.brokers import wants_redis
from benchsuite.isolation.overrides.changes import Changes, project_settings
from benchsuite.isolation.overrides.collecting import collected
from benchsuite.isolation.overrides.inherited import Replaced
from benchsuite.isolation.overrides.slowing import slowing, undone
from benchsuite.system.programs import revision_of
from benchsuite.workloads.base import Workload

SUFFIX = 8  #: Characters of a run's token in the names of its databases.


class DatabaseAdmin:
    """Made once; `make()` first, then `clone()` and `drop()` for each run, `end()` at last."""

    def __init__(
        self,
        *,
        workload_path: str,
        workload: WorkloadSpec,
        database: DatabaseSpec,
        instructions: Instructions,
        login: str = "",
        rights: str = "",
        begin: Callable[[str], None] = lambda phase: None,
    ) -> None:
        """`login` is the user in whose session all ask, `rights` what he must be ("staff"); `begin`
        is told each phase of `make()`.
        """
        self._login = login
        self._rights = rights
        self._begin = begin
        self._database = database
        self._spec = workload
        self._workload_path = workload_path
        self._instructions = instructions
        self._folder = Path(instructions.folder)
        self._throwaway = Throwaway(instructions.token, self._folder)
        self._uncopied: Mapping[str, str] = {}  #: Folder of the project's → why it has no copy.
        self._own: dict[str, Any] = {}  #: The project's DATABASES, as long as they are its own.
        self._rows: dict[str, Any] = {}  #: Of the copies that are counted, by their suffix.
        self._copied = ""  #: What was copied of the project's databases, in words.

    def make(self) -> dict[str, Any]:
        """Creates and fills the templates; returns what the parent needs to know."""
        # Django must load the settings first: if they import something that reads settings, Django
        # would otherwise keep an incomplete set.
        settings.BENCHSUITE_INSTRUCTIONS  # noqa: B018
        self._changes()  # refuses what can't work before anything is created
        kept = self._database.use == KEEP
        # before it names templates
        self._own = copy.deepcopy({"DATABASES": self._project().get("DATABASES", {})})
        self._begin("create")
        with _explained():
            self._uncopied = files.make_folders(
                overridden(self._project(), self._instructions).folders
            )
            if not kept:
                self._throwaway.begin()
            if self._database.fill_from:
                self._copy(self._own["DATABASES"])
            if not kept:
                self._point_others_at_templates()
        readying = Readying(self._begin)
        readying.set_up()
        if self._login:
            check_apps(self._login)  # refused before data are made
        with _explained():
            if not kept:
                self._begin("migrate")
                self._throwaway.migrate()
            readying.again()
            migrated = set() if kept or self._database.fill_from else with_rows()
            if not kept:
                fill(self._database, self._begin)
        self._begin("collect static files")
        self._instructions = dataclasses.replace(
            self._instructions,
            mounts_target=self._instructions.needs_target_app and not _has_target(),
            static_root=collected(self._instructions),
        )
        workload = self._workload()
        self._begin(f"prepare {workload.name}")
        with _explained():
            counted = (workload.inspect if kept else workload.prepare)(self._database) or {}
            self._begin("log in")
            empty = not kept and bool(apps.get_models()) and with_rows() <= migrated
            cookies: dict[str, str] = {}
            who, superuser = "", False
            if self._login:
                cookies, who, superuser = signed_in(self._login, self._rights)
            program = engine()
        connections.close_all()
        cookies = {**counted.get("cookies", {}), **cookies}
        _check_sessions(cookies)
        facts = dataclasses.replace(
            self._facts(),
            engine=program,
            cookies=cookies,
            signed_in=who,
            superuser=superuser,
            copied=self._copied,
            empty=empty,
            options=dict(counted.get("options", {})),
        )
        return {"settings_changed": self._changes(), "facts": dataclasses.asdict(facts)}

    def take_over(self, tokens: Sequence[str]) -> dict[str, Any]:
        """What another keeper made, with these clones, is this one's to drop."""
        if self._database.use != KEEP:
            self._throwaway.take_over([token[:SUFFIX] for token in tokens])
        return {}

    def clone(self, token: str, amended: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the databases for one run, and the instructions its server is started with.

        `amended` are fields of the instructions that are this run's alone, or are known only now,
        when its services are up: how connections are kept, addresses, a layer.
        """
        suffix, kept = token[:SUFFIX], self._database.use == KEEP
        folder = self._folder / suffix
        path = folder / "instructions.json"
        names = {} if kept else self._throwaway.names(suffix)
        instructions = dataclasses.replace(
            self._run_instructions(token, str(folder), names), **amended
        )
        _check_pool(instructions)
        # what else asks a database is not delayed
        direct = dataclasses.replace(instructions, database_host="")
        replaced = Replaced(overridden(self._project(), direct), direct)
        variables = self._variables()
        instructions = dataclasses.replace(
            instructions,
            environment=replaced.addresses(variables),
            words=replaced.parts(variables),
        )
        changes = overridden(self._project(), instructions)  # refused before anything is copied
        with _explained():
            folder.mkdir()
            if not kept:
                self._throwaway.clone(suffix)
            files.handed_on(self._folder, folder)
            files.make_folders(dict.fromkeys(changes.folders, ""))
            instructions.write(path)
        reply: dict[str, Any] = {"instructions": str(path), "settings_changed": self._said(changes)}
        if moved := ", ".join(sorted({*instructions.environment, *instructions.words})):
            words = f"{moved}: what the run has in place of yours"
            reply["settings_changed"]["(environment)"] = words
        return reply

    def count(self, token: str) -> dict[str, int]:
        """What the workload counts in one run's databases; with "keep", in the project's."""
        kept = self._database.use == KEEP
        with _explained():
            if kept:
                counted = self._workload().count(self._database)
            else:
                with self._throwaway.looking_at(token[:SUFFIX]):
                    counted = self._workload().count(self._database)
        connections.close_all()
        return dict(counted)

    def rows(self, token: str, watched: Collection[str]) -> dict[str, Any]:
        """What all tables of one run's copies hold, and which of these lost earlier rows; its mails
        and stored files, too.
        """
        from benchsuite.isolation.databases.rows import Rows  # imports models

        suffix = token[:SUFFIX]
        with _explained(), self._throwaway.looking_at(suffix):
            if suffix not in self._rows:
                self._rows[suffix] = Rows(self._throwaway.groups)
            counts: dict[str, Any] = self._rows[suffix].count(watched)
        folder = self._folder / suffix
        counts["rows"][MAILS_SENT] = mails(folder)
        counts["rows"][FILES_STORED] = files.stored(folder)
        connections.close_all()
        return counts

    def drop(self, token: str) -> None:
        self._rows.pop(token[:SUFFIX], None)
        if self._database.use != KEEP:
            with _explained():
                self._throwaway.drop(token[:SUFFIX])
        shutil.rmtree(self._folder / token[:SUFFIX], ignore_errors=True)

    def end(self) -> None:
        if self._database.use != KEEP:
            self._throwaway.drop_all()

    def _copy(self, entries: Mapping[str, Any]) -> None:
        """Fills the templates with what the project's own databases hold, before any app is loaded:
        `migrate` then brings the copy to the state of the code.
        """
        own = filling.own_databases(entries, self._throwaway.groups)
        self._copied = format_bytes(filling.size(own, self._folder))
        self._begin(f"copy your data ({self._copied})")
        filling.fill_from_own(own)

    def _point_others_at_templates(self) -> None:
        """From here on variables and other settings name the templates, too."""
        changes = overridden(self._project(), self._instructions)
        changed = {*changes.values, "DATABASES"}
        changes.values["DATABASES"] = {one: connections[one].settings_dict for one in connections}
        change_followers(changes, self._instructions)
        for name in changes.values.keys() - changed:
            setattr(settings, name, changes.values[name])
        replaced, variables = Replaced(changes, self._instructions), self._variables()
        os.environ.update({**replaced.parts(variables), **replaced.addresses(variables)})

    @staticmethod
    def _variables() -> Mapping[str, str]:
        """The environment as it was when the project's settings were loaded."""
        variables: Mapping[str, str] = getattr(settings, "BENCHSUITE_ENVIRONMENT")  # noqa: B009
        return variables

    def _workload(self) -> Workload:
        made: Workload = import_string(self._workload_path)(**self._spec.options)
        return made

    def _run_instructions(self, token: str, folder: str, names: Mapping[str, str]) -> Instructions:
        return dataclasses.replace(
            self._instructions,
            token=token,
            folder=folder,
            databases=names,
            mirrors=self._throwaway.mirrors,
            conn_max_age_s=self._database.conn_max_age_s,
            pool=self._database.pool,
        )

    def _changes(self) -> dict[str, str]:
        """The changes that a run's server will report, as far as they are known now."""
        names = {alias: "" for same in self._throwaway.groups.values() for alias in same}
        return self._said(overridden(self._project(), self._run_instructions("", "", names)))

    def _said(self, changes: Changes) -> dict[str, str]:
        """The changes in words, and which of the project's files a run lacks."""
        left = "; ".join(self._uncopied.values())
        return {**changes.words, **({"(files)": left} if left else {})}

    def _facts(self) -> Facts:
        project = self._project()
        return dataclasses.replace(
            Facts.of({name: getattr(settings, name, None) for name in FACTS_OF}),
            revision=_revision(),
            static_root=self._instructions.static_root or str(project.get("STATIC_ROOT") or ""),
            wants_redis=wants_redis(project),
            slowing=slowing(project),
            undone=undone(project),
        )

    def _project(self) -> dict[str, Any]:
        """The project's own settings."""
        return {**project_settings(self._instructions.settings_module), **self._own}


@contextmanager
def _explained() -> Iterator[None]:
    """Turns errors of the database server, and Django's own exits, into DatabaseError."""
    try:
        yield
    except (django.db.Error, OSError, ImproperlyConfigured) as error:
        raise DatabaseError(explain(error, _default_entry())) from error
    except SystemExit as error:
        if not error.code:
            raise
        raise DatabaseError(explain(error, _default_entry())) from error


def _check_pool(instructions: Instructions) -> None:
    if instructions.pool is not None and find_spec("psycopg_pool") is None:
        raise DatabaseError(
            "--pool needs psycopg 3 with its pool in the project's environment: pip install "
            "'psycopg[pool]'"
        )


def _revision() -> str:
    """The project's revision, found from BASE_DIR or the current directory."""
    return revision_of(Path(getattr(settings, "BASE_DIR", None) or Path.cwd()))


def _default_entry() -> Mapping[str, Any]:
    entry: Mapping[str, Any] = settings.DATABASES.get("default", {})
    return entry


def _has_target() -> bool:
    """Whether the project's own URLs hold the target views at /bench/."""
    try:
        match = resolve("/bench/plain/", settings.BENCHSUITE_ORIGINAL["ROOT_URLCONF"])
    except Resolver404:
        return False
    return match.func.__module__.startswith("benchsuite.target.")


def _check_sessions(cookies: Mapping[str, str]) -> None:
    """Refuses sessions kept only in the cache: each run has its own, so servers never see them."""
    backend = getattr(settings, "SESSION_ENGINE", "")
    if (
        settings.SESSION_COOKIE_NAME in cookies
        and backend == "django.contrib.sessions.backends.cache"
    ):
        raise DatabaseError(
            "The session of --login or prepare() is in the cache, and each run starts with an "
            "empty one; log in inside the journey, or set SESSION_ENGINE to cached_db."
        )
