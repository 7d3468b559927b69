"""The options of `runbench`, and the runs that they ask for."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any
from uuid import UUID, uuid4

from django.conf import global_settings
from django.core.management import CommandError
from django.db.models import Max
from django.views.debug import SafeExceptionReporterFilter

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import Misfit, reader
from benchsuite.core.printable import completed, hidden, is_hidden
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import Option, RunSpec, ServerSpec, VisitorSpec, load
from benchsuite.core.specs.run import OUTPUT
from benchsuite.core.specs.spec import Spec, changed, option, optional, switch, table
from benchsuite.core.units import listed, parse_seconds
from benchsuite.management.options import parsing
from benchsuite.management.options.place import Place
from benchsuite.models import Run, begin_of_id
from benchsuite.pythons.interpreter import OWN
from benchsuite.runner import environments, planning
from benchsuite.servers import running
from benchsuite.studies.options import Known
from benchsuite.system import cpus
from benchsuite.workloads.base import Workload

PREFERRED = ("gunicorn-gthread", "gunicorn-sync", "runserver")
PREFERRED_SOCKETS = ("uvicorn", "daphne", "uvicorn")
"""Where no server is named, for HTTP and for WebSockets; the last one where none can run here."""

SEEDS = 0, 10**9  #: Those of runs are made of it, and stored.
NONE = "none"  #: As a front: the server without one.
AS_IT_WAS = "--again repeats a stored run as it was"  #: How what would change it is refused.

URLS = {"database.use": "DATABASE_URL", "layer.url": "REDIS_URL"}
"""Variables in which a URL may stand with its password, which others see on a command line."""

STAGES = re.compile(r"(?P<levels>[^x]+)(x(?P<length>[^x]+))?")
LEVEL = re.compile(r"(?P<number>\d{1,12}(\.\d{1,12})?)(?P<per_second>/s)?")

MEASURED, SOCKETS, CPUS, RUNS = "What is measured", "WebSockets", "CPUs", "Runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shorthand(Spec):
    """Options that stand for several fields of a run, or for a part of one."""

    path: str | None = optional(
        "--path /PATH  page of your project to get; implies --workload=url, unless a workload "
        "ws_… is given, which speaks to the consumer there",
        group=MEASURED,
    )
    target: str | None = optional(
        "--target URL  measure what already runs there, such as https://staging.example.org, in "
        "place of a server that is started: nothing of it is isolated, and only --agent watches it",
        group=MEASURED,
    )
    locustfile: str | None = optional(
        "--locustfile FILE  run the user classes of an existing locustfile", group=MEASURED
    )
    twin: str | None = optional(
        f"--twin {'|'.join(planning.TWINS)}  the same work in views of this kind: io_read with "
        "async is io_read_async",
        group=MEASURED,
    )
    expect: tuple[str, ...] = option(
        (),
        "--expect [/PATH=]TEXT  text that the pages of --path must hold, or one of them",
        group=VisitorSpec.group,
    )
    status: tuple[str, ...] = option(
        (),
        "--status [/PATH=]STATUS  status of these pages, or of one of them",
        unless="200",
        group=VisitorSpec.group,
    )
    shape: bool = option(
        True,
        "--shape  ask that pages look as they did before the load (type, title, marks of a "
        "log-in, rough length)",
        group=VisitorSpec.group,
    )
    stages: str | None = optional(
        "--stages LEVELS[xTIME]  several levels in one run, each measured by itself: "
        "50:100:200x30s are users, 50/s:100/s:200/sx30s are rates; each with its own --warmup",
        group="Load",
    )
    connections: list[int] | None = optional(
        "--connections N[,N…]  WebSockets or streams open at once, for the workloads ws_… and "
        "sse: what --users is for the others",
        within=(1, load.MAX_USERS),
        group=SOCKETS,
    )
    messages: int | None = optional(
        "--messages N  messages on each connection, which is then closed and opened again",
        within=(1, 1_000_000_000),
        unless="a connection is kept for the whole load",
        group=SOCKETS,
    )
    show_value: tuple[str, ...] = option(
        (),
        "--show-value NAME  store and show the text that --setting or --variable gives NAME, "
        "which is hidden where Django doesn't know NAME or hides it on its error page",
        group="Settings and variables",
    )
    cpus_target: cpus.Cpus | None = optional(
        "--cpus-target LIST  CPUs of the server, as 0 or 0-2,4",
        parse=cpus.parse,
        unless="all but those of the load",
        again=True,
        group=CPUS,
    )
    cpus_load: cpus.Cpus | None = optional(
        "--cpus-load LIST  CPUs of the load",
        parse=cpus.parse,
        unless="the last core for each load process, at most half of all",
        again=True,
        group=CPUS,
    )
    pin: bool = option(
        True, "--pin  keep server and load apart, on CPUs of their own", again=True, group=CPUS
    )
    diagnose: bool = switch(
        "--diagnose  make one more run of each, which never counts, and time queries and pauses "
        "in it: repeated queries are named with their line",
        again=True,
        group=RUNS,
    )
    flame: bool = switch(
        "--flame  make one more run of each, which never counts, and profile it: which "
        "functions use the CPU",
        again=True,
        group=RUNS,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Spec):
    """What a command is told of its runs together, and a cell of a study can't say."""

    group = OUTPUT

    repeat: int = option(
        1, "--repeat N  fresh runs of each server, interleaved in shuffled blocks", group=RUNS
    )
    again: tuple[str, ...] = option(
        (),
        "--again RUN_ID[,RUN_ID…]  repeat a stored run, exactly; those of one command go to it",
        group=RUNS,
    )
    strict: bool = switch("--strict  end with status 1 when a run is invalid", group=RUNS)
    seed: int = option(0, "--seed N  of the order and of each run", within=SEEDS)
    json: str | None = optional('--json FILE  write the results as JSON ("-" for standard output)')
    html: str | None = optional(
        "--html FILE  write the page of the results as one file that opens offline"
    )
    dry_run: bool = switch("--dry-run  show the plan and stop")


