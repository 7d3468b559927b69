"""Why the pick is limited: one more start of it that never counts, and its rivals."""

import math
from dataclasses import replace

from benchsuite.bottlenecks.evidence import Other, ratio
from benchsuite.tuning import confirming
from benchsuite.tuning.notebook import End, Notebook
from benchsuite.tuning.planning import Making, Steps
from benchsuite.tuning.trial import Candidate, Load, Phase


def others(notebook: Notebook, candidate: Candidate) -> list[Other]:
    """Other sizes of its server, and servers of the other interface, that were started at the same
    arrivals often enough for an interval.
    """
    rivals = []
    for rival in notebook.states:
        if rival.server != candidate.server and rival.interface == candidate.interface:
            continue
        rate = ratio(notebook.blocks(candidate), notebook.blocks(rival))
        cpu = ratio(_cpu(notebook, candidate), _cpu(notebook, rival))
        if rival != candidate and rate and cpu:
            rivals.append(
                Other(
                    processes=rival.processes,
                    threads=rival.threads or 1,
                    interface=rival.interface,
                    rate=rate,
                    cpu=cpu,
                )
            )
    return rivals


def _cpu(notebook: Notebook, candidate: Candidate) -> dict[int, float]:
    """Seed of each start → the logarithm of a request's CPU time."""
    return {
        one.trial.seed: math.log(one.seen.cpu_s)
        for one in notebook.of(candidate, Phase.RACE, Phase.BISECT)
        if one.seen.cpu_s
    }


WHAT, FLAME = "a diagnostic run", "a flame graph"
OF_CPU = ("L01", "L02")
FLAME_S = 10.0  #: A thousand samples of a busy process.


def diagnose(making: Making) -> Steps:
    """At the highest rate that was confirmed, or the one that was asked for; none where nothing was
    confirmed. It is not made again, whatever it shows.
    """
    notebook, pick = making.notebook, making.notebook.pick()
    held = confirming.held_by(notebook, pick) if pick else None
    if notebook.end is not End.CONFIRMED or pick is None or held is None:
        return
    load = making.diagnosing((making.question.rate or held.rate,))
    if making.cost_s(load) > making.unspent_s:
        notebook.unable[WHAT] = "the budget left no time for it"
        return
    reason = "what limits the pick: queries and pauses are timed"
    seen = yield from making.start(pick, Phase.DIAGNOSE, load, reason, again=False)
    if seen.failure or seen.says_nothing:
        notebook.unable[WHAT] = seen.failure or f"it was disturbed: {', '.join(seen.codes)}"
    if making.question.profiles and any(code.startswith(OF_CPU) for code in seen.named):
        yield from _profile(making, pick, load)


def _profile(making: Making, pick: Candidate, load: Load) -> Steps:
    """At the same rate, where the CPU is the limit."""
    notebook, load = making.notebook, replace(load, window_s=FLAME_S)
    if making.cost_s(load) > making.unspent_s:
        notebook.unable[FLAME] = "the budget left no time for it"
        return
    reason = "where its CPU time goes: a profiler looks at it"
    seen = yield from making.start(pick, Phase.FLAME, load, reason, again=False)
    if seen.failure:
        notebook.unable[FLAME] = seen.failure
