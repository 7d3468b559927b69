"""How many CPUs a server gets of those that are here, and which."""

from dataclasses import replace

from benchsuite.core.specs import RunSpec
from benchsuite.system import cpus


def pinned(spec: RunSpec, count: int | None) -> RunSpec:
    """With so many CPUs for the server; unchanged where it can't have so many."""
    if count is None:
        return spec
    own = spec.server.cpus or cpus.available()
    if count > cpus.usable(own):
        return spec
    return replace(spec, server=replace(spec.server, cpus=own[:count]))


def placed(spec: RunSpec, count: int) -> cpus.Cpus:
    """So many, its own first, then those of nobody, then those of the load generator."""
    own, load = spec.server.cpus or (), spec.load.cpus or ()
    order = sorted(cpus.available(), key=lambda cpu: (cpu in load, cpu not in own, cpu))
    return tuple(sorted(order[:count]))


def unshared(spec: RunSpec) -> int:
    """How many it can have so that the load generator takes no time from them. A limit of the
    control group is for both.
    """
    load, quota = spec.load, cpus.cpu_quota()
    count = 0 if load.cpus is None else len(set(cpus.available()) - set(load.cpus))
    return count if quota is None else max(0, min(count, int(quota - load.processes)))
