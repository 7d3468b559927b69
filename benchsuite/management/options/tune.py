"""The options of `tunebench`, and the question that they ask, of the databases that are there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.db.utils import ConnectionHandler, load_backend

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import DatabaseSpec, Option, RunSpec
from benchsuite.core.specs.database import FIRST_CONNECTIONS
from benchsuite.core.specs.load import MAX_RATE, LoadProfile
from benchsuite.core.specs.objective import EXAMPLE, parse, proposed
from benchsuite.core.specs.spec import Spec, option, optional, switch, table
from benchsuite.core.units import format_period, listed
from benchsuite.isolation.overrides.connecting import move_default
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import read, refuse_beside
from benchsuite.management.options.place import Place
from benchsuite.management.tuning import trials
from benchsuite.runner import environments, explaining, planning, preflight
from benchsuite.runner.planning import Plan
from benchsuite.servers import running
from benchsuite.servers.base import ServerAdapter
from benchsuite.servers.deploying import KINDS
from benchsuite.services.postgres import MOST
from benchsuite.system import cpus
from benchsuite.tuning import candidates
from benchsuite.tuning.planning import CONFIRMING_S, least_s
from benchsuite.tuning.trial import Candidate, Question

USUAL = (
    *("gunicorn-gthread", "gunicorn-sync", "gunicorn-gevent", "granian-wsgi", "uwsgi", "waitress"),
    *("cheroot", "uvicorn", "granian-asgi", "gunicorn-uvicorn", "gunicorn-asgi", "daphne"),
)
"""Servers that are compared where none are named, as far as they can run here."""

BUDGET_S = 900.0
EACH_S = 480.0  #: Of one configuration on one number of CPUs.
THOROUGH = 3.0  #: Times the usual budget: windows of 40 s that confirm leave time for a race then.

OF_ONE = ("server", "--server, which is measured alone")  #: What is needed by what is said of it.

SIZE = re.compile(r"(?P<server>[^:]+):(?P<processes>\d{1,6})(x(?P<threads>\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Asked:
    question: Question
    spec: RunSpec  #: Of its runs, but for server, size and load.
    servers: Mapping[str, type[ServerAdapter]]  #: Those that are compared, and can run, by name.


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Spec):
    """What `tunebench` is asked."""

    group = "What is asked"

    objective: str | None = optional(
        f'--objective CONDITIONS  what must hold, such as "{EXAMPLE}", or "mean < 50ms"',
        unless="one is proposed from how long one user waits alone",
    )
    rate: float | None = optional(
        "--rate R  find the least memory that holds so many journeys a second",
        above=(0.0, MAX_RATE),
        unless="find the highest rate",
    )
    server: str | None = optional(
        "--server NAME  find the highest rate of this server in one size alone"
    )
    processes: int | None = optional("--processes N  of that --server", needs=OF_ONE)
    threads: int | None = optional("--threads N  of each process of that --server", needs=OF_ONE)
    options: Mapping[str, Option] = option(
        {},
        "--option NAME=VALUE  an option of that --server, by the adapter's name for it",
        needs=OF_ONE,
    )
    servers: tuple[str, ...] = option(
        (),
        "--servers NAME[,NAME…]  servers to compare, each in several sizes",
        unless=f"{', '.join(USUAL)}, as far as they are installed",
    )
    current: str | None = optional(
        "--current SERVER:PxT  what runs now, such as gunicorn-gthread:3x4 or gunicorn-sync:5: it "
        "is compared with the others whatever it shows"
    )
    budget_s: float | None = optional(
        "--budget TIME  of all runs together",
        within=(0.0, 86_400.0),
        unless=f"{format_period(BUDGET_S)}, with --cpus {format_period(EACH_S)} for each number; "
        f"{THOROUGH:g} times as much with --thorough, and as many times as a longer --window is "
        "longer",
    )
    window_s: float | None = optional(
        "--window TIME  of levels that confirm a rate, up to twice as long where there is time; "
        "all other windows are longer or shorter alike. Short windows flatter",
        above=(0.0, 600.0),
        unless=f"{CONFIRMING_S:g} s",
    )
    thorough: bool = switch("--thorough  confirm in windows of 40 s, which flatter less")
    for_cpus: int | None = optional(
        "--for-cpus N  give the server so many CPUs; of more than it can have here only a bound "
        "is told",
        within=(1, cpus.MOST),
    )
    cpus: list[int] | None = optional(
        "--cpus N[,N…]  find what that --server holds on each of these numbers of CPUs, with its "
        "--processes for each CPU",
        needs=OF_ONE,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored(Spec):
    """Which stored tuning is gone on with, or pasted."""

    group = "What is stored"

    resume: str | None = optional(
        "--resume [ID]  go on with the last tuning that has no answer yet, or with this one"
    )
    paste: str | None = optional(
        "--paste [KIND]  print what deploys the last configuration that was confirmed, and stop: "
        f"{', '.join(KINDS)}, a file that its server reads, such as gunicorn.conf.py, or all"
    )
    of: str | None = optional("--of ID  another tuning for --paste")


OF_THE_SEARCH = ("Server", "Load", run_options.SOCKETS, run_options.RUNS)
"""Groups of options of `runbench` that a search decides itself."""

OWN = (*table(Wanted), *table(Stored))
EVERY = (*OWN, *(entry for entry in run_options.EVERY if entry.group not in OF_THE_SEARCH))
BESIDE_PASTE = ("paste", "of")
OF_A_TARGET = ("objective", "budget", "window", "thorough")  #: What may be asked of one.
BESIDE_RESUME = (
    *("resume", "json", "html", "dry_run"),
    *(entry.key for entry in table(Place)),
    *(entry.key for entry in EVERY if entry.secret),
)


ASSUMED_CPUS = 8  #: Of a target that already runs, to choose how many users are a full load.
ASSUMED_S = 0.03  #: That one user waits for a page of which nothing is known.


def asked(options: Mapping[str, Any], alone_s: float | None = None) -> Asked:
    """What these options ask for; raises UsageError, and UnavailableError where no server runs."""
    if target := options.get("target"):
        refuse_beside(options, table(Wanted), OF_A_TARGET, run_options.RUNS_ALREADY)
    wanted, output = read(Wanted, options), read(run_options.Output, options)
    run_options.refuse_addresses((wanted.server or "", *wanted.servers))
    if target:
        wanted = replace(wanted, server=running.origin(target))
    objective = parse(wanted.objective or proposed(alone_s or ASSUMED_S))
    budget_s, factor = _times(wanted)
    spec = trials.pinned(_spec(options), wanted.for_cpus)
    known = databases(resolved(wanted.server or spec.server.server, trials.unhurried(spec)))
    reaches = reached(spec.database, pool=known.pool, keeps=known.keeps)
    size = wanted.processes, wanted.threads, wanted.options
    only = candidate(spec, reaches, wanted.server, *size) if wanted.server else None
    current = _current(wanted.current, spec, reaches)
    scaling = _scaling(wanted, spec, reaches, only)
    if only and (wanted.servers or current):
        raise UsageError(
            "--server is measured alone, and --servers and --current compare: leave one out."
        )
    servers = [only.server] if only else list(wanted.servers or USUAL)
    if current and current.server not in servers:
        servers.append(current.server)
    plans: list[Plan] = []
    unable: dict[str, str] = {}  #: Servers that can't do this work here, and why.
    for name in servers:
        try:
            plan = resolved(name, trials.unhurried(spec))
            preflight.check(plan)
            plans.append(plan)
        except (UsageError, UnavailableError) as error:
            if name not in conf.paths("SERVERS"):
                raise
            unable[name] = str(error)
    if current and (reason := unable.get(current.server)):
        raise UnavailableError(f"--current={current.server} can't be compared: {reason}")
    if not plans:
        reason, *further = dict.fromkeys(unable.values())
        if further:
            reason = f"None of {listed(list(unable))} can run here. {reason}"
            reason += " See listbench for what the others need."
        raise UnavailableError(reason)
    question = Question(
        objective=objective,
        alone_s=None if wanted.objective else alone_s,
        cpus=ASSUMED_CPUS
        if only and only.runs_already
        else (scaling and scaling[-1].cpus) or cpus.usable(spec.server.cpus),
        budget_s=budget_s,
        seed=output.seed,
        rate=wanted.rate,
        only=None if scaling else only,
        scaling=scaling,
        unshared=trials.unshared(spec),
        current=current,
        thorough=wanted.thorough,
        for_cpus=wanted.for_cpus,
        connections_limit=known.limits,
        aliases=known.aliases,
        keeps_connections=known.keeps,
        pool=known.pool,
        instances=spec.server.instances,
        unable=unable,
        gil=bool(plans[0].server.python.facts.get("gil", True)),
        window_factor=factor,
        profiles=explaining.has_profiler(),
        most_per_s=plans[0].most_per_s,
    )
    return Asked(question, spec, {one.spec.server.server: type(one.server) for one in plans})


def _times(wanted: Wanted) -> tuple[float, float]:
    """The budget, and by how much windows are longer than usual."""
    if wanted.thorough and wanted.window_s is not None:
        raise UsageError("--thorough says how long windows are, and --window too: leave one out.")
    factor, counts = (wanted.window_s or CONFIRMING_S) / CONFIRMING_S, len(set(wanted.cpus or ()))
    if wanted.budget_s is None:
        longer = THOROUGH if wanted.thorough else max(1.0, factor)
        return longer * (EACH_S * counts or BUDGET_S), factor
    least = least_s(factor) * max(1, counts)
    if wanted.budget_s < least:
        raise UsageError(
            f"--budget={wanted.budget_s:g}s is too short to find out anything: give at least "
            f"{format_period(least)}."
        )
    return wanted.budget_s, factor


def _spec(options: Mapping[str, Any]) -> RunSpec:
    searched = {entry.key for entry in run_options.EVERY if entry.group in OF_THE_SEARCH}
    common = {name: value for name, value in options.items() if name not in searched}
    makers = (options.get("load_processes") or 1) * (options.get("load_hosts") or 1)
    common["users"] = [max(LoadProfile().users, makers)]  # fewer couldn't be shared
    own = {} if options.get("target") else {"server": ["runserver"]}
    spec, *more = run_options.specs({**common, **own})
    if more:
        raise UsageError(
            "Servers and their sizes are all that a tuning compares: give --python, --env, "
            "--front, --instances and delays one value each."
        )
    work = planning.workload(spec.workload)
    if work.unit != REQUEST or work.needs_websocket:
        raise UsageError(
            f"An objective is about requests, and {work.name} measures WebSockets or streams: take "
            "another --workload, or runbench."
        )
    if work.locustfile:
        raise UsageError(
            "An objective is about arrivals that are planned, and users of a locustfile begin by "
            "themselves: tune a --path or a --workload, or measure them by runbench."
        )
    return spec


def _scaling(
    wanted: Wanted, spec: RunSpec, reaches: DatabaseSpec, only: Candidate | None
) -> tuple[Candidate, ...]:
    """The only candidate on each number of CPUs, the least first, as large as it can be there."""
    if wanted.cpus is None or only is None:
        return ()
    for flag, other in (("--rate", wanted.rate), ("--for-cpus", wanted.for_cpus)):
        if other is not None:
            raise UsageError(f"--cpus asks for each number alone, not {flag}: leave one out.")
    counts, most = sorted(set(wanted.cpus)), cpus.usable()
    if not 1 <= counts[0] <= counts[-1] <= most:
        raise UsageError(
            f"--cpus={','.join(map(str, counts))} can't be measured: {most} can be used here."
        )
    limit = resolved(only.server, spec).server.max_processes or cpus.MOST * only.processes
    given = only.threads, dict(only.options)
    sizes = {count: min(limit, count * only.processes) for count in counts}
    return tuple(
        replace(candidate(spec, reaches, only.server, size, *given), cpus=count)
        for count, size in sizes.items()
    )


def _current(text: str | None, spec: RunSpec, reaches: DatabaseSpec) -> Candidate | None:
    if text is None:
        return None
    if (match := SIZE.fullmatch(text)) is None:
        raise UsageError(
            f"--current={text} is not understood; write a server with its processes and threads, "
            "such as gunicorn-gthread:3x4 or gunicorn-sync:5."
        )
    threads = int(match["threads"]) if match["threads"] else None
    try:
        return candidate(spec, reaches, match["server"], int(match["processes"]), threads)
    except UsageError as error:
        raise UsageError(f"--current={text} can't be had: {error}") from error


def candidate(
    spec: RunSpec,
    reaches: DatabaseSpec,
    name: str,
    processes: int | None,
    threads: int | None,
    options: Mapping[str, Any] | None = None,
) -> Candidate:
    """A server in a size of the user's, or UsageError; `reaches` is how it holds connections."""
    given = {"processes": processes, "threads": threads, "options": options or {}}
    adapter = resolved(name, spec, **given).server  # says what it can't have
    threads = adapter.threads if adapter.threads_word is not None else None
    settings = {name: adapter.settings[name] for name in options or {}}
    sized = candidates.sized(name, type(adapter), adapter.processes, threads, settings, reaches)
    assert sized is not None
    return sized


