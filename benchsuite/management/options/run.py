"""The options of `runbench`, grouped as its --help shows them, and the specs they stand for."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any
from uuid import UUID

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import (
    COLLECT,
    SKIP,
    RunSpec,
    ServerSpec,
    WorkloadSpec,
)
from benchsuite.core.specs.load import MAX_DURATION_S
from benchsuite.core.specs.spec import above
from benchsuite.core.units import listed, parse_seconds
from benchsuite.isolation.databases import client as databases
from benchsuite.management.options import cpus as cpu_options
from benchsuite.management.options import load as load_options
from benchsuite.management.options import pythons as python_options
from benchsuite.management.options import setup as setup_options
from benchsuite.management.options import sockets as socket_options
from benchsuite.management.options import visitor as visitor_options
from benchsuite.management.options.parsing import (
    APPENDED,
    COUNT,
    COUNTS,
    FLAG,
    PAIRS,
    TIME,
    names,
    whole_number,
)
from benchsuite.management.options.setup import pairs
from benchsuite.models import Run
from benchsuite.runner import assembly, planning
from benchsuite.runner.planning import Axis, axis
from benchsuite.workloads.base import Workload

PREFERRED = ("gunicorn-gthread", "gunicorn-sync", "runserver")
PREFERRED_SOCKETS = ("uvicorn", "daphne")  #: Where no server is named, for HTTP and for WebSockets.

BESIDE_AGAIN = frozenset(
    (
        *("again", "python", "env", "cpus_target", "cpus_load", "no_pin"),
        *("database", "layer_url", "header", "cookie"),
        *("repeat", "diagnose", "flame", "seed", "port", "start_timeout", "label", "json"),
        "strict",
        "dry_run",
    )
)
"""What may be said beside --again: which CPUs, how often, under which label; never another run.
--python and --env, --database and --layer-url, --header and --cookie have sentences of their own.
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Adds every option of `runbench`."""
    target = parser.add_argument_group("What is measured")
    _add_server(target)
    add_work_to(target)
    add_setup_to(parser)
    load = parser.add_argument_group("Load")
    load_options.add_to(load)
    load_options.add_connections_to(load)
    socket_options.add_to(parser.add_argument_group("WebSockets"))
    cpu_options.add_to(parser.add_argument_group("CPUs"))
    runs = parser.add_argument_group("Runs and output")
    _add_runs(runs)
    add_output_to(runs)


@cache
def defaults() -> Mapping[str, Any]:
    """What each option is where it is not given."""
    parser = argparse.ArgumentParser()
    add_to(parser)
    return vars(parser.parse_args([]))


def add_setup_to(parser: argparse.ArgumentParser) -> None:
    """Adds who asks, which Python serves, and what stands around the server."""
    visitor_options.add_to(parser.add_argument_group("Who asks, and what must come back"))
    python_options.add_to(parser.add_argument_group("Python"))
    setup_options.add_front_to(parser.add_argument_group("Before the server"))
    setup_options.add_database_to(parser.add_argument_group("Database"))
    setup_options.add_layer_to(parser.add_argument_group("Channel layer"))
    setup_options.add_target_to(parser.add_argument_group("Settings and variables"))
    setup_options.add_delay_to(parser.add_argument_group("Added latency"))


def _add_server(group: Any) -> None:
    add = group.add_argument
    add(
        "--server",
        **APPENDED,
        metavar="NAME[,NAME…]",
        help="server to start; several by comma or by repeating (see listbench)",
    )
    add("--processes", **COUNTS, help="processes of each server; several make an axis")
    add("--threads", **COUNTS, help="threads of each process; several make an axis")
    add("--option", **PAIRS, help="an option of the server, by the adapter's name for it")


def add_work_to(group: Any) -> None:
    """Adds what is asked of the server."""
    add = group.add_argument
    add(
        "--application",
        default="",
        metavar="MODULE:CALLABLE",
        help="a WSGI or ASGI application to serve in place of the project's own, without Django "
        "around it",
    )
    add("--workload", metavar="NAME", help="kind of work (see listbench); default: plain")
    add(
        "--workload-option", **PAIRS, help="an option of the workload, such as size=1000000 for cpu"
    )
    add(
        "--twin",
        metavar="|".join(planning.TWINS),
        help="the same work in views of this kind: io_read with async is io_read_async",
    )
    add(
        "--path",
        metavar="/PATH",
        help="page of your project to get; implies --workload=url, unless a workload ws_… is "
        "given, which speaks to the consumer there",
    )
    add(
        "--static",
        default="",
        metavar=f"{COLLECT}|{SKIP}",
        help="whether static files are collected into the run's folder (default: where their "
        "storage has a manifest and finds none)",
    )
    add("--locustfile", metavar="FILE", help="run the user classes of an existing locustfile")


def _add_runs(group: Any) -> None:
    add = group.add_argument
    add(
        "--repeat",
        **COUNT,
        default=1,
        help="fresh starts of each server, interleaved in shuffled blocks (default: %(default)s)",
    )
    add(
        "--diagnose",
        **FLAG,
        help="make one more start of each, which never counts, and time queries and pauses in it: "
        "repeated queries are named with their line",
    )
    add(
        "--flame",
        **FLAG,
        help="make one more start of each, which never counts, and profile it: which functions use "
        "the CPU",
    )
    add("--again", metavar="RUN_ID", help="repeat a stored run, exactly")
    add("--strict", **FLAG, help="end with status 1 when a run is invalid")


def add_output_to(group: Any) -> None:
    """Adds what is said of several runs together."""
    add = group.add_argument
    add("--label", default="", help="a word to find these runs by")
    add("--seed", type=whole_number, default=0, help="of the order and of each start")
    add("--port", type=whole_number, metavar="N", help="port of the server (default: a free one)")
    add(
        "--start-timeout",
        **TIME,
        help="how long making the databases, and then each server, may take until it answers "
        f"(default: {databases.READY_S:g} s and {assembly.READY_TIMEOUT_S:g} s)",
    )
    add("--json", metavar="FILE", help='write the results as JSON ("-" for standard output)')
    add("--dry-run", **FLAG, help="show the plan and stop")


def specs(options: dict[str, Any]) -> tuple[RunSpec, ...]:
    """The runs that these options ask for, in order; raises UsageError."""
    if options["again"]:
        _refuse_beside_again(options)
        stored = cpu_options.again(_stored(options["again"]), options)
        stored = python_options.again(stored, options)
        stored = setup_options.again(stored, options)
        stored = visitor_options.again(stored, options)
        stored = replace(stored, label=options["label"] or stored.label)
        return _turns([stored], options)
    if options["port"] is not None and not 1 <= options["port"] <= 65535:
        raise UsageError(f"--port must be between 1 and 65535, and is {options['port']}.")
    workload, work = _workload(options)
    options = socket_options.in_users(options, work)
    load = load_options.profile(options, work)
    for_target, for_load = cpu_options.chosen(options, load)
    load = replace(load, cpus=for_load)
    servers = _servers(options["server"], work)
    base = RunSpec(
        workload=workload,
        visitor=visitor_options.visitor(options),
        server=ServerSpec(
            server=servers[0],
            cpus=for_target,
            options=pairs("--option", options["option"]),
            application=options["application"],
        ),
        load=load,
        database=setup_options.database(options),
        layer=setup_options.layer(options),
        target=setup_options.target(options),
        static=options["static"],
        label=options["label"],
    )
    cells = planning.product(base, _axes(options, servers))
    settled = [replace(cell, load=planning.workload(workload).fit(cell.load)) for cell in cells]
    return _turns(settled, options)


def _turns(cells: Sequence[RunSpec], options: dict[str, Any]) -> tuple[RunSpec, ...]:
    """Each cell in its turns, and at last the diagnostic starts."""
    turns = planning.blocks(cells, options["repeat"], options["seed"])
    starts = [one.diagnosed for one in cells] if options.get("diagnose") else []
    starts += [one.profiled for one in cells] if options.get("flame") else []
    return (*turns, *{one.key: one for one in starts}.values())


def _axes(options: dict[str, Any], servers: Sequence[str]) -> list[Axis]:
    return [
        axis("server", "server.server", servers),
        Axis("Python", tuple(python_options.pythons(options))),
        Axis("front", tuple(setup_options.fronts(options))),
        axis("processes", "server.processes", options["processes"]),
        axis("threads", "server.threads", options["threads"]),
        axis("users", "load.users", options["users"]),
        *setup_options.delays(options),
    ]


def start_timeout_s(options: dict[str, Any]) -> float | None:
    """No part of a spec: how long somebody is willing to wait changes no figure."""
    given = options["start_timeout"]
    if given is None:
        return None
    seconds = parse_seconds(given)
    above("start-timeout", seconds, 0.0, MAX_DURATION_S)
    return seconds


def _refuse_beside_again(options: dict[str, Any]) -> None:
    changed = [
        f"--{'no-' * (options[name] is False)}{name.replace('_', '-')}"
        for name, default in defaults().items()
        if name not in BESIDE_AGAIN and options.get(name, default) != default
    ]
    if changed:
        raise UsageError(
            f"--again repeats a stored run as it was, and {listed(changed)} would change it: "
            f"leave {'it' if len(changed) == 1 else 'them'} out."
        )


def _stored(run_id: str) -> RunSpec:
    """The spec of a stored run, named by its id or by how its id begins."""
    digits = run_id.replace("-", "").lower()
    found = []
    if re.fullmatch(r"[0-9a-f]{6,32}", digits):
        low, high = (UUID(digits.ljust(32, filler)) for filler in "0f")
        found = list(Run.objects.filter(pk__range=(low, high))[:2])
    if len(found) != 1:
        which = "more than one stored run begins" if found else "no stored run begins"
        raise UsageError(f"--again {run_id}: {which} with that id; the list of results shows them.")
    if why := found[0].unreadable:
        raise UsageError(f"--again {run_id}: what is stored of this run can't be read ({why}).")
    return replace(RunSpec.from_json(found[0].spec), repetition=1)


def _servers(given: Sequence[str] | None, work: type[Workload]) -> list[str]:
    if given:
        return names("--server", given)
    preferred = PREFERRED_SOCKETS if work.needs_websocket else PREFERRED
    usable = (name for name in preferred if planning.is_usable(name))
    return [next(usable, PREFERRED_SOCKETS[0] if work.needs_websocket else "runserver")]


def _workload(options: dict[str, Any]) -> tuple[WorkloadSpec, type[Workload]]:
    """--path and --locustfile imply their workloads; anything contradictory is refused."""
    name: str | None = options["workload"]
    settings = pairs("--workload-option", options["workload_option"])
    for flag, implied in (("path", "url"), ("locustfile", "locustfile")):
        if options[flag] is None:
            continue
        if name is not None and flag == "path" and flag in conf.workload_class(name).options:
            implied = name
        if name not in (None, implied):
            raise UsageError(
                f"--{flag} means --workload={implied}, and --workload={name} is given too."
            )
        name = implied
        settings["path"] = options[flag]
    name = planning.twin(name or "plain", options["twin"])
    work = conf.workload_class(name)
    settings = socket_options.with_messages(settings, options, work)
    settings = visitor_options.with_answers(settings, options, work)
    return WorkloadSpec(workload=name, options=settings), work
