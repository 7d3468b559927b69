"""The databases of one command and the instructions of its runs; lives in the keeper."""

import copy
import dataclasses
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb, walk_tb
from typing import Any
from unittest.mock import patch

import django
import django.db
from django.apps import AppConfig, apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.utils import DatabaseErrorWrapper
from django.urls import Resolver404, resolve
from django.utils.module_loading import import_string

from benchsuite.core.exceptions import DatabaseError
from benchsuite.core.observations import FILES_STORED, MAILS_SENT
from benchsuite.core.refusals import Refusal, first_line, where, why
from benchsuite.core.specs import KEEP
from benchsuite.core.units import format_bytes
from benchsuite.isolation.databases import filling
from benchsuite.isolation.databases.creation import Rows, Throwaway, ensure_reached, with_rows
from benchsuite.isolation.facts import Facts, Order, database_address, slowing, undone
from benchsuite.isolation.instructions import Instructions
from benchsuite.isolation.overrides import files
from benchsuite.isolation.overrides.applied import change_followers, overridden
from benchsuite.isolation.overrides.backends import mails
from benchsuite.isolation.overrides.brokers import in_memory, wants_redis
from benchsuite.isolation.overrides.changes import Changes, project_settings
from benchsuite.isolation.overrides.inherited import Replaced
from benchsuite.system.programs import revision_of
from benchsuite.workloads.base import Workload

SUFFIX = 8  #: Characters of a run's token in the names of its databases.
_ELSEWHERE = "or have the databases made elsewhere: --database=postgres://user@host/name"