OF_A_RUN = (*table(RunSpec), *table(Shorthand))
EVERY = (*OF_A_RUN, *table(Place), *table(Output))


def specs(options: Mapping[str, Any]) -> tuple[RunSpec, ...]:
    """The runs that these options ask for, in order; raises UsageError."""
    short, output = parsing.read(Shorthand, options), parsing.read(Output, options)
    made = 0
    if output.again:
        allowed = {entry.key for entry in OF_A_RUN if entry.again}
        parsing.refuse_beside(options, OF_A_RUN, allowed, AS_IT_WAS)
        some: Sequence[RunSpec] = [_again(run, options, short) for run in _stored(output.again)]
        _, made = continued(output.again)
    else:
        values = parsing.given(options, table(RunSpec))
        values["project"] = conf.config()["PROJECT"] or ""
        _choose_target(values, short, options)
        work = _choose_work(values, short)
        _choose_load(values, short, work)
        _choose_place(values, short)
        if "server.server" not in values:
            preferred = PREFERRED_SOCKETS if work.needs_websocket else PREFERRED
            values["server.server"] = [_usable(preferred, values)]
        some = parsing.cells(values)
    turns = planning.blocks(some, output.repeat, output.seed, made)
    starts = [one.diagnosed for one in some] if short.diagnose else []
    starts += [one.profiled for one in some] if short.flame else []
    return (*turns, *{one.key: one for one in starts}.values())


def _usable(preferred: Sequence[str], values: Mapping[str, Any]) -> str:
    """The first that the first of the Pythons can run, or the last; of an environment the first."""
    if "server.environment" in values:
        return preferred[0]
    spec = ServerSpec(server="", python=values.get("server.python", [""])[0])
    python = environments.interpreter(spec, None)
    usable = (name for name in preferred if conf.servers()[name].available(python or OWN).ok)
    return next(usable, preferred[-1])


def continued(again: Sequence[str]) -> tuple[UUID, int]:
    """The batch of the runs of --again, if they share one, and the turns it had; else a new one."""
    batches = {run.batch for run in _stored(again)} if len(again) > 1 else set()
    if len(batches) != 1:
        return uuid4(), 0
    (batch,) = batches
    turns = Run.objects.filter(batch=batch).aggregate(most=Max("repetition"))["most"]
    return batch, int(turns)


def known() -> Known:
    """What a cell of a study may say, by its name without dashes, and what that takes."""
    return parsing.takes(entry for entry in OF_A_RUN if entry.path != "label")


def of_words(*words: str) -> tuple[RunSpec, ...]:
    """The runs of a command line; raises UsageError."""
    try:
        return specs(vars(_parser().parse_args(words)))
    except CommandError as error:
        raise UsageError(str(error).removeprefix("Error: ")) from error


