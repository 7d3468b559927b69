"""The options of `runbench` that say what stands around the server: front, data, layer, delay."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.conf import global_settings
from django.views.debug import SafeExceptionReporterFilter

from benchsuite.core.exceptions import UsageError
from benchsuite.core.passwords import completed, hidden, is_hidden
from benchsuite.core.plain import Misfit, reader
from benchsuite.core.specs import (
    LAYERS,
    MINE,
    TCP,
    THROWAWAY,
    UNIX,
    DatabaseSpec,
    LayerSpec,
    Option,
    RunSpec,
    TargetSpec,
)
from benchsuite.core.units import parse_seconds
from benchsuite.management.options.parsing import (
    COUNT,
    COUNTS,
    FLAG,
    PAIRS,
    REPEATED,
    TIME,
    TIMES,
    names,
    several,
)
from benchsuite.runner.planning import Axis, Value, axis
from benchsuite.services import DATABASES

NONE = "none"  #: As a front: the server without one.

DATABASE_URL, REDIS_URL = "DATABASE_URL", "REDIS_URL"
"""Variables in which a URL may stand with its password, which others see on a command line."""


def add_front_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--front",
        type=several(str),
        metavar="NAME[,NAME…]",
        help=f"proxy before the server (see listbench), or {NONE}; several make an axis",
    )
    add(
        "--instances",
        **COUNTS,
        help="copies of the server behind the front (default: 1); several make an axis",
    )
    add("--front-option", **PAIRS, help="an option of the front, by its adapter's name for it")


def add_database_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--database",
        default=THROWAWAY,
        metavar=f"throwaway|{'|'.join(DATABASES)}|keep|URL",
        help="the target's data: a database made and dropped by the run (default), that on a "
        "server started by the run, your own as it is (keep), or a throw-away one on the server of "
        "this URL",
    )
    add(
        "--rows",
        **COUNT,
        default=DatabaseSpec().rows,
        help="rows to seed for workloads that read them (default: %(default)s)",
    )
    add(
        "--fixture",
        **REPEATED,
        metavar="NAME[,NAME…]",
        help="Django fixtures that fill the throw-away database; several by comma or by repeating",
    )
    add(
        "--fill",
        **REPEATED,
        metavar="COMMAND",
        help='management command that then fills it, such as "loaddemo --count 100"; several by '
        "repeating",
    )
    add(
        "--fill-from",
        default="",
        metavar=MINE,
        help="copy your own databases into the throw-away ones first; yours are only read",
    )
    add("--max-connections", **COUNT, help="clients that the database started by the run admits")
    add("--no-fsync", **FLAG, help="let that database answer a commit before the disk has it")
    add(
        "--conn-max-age",
        **TIME,
        help="how long the target keeps a database connection; 0 closes it after each request "
        "(default: as the project says)",
    )
    add(
        "--pool",
        **COUNT,
        help="database connections in the pool of each process (PostgreSQL; default: as the "
        "project says)",
    )


def add_layer_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--layer",
        default="",
        metavar="|".join(LAYERS),
        help="channel layer of the target; Redis is started by the run (default: the project's)",
    )
    add(
        "--layer-by",
        default=TCP,
        metavar=f"{TCP}|{UNIX}",
        help="how the layer reaches Redis (default: %(default)s)",
    )
    add(
        "--layer-url",
        default="",
        metavar="URL",
        help="a Redis of your own for the layer, such as redis://localhost:6379/0",
    )
    add(
        "--layer-workers",
        **COUNT,
        default=0,
        help="programs runworker that answer what comes through the layer",
    )


def add_delay_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--delay-to-clients",
        **TIMES,
        help="how much later answers reach the load, such as 100ms; several make an axis",
    )
    add(
        "--delay-to-database",
        **TIMES,
        help="how much later queries reach the database, whose answers are not delayed; several "
        "make an axis",
    )
    add(
        "--delay-to-layer",
        **TIMES,
        help="how much later commands reach the Redis of --layer, whose answers are not delayed; "
        "several make an axis",
    )


def add_target_to(group: Any) -> None:
    group.add_argument(
        "--setting",
        **PAIRS,
        help="a setting of the target, such as CONN_HEALTH_CHECKS=true or CACHES.default.TIMEOUT=5 "
        "(JSON, else text); several by repeating",
    )
    group.add_argument(
        "--variable",
        **PAIRS,
        help="an environment variable of the target, such as MALLOC_ARENA_MAX=2; several by "
        "repeating",
    )
    group.add_argument(
        "--show-value",
        action="append",
        default=[],
        metavar="NAME",
        help="store and show the text that --setting or --variable gives NAME, which is hidden "
        "where Django doesn't know NAME or hides it on its error page; several by repeating",
    )


def fronts(options: Mapping[str, Any]) -> list[Value]:
    """Each front with each number of instances; where others have one, a server without has one
    instance.
    """
    given = [_front(name) for name in names("--front", options["front"])]
    settings = pairs("--front-option", options["front_option"])
    found: list[Value] = []
    for name in given or [""]:
        bare = not name and len(given) > 1
        for instances in [1] if bare else dict.fromkeys(options["instances"] or [1]):
            found.append(
                {
                    "server.front": name,
                    "server.instances": instances,
                    "server.front_options": {} if bare else settings,
                }
            )
    return found


def _front(name: str) -> str:
    return "" if name == NONE else name


def database(options: Mapping[str, Any]) -> DatabaseSpec:
    age = options["conn_max_age"]
    return DatabaseSpec(
        use=_with_password(options["database"], DATABASE_URL),
        rows=options["rows"],
        fixtures=tuple(names("--fixture", options["fixture"])),
        fill=tuple(options["fill"]),
        fill_from=options["fill_from"],
        max_connections=options["max_connections"],
        fsync=not options["no_fsync"],
        conn_max_age_s=None if age is None else parse_seconds(age),
        pool=options["pool"],
    )


def target(options: Mapping[str, Any]) -> TargetSpec:
    settings = pairs("--setting", options["setting"])
    variables = pairs("--variable", options["variable"])
    values = [(name, _as_json(str(text))) for name, text in (*settings.items(), *variables.items())]
    if unknown := set(options["show_value"]) - {*settings, *variables}:
        raise UsageError(
            f"--show-value {min(unknown)} names no --setting and no --variable of this command."
        )
    secret = {name for name, value in values if _may_be_secret(name, value)}
    return TargetSpec(
        settings=dict(values[: len(settings)]),
        variables={name: str(text) for name, text in variables.items()},
        hidden=tuple(sorted(secret.difference(options["show_value"]))),
    )


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


def layer(options: Mapping[str, Any]) -> LayerSpec:
    return LayerSpec(
        backend=options["layer"],
        by=options["layer_by"],
        url=_with_password(options["layer_url"], REDIS_URL),
        workers=options["layer_workers"],
    )


def again(spec: RunSpec, options: Mapping[str, Any]) -> RunSpec:
    """A stored run, which has no passwords, with those that are given again.

    Beside --again the same --database and --layer-url may be given, or be in the environment.
    """
    hidden_options = {**spec.workload.options, **spec.server.options, **spec.server.front_options}
    if is_hidden([hidden_options, spec.database.fill, spec.target.to_json()]):
        raise UsageError(
            "This run has values that are hidden, and so were not stored: leave out --again or "
            "--resume, and give its options."
        )
    given = options["database"] if options["database"] != THROWAWAY else spec.database.use
    _refuse_another("database", given, spec.database.use)
    use = _with_password(given, DATABASE_URL)
    given = options["layer_url"] or spec.layer.url
    _refuse_another("layer-url", given, spec.layer.url)
    url = _with_password(given, REDIS_URL)
    return replace(
        spec, database=replace(spec.database, use=use), layer=replace(spec.layer, url=url)
    )


def _refuse_another(name: str, given: str, stored: str) -> None:
    if hidden(given) != stored:
        raise UsageError(
            f"--again repeats a stored run as it was, and --{name}={hidden(given)} would change "
            f"it: leave it out, or give {stored or 'none'} with its password."
        )


def _with_password(url: str, variable: str) -> str:
    return completed(url, os.environ.get(variable, ""))


def delays(options: Mapping[str, Any]) -> list[Axis]:
    """How much later answers and queries arrive."""
    seconds = {
        whose: [parse_seconds(text) for text in options[f"delay_to_{whose}"] or ()]
        for whose in ("clients", "database", "layer")
    }
    return [
        axis(f"delay to {whose}", f"delay.to_{whose}_s", some) for whose, some in seconds.items()
    ]


def pairs(flag: str, given: Sequence[str]) -> dict[str, Option]:
    """What was given as NAME=VALUE; raises UsageError for anything else."""
    found: dict[str, Option] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals or not value:
            raise UsageError(f"{flag} {text!r} is not of the form name=value.")
        if name.strip() in found:
            raise UsageError(f"{flag} sets {name.strip()} twice; leave one of them out.")
        found[name.strip()] = value
    return found
