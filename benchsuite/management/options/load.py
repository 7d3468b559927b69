"""The options of `runbench` that say how much load, and the profile they stand for."""

import argparse
import re
from collections.abc import Mapping
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import ARRIVALS, CLOSED, CONSTANT, IN_FLIGHT, OPEN, LoadProfile
from benchsuite.core.units import parse_seconds
from benchsuite.management.options.parsing import COUNT, COUNTS, FLAG, TIME, number
from benchsuite.workloads.base import Workload

DEFAULTS = LoadProfile()
LIMIT_S = 600.0  #: How long a fixed amount of work may take, by default; k6's `maxDuration`.

STAGES = re.compile(r"(?P<levels>[^x]+)(x(?P<length>[^x]+))?")
LEVEL = re.compile(r"(?P<number>\d{1,12}(\.\d{1,12})?)(?P<per_second>/s)?")


def add_to(group: Any) -> None:
    """Adds how much load, and for how long."""
    add = group.add_argument
    add(
        "--users",
        **COUNTS,
        help=f"users at once, each waits for its answer (default: {DEFAULTS.users}); several make "
        "an axis",
    )
    add(
        "--spawn-rate",
        type=number,
        metavar="N",
        help="users started per second (default: all at once or, where they think, spread over a "
        "cycle of theirs)",
    )
    add("--think-time", **TIME, default="0", help="pause of a user between journeys (default: 0)")
    add(
        "--iterations",
        **COUNT,
        help="journeys of each user, all begun at once and measured as a whole: the load ends with "
        f"the last one, or at --duration (then by default {LIMIT_S:g} s)",
    )
    add(
        "--rate",
        type=number,
        metavar="R",
        help="instead of users: journeys that begin per second, whatever the answers do",
    )
    add(
        "--arrivals",
        metavar="|".join(ARRIVALS),
        help="with --rate: evenly spaced (default) or independent of each other, as people come",
    )
    add(
        "--max-in-flight",
        **COUNT,
        help="with --rate: journeys under way at once; later ones wait, and their waiting counts "
        f"(default: what arrives within one --timeout, at most {IN_FLIGHT})",
    )
    add(
        "--in-turn",
        **FLAG,
        help="with --rate: connections take journeys in turn, as many as begin in a second "
        "(default: the one used last takes the next, so that few are used)",
    )
    add(
        "--stages",
        metavar="LEVELS[xTIME]",
        help="several levels in one run, each measured by itself: 50:100:200x30s are users, "
        "50/s:100/s:200/sx30s are rates; each with its own --warmup",
    )
    add(
        "--warmup",
        **TIME,
        help=f"load before the window, thrown away (default: {DEFAULTS.warmup_s:g} s)",
    )
    add(
        "--duration",
        **TIME,
        help=f"length of the measured window (default: {DEFAULTS.duration_s:g} s)",
    )
    add(
        "--timeout",
        **TIME,
        default=f"{DEFAULTS.timeout_s:g}",
        help="a request without its whole answer by then has failed (default: %(default)s s)",
    )
    add(
        "--drain",
        **TIME,
        help="how long answers to open requests are awaited after the load (default: --timeout)",
    )


def add_connections_to(group: Any) -> None:
    """Adds what holds for any load."""
    add = group.add_argument
    add(
        "--keep-alive",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="use a connection for more than one request",
    )
    add(
        "--keep-cookies",
        action=argparse.BooleanOptionalAction,
        help="let a user's next journey send the cookies of the one before (default: each journey "
        "is a fresh visitor's)",
    )
    add(
        "--load-processes",
        **COUNT,
        default=DEFAULTS.processes,
        help="processes that make the load together (default: %(default)s)",
    )