@cache
def _parser() -> parsing.Parser:
    parser = parsing.Parser(prog="runbench", called_from_command_line=False, allow_abbrev=False)
    parsing.add_to(parser, EVERY)
    return parser


def of_cell(arguments: Sequence[str]) -> RunSpec:
    """The run of these arguments; raises UsageError where they are none, or several."""
    spec, *more = of_words(*arguments)
    if more:
        raise UsageError(
            f"These options are {1 + len(more)} runs, and a configuration of a study is one: "
            "make what varies an axis of the study."
        )
    return spec


# parts of a run that are about a server that it starts, and other options that are
OF_SERVERS = ("server", "database", "delay", "layer", "target", "static")
OF_STARTING = ("login", "cpus-target", "diagnose", "flame", "port", "bind", "start-timeout")
RUNS_ALREADY = "--target names what already runs, of which nothing is started, set or filled"


def refuse_addresses(servers: Iterable[str]) -> None:
    """Raises UsageError where one is no server that can be started."""
    for name in filter(running.is_address, servers):
        raise UsageError(f"--server={hidden(name)} is an address: give --target with it.")


def _choose_target(values: dict[str, Any], short: Shorthand, options: Mapping[str, Any]) -> None:
    """The address in place of a server."""
    refuse_addresses(values.get("server.server", ()))
    if short.target is None:
        return
    entries = [
        entry
        for entry in EVERY
        if entry.name in OF_STARTING
        or (entry in table(RunSpec) and entry.path.partition(".")[0] in OF_SERVERS)
    ]
    parsing.refuse_beside(options, entries, (), RUNS_ALREADY)
    values["server.server"] = [running.origin(short.target)]
    if short.path is None and short.locustfile is None and "workload.workload" not in values:
        raise UsageError(f"--target={short.target} has many pages: say which, as in --path=/.")


def _choose_work(values: dict[str, Any], short: Shorthand) -> type[Workload]:
    """The workload and its options, of which several have a flag of their own."""
    name: str | None = values.get("workload.workload")
    options: dict[str, Option] = values.get("workload.options", {})
    for flag, implied in (("path", "url"), ("locustfile", "locustfile")):
        given_path = getattr(short, flag)
        if given_path is None:
            continue
        if name is not None and flag == "path" and flag in conf.workload_class(name).options:
            implied = name
        if name not in (None, implied):
            raise UsageError(
                f"--{flag} means --workload={implied}, and --workload={name} is given too."
            )
        name = implied
        if "path" in options:
            raise UsageError(f"--{flag} and --workload-option path=… are both given.")
        options["path"] = given_path
    name = planning.twin(name or "plain", short.twin)
    work = conf.workload_class(name)
    own: dict[str, Option | None] = {
        "messages": short.messages,
        "expect": "\n".join(short.expect) or None,
        "status": "\n".join(short.status) or None,
        "shape": None if short.shape else False,
    }
    for field, value in own.items():
        if value is None:
            continue
        flag = f"--{'no-' * (value is False)}{field}"
        if field not in work.options:
            raise UsageError(
                f"{flag} sets an option that the workload {work.name} doesn't have: leave it out."
            )
        if field in options:
            raise UsageError(f"{flag} and --workload-option {field}=… are both given.")
        options[field] = value
    values.update({"workload.workload": name, "workload.options": options})
    return work


def _choose_load(values: dict[str, Any], short: Shorthand, work: type[Workload]) -> None:
    """The load; what is left open is as the workload has it."""
    users, rate = values.get("load.users"), values.get("load.arrival_rate")
    stages, connections = short.stages, short.connections
    ways = {"--users": users, "--rate": rate, "--stages": stages, "--connections": connections}
    given = [flag for flag, value in ways.items() if value is not None]
    if len(given) > 1 and given != ["--rate", "--connections"]:
        raise UsageError(
            f"{listed(given)} each say how much load there is: give one of them. Beside --rate, "
            "--max-in-flight is the most journeys under way at once."
        )
    if connections is not None and work.unit == REQUEST:
        raise UsageError(
            f"--connections counts WebSockets or streams, and the figures of {work.name} are of "
            "requests: say how many --users, or choose a workload ws_… or sse (see listbench)."
        )
    if connections is not None and rate is not None:
        if len(connections) > 1 or "load.max_in_flight" in values:
            raise UsageError(
                "Beside --rate, --connections is the most in use at once, as is --max-in-flight: "
                "give one of them, and one number."
            )
        values["load.max_in_flight"] = connections[0]
    elif connections is not None:
        values["load.users"] = connections
    fixed = "load.iterations" in values
    if fixed and work.endless:
        raise UsageError(
            f"--iterations counts journeys, and those of {work.name} don't end by themselves; "
            "remove it."
        )
    if stages is not None:
        _choose_stages(values, stages)
    elif rate is not None:
        values["load.model"] = load.OPEN
    if values.get("load.model") != load.OPEN and not fixed:
        values.setdefault("load.spawn_rate", work.spawn_rate)
    values.setdefault("load.warmup_s", 0.0 if fixed else work.warmup_s)
    values.setdefault("load.duration_s", load.LIMIT_S if fixed else work.duration_s)
    values.setdefault("load.keep_cookies", work.keep_cookies)