class DatabaseAdmin:
    """Made once; `make()` first, then `clone()` and `drop()` for each run, `end()` at last."""

    def __init__(
        self, order: Order, instructions: Instructions, begin: Callable[[str], None]
    ) -> None:
        """`begin` is told each phase of `make()`."""
        self._order = order
        self._begin = begin
        self._database = order.database
        self._kept = self._database.use == KEEP  #: The project's own: nothing is thrown away.
        self._instructions = instructions
        self._folder = Path(instructions.folder)
        self._throwaway = Throwaway(instructions.token, self._folder)
        self._uncopied: Mapping[str, str] = {}  #: Folder of the project's → why it has no copy.
        self._own: dict[str, Any] = {}  #: The project's DATABASES, as long as they are its own.
        self._rows: dict[str, Rows] = {}  #: Of the copies that are counted, by their suffix.
        self._unready: list[Callable[[], None]] = []  #: What failed in `ready()` of apps.

    def make(self) -> dict[str, Any]:
        """Creates and fills the templates; returns what the parent needs to know."""
        # Django must load the settings first: if they import something that reads settings, Django
        # would otherwise keep an incomplete set.
        settings.BENCHSUITE_INSTRUCTIONS  # noqa: B018
        self._changes()  # refuses what can't work before anything is created
        # before it names templates
        self._own = copy.deepcopy({"DATABASES": self._project().get("DATABASES", {})})
        copied = ""
        self._begin("create")
        with _explained():
            changes = overridden(self._project(), self._instructions)
            self._uncopied = files.make_folders(changes.folders)
            if not self._kept:
                self._throwaway.begin()
            if self._database.fill_from:
                # before any app is loaded: `migrate` then brings the copy to the state of the code
                own = filling.own_databases(self._own["DATABASES"], self._throwaway.groups)
                copied = format_bytes(filling.size(own))
                self._begin(f"copy your data ({copied})")
                filling.fill_from_own(own)
            if not self._kept:
                self._point_others_at_templates()
        self._set_up()
        login = self._order.login
        if login:
            filling.check_apps(login)  # refused before data are made
        with _explained():
            if not self._kept:
                self._begin("migrate")
                self._throwaway.migrate()
            for ready in self._unready:
                ready()
            migrated = set() if self._kept or self._database.fill_from else with_rows()
            if not self._kept:
                filling.fill(self._database, self._begin)
        self._begin("collect static files")
        self._instructions = dataclasses.replace(
            self._instructions,
            mounts_target=self._instructions.needs_target_app and not _has_target(),
            static_root=files.collected(self._instructions),
        )
        workload = self._workload()
        self._begin(f"prepare {workload.name}")
        with _explained():
            prepare = workload.inspect if self._kept else workload.prepare
            prepared = prepare(self._database) or {}
            self._begin("log in")
            empty = not self._kept and bool(apps.get_models()) and with_rows() <= migrated
            cookies, who = filling.signed_in(login, self._order.rights) if login else ({}, "")
            ensure_reached()
        connections.close_all()
        cookies = {**prepared.get("cookies", {}), **cookies}
        _check_sessions(cookies)
        if cookies and isinstance(key := settings.SECRET_KEY, str):
            self._instructions = dataclasses.replace(self._instructions, secret_key=key)
        project = self._project()
        facts = Facts(
            database_address=database_address(settings.DATABASES.get("default")),
            revision=revision_of(Path(getattr(settings, "BASE_DIR", None) or Path.cwd())),
            wants_redis=wants_redis(project),
            memory_layers=in_memory(getattr(settings, "CHANNEL_LAYERS", None)),
            slowing=slowing(project),
            undone=undone(project),
            cookies=cookies,
            copied=copied,
            empty=empty,
            signed_in=who,
            options=dict(prepared.get("options", {})),
        )
        return {"settings_changed": self._changes(), "facts": facts.to_json()}

    def take_over(self) -> None:
        """What another keeper made, with the clones that it left, is this one's to drop."""
        self._throwaway.take_over([token[:SUFFIX] for token in self._order.left or ()])

    def clone(self, token: str, amended: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the databases for one run, and the instructions of its server; `amended` are
        fields that are this run's alone (how connections are kept, addresses, a layer).
        """
        suffix = token[:SUFFIX]
        folder = self._folder / suffix
        path = folder / "instructions.json"
        names = self._throwaway.names(suffix)
        instructions = self._run_instructions(token, str(folder), names, **amended)
        # what else asks a database is not delayed
        direct = dataclasses.replace(instructions, database_host="")
        replaced = Replaced(overridden(self._project(), direct), direct)
        variables = settings.BENCHSUITE_ENVIRONMENT
        instructions = dataclasses.replace(
            instructions, environment=replaced.addresses(variables), words=replaced.parts(variables)
        )
        changes = overridden(self._project(), instructions)  # refused before anything is copied
        with _explained():
            folder.mkdir()
            self._throwaway.clone(suffix)
            files.handed_on(self._folder, folder)
            files.make_folders(dict.fromkeys(changes.folders, ""))
            instructions.write(path)
        words = self._in_words(changes)
        if moved := ", ".join(sorted({*instructions.environment, *instructions.words})):
            words["(environment)"] = f"{moved}: what the run has in place of yours"
        return {"instructions": str(path), "settings_changed": words}

    def count(self, token: str, variables: Mapping[str, str]) -> dict[str, Any]:
        """What the workload counts in one run's databases; `variables` name the run's services."""
        os.environ.update(variables)
        with _explained(), self._throwaway.looking_at(token[:SUFFIX]):
            counted = self._workload().count(self._database)
        return {"counts": dict(counted)}

    def rows(self, token: str, watched: Collection[str]) -> dict[str, Any]:
        """What the tables of a run's copies hold, which lost earlier rows; its mails and files."""
        suffix = token[:SUFFIX]
        with _explained(), self._throwaway.looking_at(suffix):
            if suffix not in self._rows:
                self._rows[suffix] = Rows(self._throwaway.groups)
            counts = self._rows[suffix].count(watched)
        folder = self._folder / suffix
        counts["rows"][MAILS_SENT] = mails(folder)
        counts["rows"][FILES_STORED] = files.stored(folder)
        return counts

    def drop(self, token: str) -> None:
        self._rows.pop(token[:SUFFIX], None)
        with _explained():
            self._throwaway.drop(token[:SUFFIX])
        shutil.rmtree(self._folder / token[:SUFFIX], ignore_errors=True)

    def end(self) -> None:
        self._throwaway.drop_all()

    def _set_up(self) -> None:
        """The project's own code begins. A `ready()` that fails without tables is called again."""
        create = AppConfig.create
        self._begin("load the project")

        def patient(entry: str) -> AppConfig:
            config: Any = create(entry)
            own = config.ready

            def ready() -> None:
                self._begin(f"ready() of {config.name}")
                own()

            def bearing() -> None:
                try:
                    ready()
                except django.db.Error:
                    self._unready.append(ready)

            if type(config).ready is not AppConfig.ready:
                config.ready = bearing
            return config  # type: ignore[no-any-return]

        try:
            with patch.object(AppConfig, "create", patient):
                django.setup()
        except django.db.Error as error:
            raise DatabaseError(too_early(error)) from error

    def _point_others_at_templates(self) -> None:
        """From here on variables and other settings name the templates, too."""
        changes = overridden(self._project(), self._instructions)
        changed = {*changes.values, "DATABASES"}
        changes.values["DATABASES"] = {one: connections[one].settings_dict for one in connections}
        change_followers(changes, self._instructions)
        for name in changes.values.keys() - changed:
            setattr(settings, name, changes.values[name])
        replaced = Replaced(changes, self._instructions)
        variables = settings.BENCHSUITE_ENVIRONMENT
        os.environ.update({**replaced.parts(variables), **replaced.addresses(variables)})

    def _workload(self) -> Workload:
        order = self._order
        made: Workload = import_string(order.workload_path)(**order.workload.options)
        return made

    def _run_instructions(
        self, token: str, folder: str, names: Mapping[str, str], **amended: Any
    ) -> Instructions:
        connecting = {"conn_max_age_s": self._database.conn_max_age_s, "pool": self._database.pool}
        return dataclasses.replace(
            self._instructions,
            token=token,
            folder=folder,
            databases=names,
            mirrors=self._throwaway.mirrors,
            **{**connecting, **amended},
        )

    def _changes(self) -> dict[str, str]:
        """The changes that a run's server will report, as far as they are known now."""
        names = {alias: "" for same in self._throwaway.groups.values() for alias in same}
        return self._in_words(overridden(self._project(), self._run_instructions("", "", names)))

    def _in_words(self, changes: Changes) -> dict[str, str]:
        """The changes in words, and which of the project's files a run lacks."""
        left = "; ".join(self._uncopied.values())
        return {**changes.words, **({"(files)": left} if left else {})}

    def _project(self) -> dict[str, Any]:
        """The project's own settings."""
        module, variables = self._instructions.settings_module, settings.BENCHSUITE_ENVIRONMENT
        return {**project_settings(module, variables), **self._own}


@contextmanager
def _explained() -> Iterator[None]:
    """Turns errors of the database server, and Django's own exits, into DatabaseError."""
    try:
        yield
    except (django.db.Error, OSError, ImproperlyConfigured, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            raise
        raise DatabaseError(explain(error, _entry_of(error))) from error


def _entry_of(error: BaseException) -> Mapping[str, Any]:
    """Of the connection whose error Django has turned into one of its own, else the default's."""
    entry: Mapping[str, Any] = settings.DATABASES.get("default", {})
    own = error.__context__ or error if isinstance(error, SystemExit) else error
    for frame, _ in walk_tb(own.__traceback__):
        if frame.f_code is DatabaseErrorWrapper.__exit__.__code__:
            entry = frame.f_locals["self"].wrapper.settings_dict
    return entry


def explain(error: BaseException, entry: Mapping[str, Any]) -> str:
    """One sentence for an error while creating databases on the server of a DATABASES entry."""
    place, words, user = where(entry), first_line(error), entry.get("USER")
    refusal = why(error)
    if refusal is Refusal.FORBIDDEN and isinstance(error, SystemExit):  # as Django ends
        right = f'ALTER ROLE "{user or "your_user"}" CREATEDB'
        if "mysql" in str(entry.get("ENGINE")):
            right = rf"GRANT ALL ON `bench\_%`.* TO '{user or 'your_user'}'"
        return (
            f"The user {user or 'of this process'} may not create databases on {place}, and a run "
            f"makes a throw-away one; allow it: {right}; {_ELSEWHERE}"
        )
    if refusal is Refusal.PASSWORD_WANTED:
        return (
            f"The database server {place} wants a password for {user or 'this user'}, and none was "
            "given (none is stored with a run); put it into PGPASSWORD, ~/.pgpass, DATABASE_URL or "
            "the URL of --database."
        )
    if refusal is Refusal.UNREACHABLE:
        return f"The database server {place} can't be reached ({words}); start it, {_ELSEWHERE}"
    return f"The databases of the run could not be made on {place}: {words}"


def too_early(error: BaseException) -> str:
    """One sentence for a project that queries its database at start, before there are tables."""
    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if not any(sign in frame.filename for sign in ("site-packages", "dist-packages", "<"))
    ]
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "the project"
    return (
        f"The project can't start on an empty database: {where} needs what only `migrate` creates "
        f"({first_line(error)}); `migrate` would fail there in a fresh deployment too, so delay "
        "the query until the tables exist."
    )


def _has_target() -> bool:
    """Whether the project's own URLs hold the target views at /bench/."""
    try:
        match = resolve("/bench/plain/", settings.BENCHSUITE_ORIGINAL["ROOT_URLCONF"])
    except Resolver404:
        return False
    return match.func.__module__.startswith("benchsuite.target.")


def _check_sessions(cookies: Mapping[str, str]) -> None:
    """Refuses sessions kept only in the cache: each run has its own, so servers never see them."""
    in_cache = settings.SESSION_ENGINE == "django.contrib.sessions.backends.cache"
    if in_cache and settings.SESSION_COOKIE_NAME in cookies:
        raise DatabaseError(
            "The session of --login or prepare() is in the cache, and each run starts with an "
            "empty one; log in inside the journey, or set SESSION_ENGINE to cached_db."
        )
