"""The options of `tunebench`, and the question that they ask."""

import argparse
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchsuite import conf
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import DatabaseSpec, RunSpec
from benchsuite.core.specs.load import MAX_RATE
from benchsuite.core.specs.objective import EXAMPLE, parse
from benchsuite.core.specs.spec import above
from benchsuite.core.units import format_period, listed, parse_seconds
from benchsuite.management.options import cpus as cpu_options
from benchsuite.management.options import load as load_options
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import (
    names,
    number,
    several,
    time,
    whole_number,
)
from benchsuite.management.options.setup import pairs
from benchsuite.management.tuning import placing
from benchsuite.management.tuning.databases import databases, reached
from benchsuite.runner import planning, preflight
from benchsuite.runner.plan import Plan
from benchsuite.servers.base import ServerAdapter
from benchsuite.system import cpus
from benchsuite.telemetry import profiler
from benchsuite.tuning import candidates
from benchsuite.tuning.bounds import counted
from benchsuite.tuning.making import CONFIRMING_S
from benchsuite.tuning.planning import least_s
from benchsuite.tuning.question import Question
from benchsuite.tuning.trial import Candidate

USUAL = (
    "gunicorn-gthread",
    "gunicorn-sync",
    "gunicorn-gevent",
    "granian-wsgi",
    "uwsgi",
    "waitress",
    "cheroot",
    "uvicorn",
    "granian-asgi",
    "gunicorn-uvicorn",
    "gunicorn-asgi",
    "daphne",
)
"""Servers that are compared where none are named, as far as they can run here."""

BUDGET_S = 900.0
EACH_S = 480.0  #: Of one configuration on one number of CPUs.
THOROUGH = 3.0  #: Times the usual budget: windows of 40 s that confirm leave time for a race then.
LONGEST_WINDOW_S = 600.0

SIZE = re.compile(r"(?P<server>[^:]+):(?P<processes>\d{1,6})(x(?P<threads>\d{1,6}))?")

BESIDE_RESUME = frozenset(
    (
        *("resume", "json", "dry_run", "port", "start_timeout"),
        *("database", "layer_url", "header", "cookie"),  # secrets, which are not stored
    )
)
BESIDE_PASTE = frozenset(("paste", "of"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a tuning is about."""

    question: Question
    spec: RunSpec  #: Of its runs, but for server, size and load.
    servers: Mapping[str, type[ServerAdapter]]  #: Those that are compared, and can run, by name.


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds every option of `tunebench`."""
    _add_question(parser.add_argument_group("What is asked"))
    run_options.add_work_to(parser.add_argument_group("What is measured"))
    run_options.add_setup_to(parser)
    load_options.add_connections_to(parser.add_argument_group("Load"))
    cpu_options.add_to(parser.add_argument_group("CPUs"))
    output = parser.add_argument_group("Search and output")
    output.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="ID",
        help="go on with the last tuning that has no answer yet, or with this one",
    )
    output.add_argument(
        "--paste",
        nargs="?",
        const="",
        metavar="KIND",
        help="print what deploys the configuration of the last tuning, and stop: its command, a "
        "systemd unit, … or all of them",
    )
    output.add_argument("--of", metavar="ID", help="another tuning for --paste")
    run_options.add_output_to(output)


def _add_question(group: Any) -> None:
    example = EXAMPLE.replace("%", "%%")  # argparse formats what it shows
    group.add_argument(
        "--objective", metavar="CONDITIONS", help=f'what must hold, such as "{example}"'
    )
    group.add_argument(
        "--rate",
        type=number,
        metavar="R",
        help="find the least memory that holds so many journeys a second (default: find the "
        "highest rate)",
    )
    group.add_argument(
        "--server", metavar="NAME", help="find the highest rate of this server in one size alone"
    )
    group.add_argument("--processes", type=whole_number, metavar="N", help="of that --server")
    group.add_argument(
        "--threads", type=whole_number, metavar="N", help="of each process of that --server"
    )
    group.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of that --server, by the adapter's name for it",
    )
    group.add_argument(
        "--servers",
        action="append",
        metavar="NAME[,NAME…]",
        help="servers to compare, each in several sizes (default: "
        f"{', '.join(USUAL)}, as far as they are installed)",
    )
    group.add_argument(
        "--current",
        metavar="SERVER:PxT",
        help="what runs now, such as gunicorn-gthread:3x4 or gunicorn-sync:5: it is compared with "
        "the others whatever it shows",
    )
    group.add_argument(
        "--budget",
        type=time,
        metavar="TIME",
        help=f"of all runs together (default: {format_period(BUDGET_S)}, with --cpus "
        f"{format_period(EACH_S)} for each number; {THOROUGH:g} times as much with --thorough, and "
        "as many times as a longer --window is longer)",
    )
    group.add_argument(
        "--window",
        type=time,
        metavar="TIME",
        help="of each level that confirms a rate; all other windows are longer or shorter alike "
        f"(default: {CONFIRMING_S:g} s). Short windows flatter",
    )
    group.add_argument(
        "--thorough", action="store_true", help="confirm in windows of 40 s, which flatter less"
    )
    group.add_argument(
        "--for-cpus",
        type=whole_number,
        metavar="N",
        help="give the server so many CPUs; of more than it can have here only a bound is told",
    )
    group.add_argument(
        "--cpus",
        type=several(whole_number),
        metavar="N[,N…]",
        help="find what that --server holds on each of these numbers of CPUs, with its --processes "
        "for each CPU",
    )