def _choose_stages(values: dict[str, Any], text: str) -> None:
    whole = STAGES.fullmatch(text.strip())
    words = whole["levels"].split(":") if whole else []
    levels = [level for word in words if (level := LEVEL.fullmatch(word.strip()))]
    numbers = tuple(float(level["number"]) for level in levels)
    is_one_kind = len({level["per_second"] for level in levels}) == 1
    if whole is None or len(levels) < len(words) or not all(numbers) or not is_one_kind:
        raise UsageError(
            f"--stages={text} is not understood; write numbers of users above 0 (50:100:200x30s) "
            "or rates (50/s:100/s:200/sx30s), and after the x how long each lasts."
        )
    if length := whole["length"]:
        if "load.duration_s" in values:
            raise UsageError(
                f"--stages={text} says how long each lasts, and --duration too: leave one of them "
                "out."
            )
        values["load.duration_s"] = parse_seconds(length)
    values["load.stages"] = numbers
    if levels[0]["per_second"]:
        values.update({"load.model": load.OPEN, "load.arrival_rate": max(numbers)})
    else:
        values["load.users"] = int(max(numbers))


def _choose_place(values: dict[str, Any], short: Shorthand) -> None:
    """CPUs, environments, fronts, the target's data and settings."""
    values["server.cpus"], values["load.cpus"] = _cpus(short, values.get("load.processes", 1))
    if short.target is not None:
        values["server.cpus"], values["load.cpus"] = None, short.cpus_load
    if files := values.get("server.environment"):
        values["server.environment"] = _environments(files)
    if fronts := values.get("server.front"):
        values["server.front"] = ["" if name == NONE else name for name in fronts]
    for field, variable in URLS.items():
        if field in values:
            values[field] = completed(values[field], os.environ.get(variable, ""))
    settings = {name: _as_json(text) for name, text in values.get("target.settings", {}).items()}
    variables = values.get("target.variables", {})
    if unknown := set(short.show_value) - {*settings, *variables}:
        raise UsageError(
            f"--show-value {min(unknown)} names no --setting and no --variable of this command."
        )
    texts = {name: _as_variable(text) for name, text in variables.items()}
    secret = {
        name for name, value in (*settings.items(), *texts.items()) if _may_be_secret(name, value)
    }
    values["target.settings"], values["target.variables"] = settings, variables
    values["target.hidden"] = tuple(sorted(secret.difference(short.show_value)))


def _cpus(short: Shorthand, load_processes: int) -> tuple[cpus.Cpus | None, cpus.Cpus | None]:
    """CPUs of the server and of the load, None for all; raises UsageError."""
    for_target, for_load = short.cpus_target, short.cpus_load
    if not short.pin:
        if for_target or for_load:
            raise UsageError("--no-pin and --cpus-target or --cpus-load exclude each other.")
        return None, None
    everything, taken = cpus.available(), for_target or for_load
    if taken is None:
        return cpus.split(everything, load_processes) or (None, None)
    rest = tuple(cpu for cpu in everything if cpu not in taken)
    if not (rest or short.target or (for_target and for_load)):
        whose = "load" if for_target else "server"
        raise UsageError(
            f"No CPU is left for the {whose}; name its CPUs too, also when they are the same."
        )
    return for_target or rest, for_load or rest


def _environments(files: Sequence[str]) -> list[str]:
    kept = [environments.environment(file) for file in files]
    names = [environment.partition("@")[0] for environment in kept]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"--env names {', '.join(twice)} twice; give each file a name of its own.")
    return kept