def resolved(name: str, spec: RunSpec, **size: Any) -> Plan:
    """The same run of this server; raises as `planning.resolve` does."""
    return planning.resolve(replace(spec, server=replace(spec.server, server=name, **size)))


MOST_OF = {"postgresql": MOST, "mysql": "SELECT @@max_connections"}
"""Vendor → what asks how many connections ordinary users may have; others have no such limit."""
ENGINES = {"postgresql": "postgresql", "mariadb": "mysql"}  #: What a run starts → its backend.
CONNECT_S = 3  #: So long is waited for a database that may be down.
KEPT_S = 60.0  #: For how long connections are kept makes no difference here.


@dataclass(frozen=True, slots=True)
class Databases:
    """Of the measured project, by the kind of their servers."""

    limits: Mapping[str, int | None]  #: Connections that each server admits; None if not known.
    aliases: Mapping[str, int]  #: Entries of DATABASES that are on it.
    keeps: bool  #: Whether connections are kept after a request.
    pool: int | None  #: Connections of each process at most, where all entries have a pool.


def databases(plan: Plan) -> Databases:
    """As the runs of this plan will find them."""
    asked = plan.spec.database
    uses = plan.workload.uses_database and plan.server.serves_project
    entries, together = _entries(plan) if uses else ({}, [])
    limits: dict[str, int | None] = {}
    aliases: dict[str, int] = {}
    for alias, entry in entries.items():
        begun = plan.database if alias in together else None
        kind = ENGINES.get(asked.use, asked.use) if begun else _vendor(entry)
        if not begun and kind not in MOST_OF:
            continue
        place = f"{entry.get('HOST') or ''}:{entry.get('PORT') or ''}".strip(":")
        name = f"{kind} at {place}" if place else kind
        aliases[name] = aliases.get(name, 0) + 1
        if begun:
            limits[name] = asked.max_connections or begun.max_connections
        elif name not in limits:
            limits[name] = _limit(entry, kind)
    age = 0.0 if asked.pool is not None else asked.conn_max_age_s
    kept = [age] if age is not None else [one.get("CONN_MAX_AGE", 0) for one in entries.values()]
    pools = [_pool(entry) for entry in entries.values()]
    own = max(filter(None, pools), default=None) if all(pools) else None
    return Databases(limits, aliases, any(age != 0 for age in kept), asked.pool or own)


