"""Whether the machine was left alone, and its clocks too: B401 to B406; and the project measured
as it runs in production: B501 to B503.
"""

from collections.abc import Iterator, Mapping

from benchsuite.core.observations import Evidence, HostShares
from benchsuite.core.results import Finding, Level
from benchsuite.core.specs import FLAME, QUERIES
from benchsuite.core.units import counted, format_count, format_duration, format_percent, some_of
from benchsuite.findings.generator import unchecked
from benchsuite.findings.registry import INFORMATIONAL, Rule, finding
from benchsuite.findings.window import FEWEST_INTERVALS
from benchsuite.stats.steady import change

WALL_STEP_S = 0.05  #: More than a clock is slewed in a minute.
GAP_S = 1.0  #: A reading that came so late was held up by more than a busy machine.
MOST_TOLD = 5  #: How many reasons a finding lists.


@finding("B401", "noisy-host", weak=5, invalid=25)
def noisy(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """CPU stolen or used by others, throttled periods, stopped processes, waiting for memory

    Each by itself. The kernel's pressure figure for CPUs is not used: it counts the waiting of
    target and generator for each other. Never invalid of idle connections, which take no time.
    """
    for machine, host in (("machine", evidence.host), ("load's machine", evidence.load_machine)):
        if host is not None:
            yield from _noise_of(rule, host, machine, idle=evidence.idle is not None)


def _noise_of(rule: Rule, host: HostShares, machine: str, *, idle: bool) -> Iterator[Finding]:
    by_whom = f", above all to {host.culprit}" if host.culprit else ""
    limit = "the CPU limit of a control group held the run back in {} of periods"
    parts = (
        (host.steal_percent, "{} of the CPUs' time went to other machines of this hypervisor"),
        (host.others_percent, f"{{}} of the CPUs' time went to other programs{by_whom}"),
        (host.throttled_percent, limit),
        (host.stopped_percent, "a process of the run was stopped by signals in {} of the samples"),
        (host.memory_pressure_percent, "something waited for memory in {} of the time"),
    )
    disturbances = [
        (level, words.format(format_percent(percent)))
        for percent, words in parts
        if (level := rule.level(percent))
    ]
    if disturbances:
        wrong = not idle and any(level is Level.INVALID for level, _ in disturbances)
        yield rule.finding(
            Level.INVALID if wrong else Level.WEAK,
            f"The {machine} was not quiet: {'; '.join(words for _, words in disturbances)}.",
            hint="Stop other programs (checkbench shows what keeps the machine busy), or use a "
            "dedicated machine.",
            value=max(percent for percent, _ in parts if percent is not None),
        )


@finding("B402", "clock", unit="", weak=0)
def clock(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """steps of the wall clock, pauses of the machine"""
    # Times are of the monotonic clock; a step or a gap tells of a paused machine.
    seen = evidence.clock
    if seen is None:
        return
    words = []
    if seen.wall_step_s is not None and abs(seen.wall_step_s) > WALL_STEP_S:
        words.append(f"the wall clock was set by {format_duration(seen.wall_step_s)}")
    if seen.gap_s is not None and seen.gap_s > GAP_S:
        words.append(f"no reading came for {format_duration(seen.gap_s)}")
    yield from rule.weighed(
        len(words),
        f"Time did not pass evenly: {' and '.join(words)}.",
        hint="See what sets the clock, such as NTP, or paused the machine, and repeat the run.",
    )


@finding("B403", "shared-cpus", unit="", weak_words=INFORMATIONAL)
def shared_cpus(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """CPUs that load and target may both use"""
    times = [shared for shared in evidence.cpus_shared if shared]
    if times and not evidence.load_hosts:  # whose CPUs are their own
        shared = frozenset.union(*times)
        yield rule.finding(
            Level.INFO,
            "Load generator and target may run on the same CPUs "
            f"({', '.join(map(str, sorted(shared)))}), and take time from each other.",
            hint="Pin them to CPUs of their own where the machine has enough.",
            value=len(shared),
        )


@finding("B404", "cpu-speed", weak=5)
def cpu_speed(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """trend or step in the time of a fixed piece of work

    A guest sees neither other guests nor its host's clock, but that its CPUs do less.
    """
    changes = {
        part: changed
        for part, times in evidence.work_s.items()
        if (changed := change(times, least=FEWEST_INTERVALS, percent=rule.weak))
    }
    if changes:
        words = [f"on the CPUs of the {part} {one.words}" for part, one in changes.items()]
        yield rule.finding(
            Level.WEAK,
            "The CPUs' speed changed, as the time of a fixed piece of work shows: "
            f"{'; '.join(words)}.",
            hint="A guest does not see why (other guests, heat, the core's other thread): measure "
            "again, or on a dedicated machine.",
            value=max(abs(one.percent) for one in changes.values()),
        )


@finding("B405", "not-watched", unit="", weak_words=INFORMATIONAL)
def not_watched(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """what could not be observed"""
    # Informational: what was not seen gives no finding, and should not be taken for quiet.
    if unwatched := [*evidence.unwatched, *unchecked(evidence)]:
        yield rule.finding(
            Level.INFO,
            f"Not everything could be watched: {some_of(unwatched, MOST_TOLD, '; ')}.",
            hint="What these would show is unknown. Where there were too few samples, a longer "
            "window helps; where something could not be read, permissions do.",
            value=len(unwatched),
        )


@finding("B406", "agent", weak=0, unit=" s", weak_words="or an agent that was lost")
def agent(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """seconds for which nothing was heard from the agent beside the target"""
    watching = evidence.agent
    if watching is not None and (watching.lost or watching.silent_s):
        silent = f"was silent for {format_duration(watching.silent_s)}"
        yield rule.finding(
            Level.WEAK,
            watching.lost or f"The agent on {watching.name} {silent}.",
            hint="What it has told of the target is here; look after its network and what else "
            "runs there, and repeat the run.",
            value=watching.silent_s,
        )


SLOWS = {
    QUERIES: "the server timed its queries and pauses",
    FLAME: "a profiler read its memory again and again",
}


@finding("B501", "settings", unit="", weak=0)
def settings(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """settings of the project that slow it down"""

    def in_words(settings: Mapping[str, str]) -> str:
        return "; ".join(f"{name}: {words}" for name, words in sorted(settings.items()))

    yield from rule.weighed(
        len(evidence.slowing),
        f"The project's settings slow it down: {in_words(evidence.slowing)}.",
        hint="Measure with production settings: name their module in "
        'BENCHSUITE = {"TARGET_SETTINGS": …}.',
    )
    if evidence.undone and not evidence.slowing:
        yield rule.finding(
            Level.INFO,
            "The project was measured with DEBUG = False; by its settings, "
            f"{in_words(evidence.undone)}.",
            hint="Other settings may depend on DEBUG: name the production settings module in "
            'BENCHSUITE = {"TARGET_SETTINGS": …}.',
            value=len(evidence.undone),
        )


@finding("B502", "diagnosed", invalid_words="always")
def diagnosed(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """a diagnostic run"""
    if evidence.diagnosed:
        yield rule.finding(
            Level.INVALID,
            f"This was a diagnostic run: {SLOWS[evidence.diagnosed]}, which slows it down.",
            hint="What it found stands on this page; its other figures are not to be compared.",
        )


@finding("B503", "view-not-run", weak_words=INFORMATIONAL, always_told=True)
def view_not_run(rule: Rule, evidence: Evidence) -> Iterator[Finding]:
    """answers for which no view ran"""
    asked = evidence.asked
    if asked is None or asked.viewed is None or 2 * asked.viewed >= asked.answered:
        return
    yield rule.finding(
        Level.INFO,
        f"The views ran {counted(asked.viewed, 'time')} in {format_count(asked.answered)} answers: "
        "a cache or a middleware gave the others.",
        hint="These are the figures of what answers in front of the views. To measure the views, "
        "switch it off for the run by --setting.",
        value=100 * (1 - asked.viewed / asked.answered),
    )