def _may_be_secret(name: str, value: Any) -> bool:
    """Text whose name Django doesn't know, and what its own error page hides by a name within."""
    if value is None or isinstance(value, bool):
        return False
    if isinstance(value, Mapping):
        return any(_may_be_secret(f"{name}.{key}", part) for key, part in value.items())
    if isinstance(value, list):
        return any(_may_be_secret(name, part) for part in value)
    known = hasattr(global_settings, name.partition(".")[0]) or not isinstance(value, str)
    return not known or SafeExceptionReporterFilter.hidden_settings.search(name) is not None


def _as_json(text: str) -> Any:
    """What it is as JSON, else the text itself."""
    try:
        return reader(Any)(json.loads(text))
    except (RecursionError, Misfit) as error:
        raise UsageError(f"--setting has a value that can't be stored: {error}.") from error
    except ValueError:
        return text


def _as_variable(text: str) -> Any:
    """The same of a variable, which stays text: what JSON can't hold is just that."""
    try:
        return _as_json(text)
    except UsageError:
        return text


def _again(run: Run, options: Mapping[str, Any], short: Shorthand) -> RunSpec:
    """A stored run as it was, with what is not stored, and on other CPUs if any are given."""
    spec = replace(RunSpec.from_json(run.spec), repetition=1)
    values = parsing.given(options, table(RunSpec))
    for environment in _environments(values.get("server.environment", ())):
        if environment != spec.server.environment:
            raise UsageError(f"{AS_IT_WAS}, and {environment} is not its environment.")
    if short.cpus_target or short.cpus_load or options.get("pin") is not None:
        for_target, for_load = _cpus(short, spec.load.processes)
        server = replace(spec.server, cpus=for_target)
        spec = replace(spec, server=server, load=replace(spec.load, cpus=for_load))
    return with_secrets(replace(spec, label=values.get("label", spec.label)), options)


def with_secrets(spec: RunSpec, options: Mapping[str, Any]) -> RunSpec:
    """A stored run with its secrets, which are given again or in the environment."""
    project = conf.config()["PROJECT"]
    if project and spec.project not in ("", project):
        raise UsageError(
            f"What is stored there is of the project {spec.project}, and this is {project}: repeat "
            "it, or go on with it, there."
        )
    options_of = (spec.workload.options, spec.server.options, spec.server.front_options)
    if is_hidden([*options_of, spec.database.fill, spec.target.to_json()]):
        raise UsageError(
            "This run has values that are hidden, and so were not stored: leave out --again or "
            "--resume, and give its options."
        )
    entries = [entry for entry in table(RunSpec) if entry.secret]
    again = parsing.given(options, entries)
    urls = {}
    for entry in (entry for entry in entries if entry.path in URLS):
        stored = attrgetter(entry.path)(spec)
        url = again.get(entry.path, stored)
        if hidden(url) != stored:
            raise UsageError(
                f"{AS_IT_WAS}, and --{entry.name}={hidden(url)} would change it: leave it out, or "
                f"give {stored or 'none'} with its password."
            )
        urls[entry.path] = completed(url, os.environ.get(URLS[entry.path], ""))
    visitor = VisitorSpec(
        headers=again.get("visitor.headers", ()), cookies=again.get("visitor.cookies", ())
    )
    if set(visitor.lines) != set(spec.visitor.unknown):
        raise UsageError(
            f"{AS_IT_WAS}, and secrets are not stored with one: give "
            f"{listed(sorted(spec.visitor.unknown) or ['no header and no cookie'])} again."
        )
    return changed(spec, {**urls, "visitor": spec.visitor.completed(visitor)})


def _stored(again: Sequence[str]) -> list[Run]:
    """The stored runs of --again, each named by its id or by how its id begins."""
    runs = []
    for run_id in again:
        begin = begin_of_id(run_id)
        rows = list(Run.objects.filter(pk__istartswith=begin)[:2]) if begin else []
        if not rows:
            why = "not one stored run begins with that id; the list of results shows them"
        elif len(rows) > 1:
            why = "several stored runs begin with that id; give more of it"
        elif rows[0].unreadable:
            why = f"what is stored of this run can't be read ({rows[0].unreadable})"
        else:
            runs += rows
            continue
        raise UsageError(f"--again {run_id}: {why}.")
    return runs
