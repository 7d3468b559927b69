"""The options of `runbench` that say which CPUs server and load run on."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile, RunSpec
from benchsuite.management.options.parsing import FLAG, checked
from benchsuite.system import cpus


def add_to(group: Any) -> None:
    add = group.add_argument
    add(
        "--cpus-target",
        type=checked(cpus.parse),
        metavar="LIST",
        help="CPUs of the server, as 0 or 0-2,4 (default: all but those of the load)",
    )
    add(
        "--cpus-load",
        type=checked(cpus.parse),
        metavar="LIST",
        help="CPUs of the load (default: the last core for each load process, at most half of all)",
    )
    add("--no-pin", **FLAG, help="let server and load share all CPUs")


def chosen(
    options: Mapping[str, Any], load: LoadProfile
) -> tuple[cpus.Cpus | None, cpus.Cpus | None]:
    """CPUs of the server and of the load, None for all; raises UsageError."""
    for_target, for_load = (
        cpus.parse(options[name]) if options[name] is not None else None
        for name in ("cpus_target", "cpus_load")
    )
    if options["no_pin"]:
        if for_target or for_load:
            raise UsageError("--no-pin and --cpus-target or --cpus-load exclude each other.")
        return None, None
    everything = cpus.available()
    if for_target is None and for_load is None:
        return cpus.split(everything, load.processes) or (None, None)
    return (
        for_target or _rest(everything, for_load, "server"),
        for_load or _rest(everything, for_target, "load"),
    )


def again(spec: RunSpec, options: Mapping[str, Any]) -> RunSpec:
    """A stored run with other CPUs, if any are asked for."""
    if not any(options[name] for name in ("cpus_target", "cpus_load", "no_pin")):
        return spec
    for_target, for_load = chosen(options, spec.load)
    return replace(
        spec,
        server=replace(spec.server, cpus=for_target),
        load=replace(spec.load, cpus=for_load),
    )


def _rest(everything: cpus.Cpus, taken: cpus.Cpus | None, whose: str) -> cpus.Cpus:
    rest = tuple(cpu for cpu in everything if cpu not in (taken or ()))
    if not rest:
        raise UsageError(
            f"No CPU is left for the {whose}; name its CPUs too, also when they are the same."
        )
    return rest
