"""The options of `runbench` that say who asks, and what the answer must be."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option, RunSpec, VisitorSpec
from benchsuite.core.specs.visitor import RIGHTS
from benchsuite.core.units import listed
from benchsuite.management.options.parsing import FLAG, PAIRS, REPEATED
from benchsuite.workloads.base import Workload

ANSWERS = ("expect", "status")
"""Options of the workload that have a flag of their own, which may be given many times."""


def add_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--login",
        default="",
        metavar=f"USER[:{'|:'.join(RIGHTS)}]",
        help="ask in the session of this user, who is made where there is none, with these rights "
        "in the throw-away database",
    )
    add("--host", default="", metavar="NAME", help="what the Host header says (default: loopback)")
    add(
        "--header",
        **REPEATED,
        metavar="'NAME: VALUE'",
        help="send this header with every request; several by repeating",
    )
    add("--cookie", **PAIRS, help="a cookie that every visitor has; several by repeating")
    add(
        "--expect",
        **REPEATED,
        metavar="[/PATH=]TEXT",
        help="text that the pages of --path must hold, or one of them; several by repeating",
    )
    add(
        "--status",
        **REPEATED,
        metavar="[/PATH=]STATUS",
        help="status of these pages, or of one of them (default: 200)",
    )
    add(
        "--no-shape",
        **FLAG,
        help="don't ask that pages look as they did before the load (type, title, marks of a "
        "log-in, rough length)",
    )


def visitor(options: Mapping[str, Any]) -> VisitorSpec:
    return VisitorSpec(
        login=options["login"],
        host=options["host"],
        headers=tuple(options["header"]),
        cookies=tuple(options["cookie"]),
    )


def with_answers(
    settings: dict[str, Option], options: Mapping[str, Any], work: type[Workload]
) -> dict[str, Option]:
    """The workload's options with what --expect and --status say of the answers."""
    for name in ANSWERS:
        given = options[name]
        if not given:
            continue
        if name not in work.options:
            raise UsageError(
                f"--{name} says what pages of --path=… answer, and the workload {work.name} checks "
                "its answers itself: leave it out."
            )
        if any("\n" in one or not one for one in given):
            raise UsageError(f"--{name} wants a line of text, and got an empty one or several.")
        settings = {**settings, name: "\n".join(given)}
    if options["no_shape"]:
        if "shape" not in work.options:
            raise UsageError(f"--no-shape is about pages of --path=…, not about {work.name}.")
        settings = {**settings, "shape": False}
    return settings


def again(spec: RunSpec, options: Mapping[str, Any]) -> RunSpec:
    """A stored run, which has no secrets, with those headers and cookies that are given again."""
    stored, given = spec.visitor, visitor(options)
    missing = sorted(set(stored.unknown) - set(given.asked))
    if missing:
        raise UsageError(
            "--again repeats a stored run, and secrets are not stored with one: give "
            f"{listed(missing)} again."
        )
    further = sorted(set(given.asked) - set(stored.unknown))
    if further:
        raise UsageError(
            f"--again repeats a stored run as it was, and {listed(further)} would change it: "
            f"leave {'it' if len(further) == 1 else 'them'} out."
        )
    return replace(spec, visitor=stored.completed(given))