def profile(options: Mapping[str, Any], work: type[Workload] = Workload) -> LoadProfile:
    """The load that these options ask for; what they leave open is as the workload has it.

    Raises UsageError.
    """
    iterations = options["iterations"]
    if iterations is not None and work.endless:
        raise UsageError(
            f"--iterations counts journeys, and those of {work.name} don't end by themselves; "
            "remove it."
        )
    fixed = iterations is not None
    common = {
        "iterations": iterations,
        "warmup_s": _seconds(options["warmup"], 0.0 if fixed else work.warmup_s),
        "duration_s": _seconds(options["duration"], LIMIT_S if fixed else work.duration_s),
        "timeout_s": parse_seconds(options["timeout"]),
        "drain_s": None if options["drain"] is None else parse_seconds(options["drain"]),
        "keep_alive": options["keep_alive"],
        "keep_cookies": _chosen(options["keep_cookies"], work.keep_cookies),
        "spawn_rate": options["spawn_rate"],
        "think_time_s": parse_seconds(options["think_time"]),
        "max_in_flight": options["max_in_flight"],
        "in_turn": options["in_turn"],
        "processes": options["load_processes"],
    }
    model = CLOSED
    levels: tuple[float, ...] = ()
    if options["stages"] is not None:
        model, levels, length_s = _stages(options)
        common["duration_s"] = length_s or common["duration_s"]
    elif options["rate"] is not None:
        _refuse_users(options)
        model = OPEN
    if model == OPEN:
        rate = max(levels) if levels else options["rate"]
        arrivals = options["arrivals"] or CONSTANT
        return LoadProfile(
            model=OPEN, arrival_rate=rate, arrivals=arrivals, stages=levels, **common
        )
    if options["arrivals"] is not None:
        raise UsageError(
            "--arrivals says how the journeys of --rate come, and --rate is missing: add it, or "
            "leave --arrivals out."
        )
    if common["spawn_rate"] is None and not fixed:
        common["spawn_rate"] = work.spawn_rate
    users = int(max(levels)) if levels else (options["users"] or [DEFAULTS.users])[0]
    return LoadProfile(users=users, stages=levels, **common)


def _chosen(given: bool | None, default: bool) -> bool:  # noqa: FBT001 - a value, not a switch
    return default if given is None else given


def _seconds(given: str | None, default: float) -> float:
    return default if given is None else parse_seconds(given)


def _refuse_users(options: Mapping[str, Any]) -> None:
    if options["users"]:
        users = ",".join(str(one) for one in options["users"])
        raise UsageError(
            f"--users={users} wait for their answers, and --rate={options['rate']:g} begins "
            "journeys whatever the answers do: leave one of them out, or write "
            f"--max-in-flight={options['users'][-1]} for the most journeys under way at once."
        )


def _stages(options: Mapping[str, Any]) -> tuple[str, tuple[float, ...], float | None]:
    """Model, levels and length of each stage, which is None when it is not given."""
    text = options["stages"]
    for flag in ("users", "rate"):
        if options[flag] is not None:
            raise UsageError(f"--stages names the levels, and --{flag} too: leave --{flag} out.")
    whole = STAGES.fullmatch(text.strip())
    levels = [LEVEL.fullmatch(word.strip()) for word in whole["levels"].split(":")] if whole else []
    found = [level for level in levels if level is not None]
    if whole is None or len(found) < len(levels):
        raise UsageError(
            f"--stages={text} is not understood; write numbers of users (50:100:200x30s) or rates "
            "(50/s:100/s:200/sx30s), and after the x how long each lasts."
        )
    if not all(float(level["number"]) for level in found):
        raise UsageError(f"--stages={text} has a level of 0, which is no load; leave it out.")
    units = {level["per_second"] for level in found}
    if len(units) > 1:
        raise UsageError(
            f"--stages={text} mixes users and rates; write /s after every level, or after none."
        )
    length = whole["length"]
    if length is not None and options["duration"] is not None:
        raise UsageError(
            f"--stages={text} says how long each lasts, and --duration too: leave one of them out."
        )
    numbers = tuple(float(level["number"]) for level in found)
    return OPEN if "/s" in units else CLOSED, numbers, parse_seconds(length) if length else None
