"""A trial of a search as the spec of a run, and the CPUs that its server gets."""

import math
from dataclasses import replace

from benchsuite.core.specs import CLOSED, FLAME, OPEN, QUERIES, RunSpec
from benchsuite.core.specs.load import IN_FLIGHT, LONGEST_S, POISSON
from benchsuite.system import cpus
from benchsuite.tuning.candidates import configured
from benchsuite.tuning.trial import Phase, Question, Trial


def pinned(spec: RunSpec, count: int | None) -> RunSpec:
    """With so many CPUs for the server; unchanged where it can't have so many."""
    own = spec.server.cpus or cpus.available()
    if count is None or count > cpus.usable(own):
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


def unhurried(spec: RunSpec) -> RunSpec:
    """The same with one user who asks so seldom that whatever may be asked may be asked so."""
    load, hosts = spec.load, min(1, spec.load.hosts)
    one = replace(load, users=1, processes=1, hosts=hosts, think_time_s=LONGEST_S)
    return replace(spec, load=one)


PATIENCE_S = 5.0
PATIENT = 10.0
"""A request may take so many times as long as the objective allows, and at least so long: what is
late anyway would only make an overloaded server take half a minute to end."""
HOPELESS = 0.5  #: With less than this share in time, rates beyond are not tried.
DIAGNOSES = {Phase.DIAGNOSE: QUERIES, Phase.FLAME: FLAME}
DIGITS = 4  #: Of a rate: nobody can tell 123.45/s from 123.4567/s.


def spec_of(trial: Trial, base: RunSpec, question: Question) -> RunSpec:
    """One run of what all have in common, with the server, its size and the load of this trial;
    users pause where the server may not be asked more than that.
    """
    candidate, spec, asked = trial.candidate, configured(base, trial.candidate), trial.load
    if candidate.cpus:
        server = replace(spec.server, cpus=placed(base, candidate.cpus))
        spec = replace(spec, server=server)
    limit_s, most_per_s = question.objective.limit_s, question.most_per_s
    patience_s = max(PATIENCE_S, PATIENT * limit_s)
    load = replace(
        base.load,
        model=CLOSED,
        spawn_rate=None,
        warmup_s=asked.warmup_s,
        duration_s=asked.window_s,
        timeout_s=patience_s,
        drain_s=patience_s,
    )
    if asked.users:
        users = min(asked.users, IN_FLIGHT)
        processes = min(load.processes, users)
        load = replace(
            load,
            users=users,
            processes=processes,
            hosts=min(load.hosts, users // processes),
            think_time_s=max(load.think_time_s, users / (most_per_s or math.inf)),
        )
    else:
        rates = tuple(float(f"{rate:.{DIGITS}g}") for rate in asked.rates)
        load = replace(
            load,
            model=OPEN,
            think_time_s=0.0,
            arrivals=POISSON,
            arrival_rate=max(rates),
            stages=rates,
            in_turn=True,  # else few connections are used, and with them few processes
        )
        if trial.ends_early:
            load = replace(load, ends_below=HOPELESS, ends_within_s=limit_s)
    diagnoses = DIAGNOSES.get(trial.phase, "")
    return replace(spec, load=load, seed=trial.seed, diagnoses=diagnoses)