def asked(options: Mapping[str, Any]) -> Asked:
    """What these options ask for; raises UsageError, and UnavailableError where no server runs."""
    if options["objective"] is None:
        raise UsageError(
            f'--objective says what must hold, and is missing: --objective "{EXAMPLE}".'
        )
    objective = parse(options["objective"])
    budget_s, factor = _times(options)
    if options["rate"] is not None:
        above("rate", options["rate"], 0.0, MAX_RATE)
    spec = placing.pinned(_spec(options), options["for_cpus"])
    only, current = _only(options, spec), _current(options, spec)
    scaling = _scaling(options, spec, only)
    given = names("--servers", options["servers"])
    if only and (given or current):
        others = listed(["--servers"] * bool(given) + ["--current"] * bool(current))
        raise UsageError(f"--server is measured alone, and {others} would compare: leave one out.")
    wanted = [only.server] if only else given or list(USUAL)
    if current and current.server not in wanted:
        wanted.append(current.server)
    plans, unable = _plans(wanted, spec)
    if current and (reason := unable.get(current.server)):
        raise UnavailableError(f"--current={current.server} can't be compared: {reason}")
    if not plans:
        raise UnavailableError(_none_can(unable))
    known = databases(plans[0])
    database = reached(spec.database, pool=known.pool, keeps=known.keeps)
    only, current = (one and _reaching(one, spec, database) for one in (only, current))
    scaling = tuple(_reaching(one, spec, database) for one in scaling)
    question = Question(
        objective=objective,
        cpus=(scaling and scaling[-1].cpus) or cpus.usable(spec.server.cpus),
        budget_s=budget_s,
        seed=options["seed"],
        rate=options["rate"],
        only=None if scaling else only,
        scaling=scaling,
        unshared=placing.unshared(spec),
        current=current,
        thorough=options["thorough"],
        for_cpus=options["for_cpus"],
        connections_limit=known.limits,
        aliases=known.aliases,
        keeps_connections=known.keeps,
        pool=known.pool,
        instances=spec.server.instances,
        unable=unable,
        gil=bool(plans[0].server.python.facts.get("gil", True)),
        window_factor=factor,
        profiles=profiler.is_installed(),
    )
    return Asked(question, spec, {one.spec.server.server: type(one.server) for one in plans})


def again(question: Question, spec: RunSpec, names: Sequence[str]) -> Asked:
    """What a stored tuning asked for; raises as `asked` does."""
    return Asked(question, spec, {one: type(_plan(one, spec).server) for one in names})


def _times(options: Mapping[str, Any]) -> tuple[float, float]:
    """The budget, and by how much windows are longer than usual."""
    window_s = CONFIRMING_S if options["window"] is None else parse_seconds(options["window"])
    above("window", window_s, 0.0, LONGEST_WINDOW_S)
    if options["thorough"] and options["window"] is not None:
        raise UsageError("--thorough says how long windows are, and --window too: leave one out.")
    factor, counts = window_s / CONFIRMING_S, len(set(options["cpus"] or ()))
    if options["budget"] is None:
        longer = THOROUGH if options["thorough"] else max(1.0, factor)
        return longer * (EACH_S * counts or BUDGET_S), factor
    budget_s = parse_seconds(options["budget"])
    least = least_s(factor) * max(1, counts)
    if budget_s < least:
        raise UsageError(
            f"--budget={options['budget']} is too short to find out anything: give at least "
            f"{format_period(least)}."
        )
    return budget_s, factor


def _spec(options: Mapping[str, Any]) -> RunSpec:
    """What all runs have in common."""
    mine = {**options, "rate": None, "server": ["runserver"], "processes": None, "threads": None}
    specs = run_options.specs({**run_options.defaults(), **mine, "option": []})
    spec = specs[0]
    if len(specs) > 1:
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
    return spec