def reached(asked: DatabaseSpec, *, pool: int | None, keeps: bool) -> DatabaseSpec:
    """The same with what the settings of the project decide."""
    return replace(asked, pool=pool, conn_max_age_s=KEPT_S if keeps and pool is None else 0.0)


def _entries(plan: Plan) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """DATABASES, and the aliases in it that are on the server of --database."""
    try:
        given = getattr(environments.target_settings(), "DATABASES", {})
    except (ImportError, ImproperlyConfigured):
        return {}, []
    entries = {alias: dict(entry) for alias, entry in given.items() if entry}
    use = plan.spec.database.use
    # one of the project's own has an address when it is started, and then any engine
    url = use if plan.database is None else f"{ENGINES.get(use, 'sqlite')}:///"
    return entries, move_default(entries, url) if "://" in url else []


def _pool(entry: Mapping[str, Any]) -> int | None:
    """How many connections psycopg's pool may hold; None without one."""
    if not (asked := entry.get("OPTIONS", {}).get("pool")):
        return None
    given = asked if isinstance(asked, Mapping) else {}
    return int(given.get("max_size") or given.get("min_size", FIRST_CONNECTIONS))


def _vendor(entry: Mapping[str, Any]) -> str:
    try:
        return str(load_backend(entry["ENGINE"]).DatabaseWrapper.vendor)
    except (ImportError, ImproperlyConfigured, KeyError):  # a run says what is wrong with it
        return ""


def _limit(entry: dict[str, Any], kind: str) -> int | None:
    """What it says itself; None where it can't be asked."""
    options = {**entry.get("OPTIONS", {}), "connect_timeout": CONNECT_S}
    options.pop("pool", None)
    connection = ConnectionHandler({"default": {**entry, "OPTIONS": options}})["default"]
    try:
        with connection.cursor() as cursor:
            cursor.execute(MOST_OF[kind])
            (limit,) = cursor.fetchone()
    except (Error, ImproperlyConfigured):
        return None
    finally:
        connection.close()
    return None if limit is None else int(limit)