def _scaling(
    options: Mapping[str, Any], spec: RunSpec, only: Candidate | None
) -> tuple[Candidate, ...]:
    """That one on each number of CPUs, the least first, with its processes for each CPU: as many
    of these as it can have.
    """
    if options["cpus"] is None:
        return ()
    if only is None:
        raise UsageError("--cpus asks what one configuration holds: name it with --server.")
    for name, other in (("rate", "--rate"), ("for_cpus", "--for-cpus")):
        if options[name] is not None:
            raise UsageError(f"--cpus asks for each number alone, not {other}: leave one out.")
    counts, most = sorted(set(options["cpus"])), cpus.usable()
    if not 1 <= counts[0] <= counts[-1] <= most:
        wrong = counts[-1] if counts[-1] > most else counts[0]
        bound = f"; --for-cpus={wrong} tells what bounds it there" if wrong > most else ""
        raise UsageError(
            f"--cpus={wrong} can't be measured, because {counted(most, 'CPU')} can be used here: "
            f"give 1{f' to {most}' * (most > 1)}{bound}."
        )
    limit = _plan(only.server, spec).server.max_processes
    sizes = {one: one * only.processes for one in counts}
    return tuple(
        replace(only, cpus=one, processes=size if limit is None else min(size, limit))
        for one, size in sizes.items()
    )


def _only(options: Mapping[str, Any], spec: RunSpec) -> Candidate | None:
    """The one whose capacity is asked."""
    settings = pairs("--option", options["option"])
    if options["server"] is not None:
        size = options["processes"], options["threads"]
        return candidate(spec, spec.database, options["server"], *size, settings)
    beside = [
        name for name in ("processes", "threads", "option") if options[name] not in (None, [])
    ]
    if beside:
        raise UsageError(
            f"--{beside[0]} belongs to a --server, which is measured alone; add it, or leave "
            f"--{beside[0]} out and let the search find sizes."
        )
    return None


def _current(options: Mapping[str, Any], spec: RunSpec) -> Candidate | None:
    text = options["current"]
    if text is None:
        return None
    match = SIZE.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--current={text} is not understood; write a server with its processes and threads, "
            "such as gunicorn-gthread:3x4 or gunicorn-sync:5."
        )
    threads = int(match["threads"]) if match["threads"] else None
    try:
        return candidate(spec, spec.database, match["server"], int(match["processes"]), threads)
    except UsageError as error:
        raise UsageError(f"--current={text} can't be had: {error}") from error


def candidate(
    spec: RunSpec,
    database: DatabaseSpec,
    name: str,
    processes: int | None,
    threads: int | None,
    options: Mapping[str, Any] | None = None,
) -> Candidate:
    """A server in a size of the user's; raises UsageError where it can't have it."""
    given = {"processes": processes, "threads": threads, "options": options or {}}
    adapter = _plan(name, spec, **given).server  # says what it can't have
    threads = adapter.threads if adapter.threads_word is not None else None
    settings = {one: adapter.settings[one] for one in options or {}}
    found = candidates.sized(name, type(adapter), adapter.processes, threads, settings, database)
    assert found is not None
    return found


def _reaching(one: Candidate, spec: RunSpec, database: DatabaseSpec) -> Candidate:
    """The same with as many connections as it can hold to that."""
    size = one.processes, one.threads, dict(one.options)
    return replace(candidate(spec, database, one.server, *size), cpus=one.cpus)


def _plans(names: Sequence[str], spec: RunSpec) -> tuple[list[Plan], dict[str, str]]:
    """A run of each server that can do this work here, and why the others can't; raises UsageError
    for a name that is no server's.
    """
    plans, unable = [], {}
    for name in names:
        try:
            plan = _plan(name, spec)
            preflight.check(plan)
        except (UsageError, UnavailableError) as error:
            if name not in conf.server_paths():
                raise
            unable[name] = str(error)
        else:
            plans.append(plan)
    return plans, unable


def _plan(name: str, spec: RunSpec, **size: Any) -> Plan:
    return planning.resolve(replace(spec, server=replace(spec.server, server=name, **size)))


def _none_can(unable: Mapping[str, str]) -> str:
    first, *others = dict.fromkeys(unable.values())
    if not others:
        return first
    said = f"None of {listed(list(unable))} can run here. {first}"
    return f"{said} See listbench for what the others need."


def refuse_beside(options: Mapping[str, Any], allowed: Collection[str], why: str) -> None:
    """Raises UsageError for options that ask for a tuning where a stored one is meant."""
    parser = argparse.ArgumentParser()
    add_to(parser)
    changed = [
        f"--{name.replace('_', '-')}"
        for name, default in vars(parser.parse_args([])).items()
        if name not in allowed and options.get(name, default) != default
    ]
    if changed:
        out = f"leave {'it' if len(changed) == 1 else 'them'} out"
        raise UsageError(f"{why}, and {listed(changed)} would change it: {out}.")
