"""The search in a simulated world: its pick against the best of an exhaustive look."""

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.tuning.ideal import driven
from benchmarks.tuning.world import Outcome, Size, Start, World, capacity, holds, poisson, speed
from benchsuite.core.specs.objective import Objective, parse
from benchsuite.load.parent.driver import FEWEST_DUE
from benchsuite.management.tuning.trials import HOPELESS
from benchsuite.servers.base import Against
from benchsuite.tuning.candidates import threads_needed
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Level, Observation, Phase, Probe, Question, Trial

OVERHEAD_S = 3.0
NEVER = 1e9
ARRIVALS = 15_000  #: In a window that tells what a size truly holds.


class Measured:
    """Makes trials in a world, whose clock it keeps."""

    def __init__(self, world: World, objective: Objective, seed: int) -> None:
        self.world, self.objective = world, objective
        self.random = random.Random(seed)
        self.clock_s = 0.0
        self.busy_from_s = self._busy_in()

    def __call__(self, trial: Trial) -> Observation:
        begun_s = self.clock_s
        self.clock_s += getattr(trial, "wait_s", 0.0)
        if self.random.random() < self.world.flaky.get(trial.candidate.server, 0.0):
            self.clock_s += OVERHEAD_S
            return Observation(took_s=self.clock_s - begun_s, failure="it ended with status 3")
        seen = self._measured(trial)
        seen = replace(seen, took_s=self.clock_s - begun_s)
        while self.busy_from_s + self.world.busy_s < begun_s:
            self.busy_from_s += self.world.busy_s + self._busy_in()
        if self.clock_s > self.busy_from_s:
            return Observation(took_s=seen.took_s, codes=("B401",))
        return seen

    def _busy_in(self) -> float:
        every_s = self.world.busy_every_s
        return math.inf if every_s == math.inf else self.random.expovariate(1 / every_s)

    def _measured(self, trial: Trial) -> Observation:
        load, made = trial.load, size(trial.candidate)
        factor = speed(self.world, self.random, self.clock_s)
        for name, _ in trial.candidate.changes:
            factor *= self.world.variants[name]
        start = Start(self.world, made, factor, seed=self.random.randrange(2**31))
        drain_s = max(5.0, 10 * self.objective.limit_s)
        if load.users:
            outcome = start.closed(load.users, load.duration_s)
            levels, took_s = [self._closed(outcome, trial)], load.duration_s
        else:
            each_s = load.warmup_s + load.window_s
            arrivals = poisson([(rate, each_s) for rate in load.rates], trial.seed)
            outcome = start.open(arrivals, load.duration_s + drain_s)
            levels, took_s = self._open(outcome, trial)
        took_s += OVERHEAD_S + min(drain_s, 1.0)
        answered = [time for time in outcome.times if time < NEVER]
        self.clock_s += took_s
        return Observation(
            levels=levels,
            took_s=took_s,
            response_s=sum(answered) / len(answered) if answered else None,
            cpu_s=outcome.cpu_s / len(answered) if answered else None,
            memory_bytes=self.world.memory_of(made),
            named=self.world.limits if trial.phase is Phase.DIAGNOSE else (),
        )

    def _closed(self, outcome: Outcome, trial: Trial) -> Level:
        load = trial.load
        times = [
            time
            for begun, time in zip(outcome.begun, outcome.times, strict=True)
            if load.warmup_s <= begun + time < load.duration_s
        ]
        return self._level(0.0, times + outcome.wrong * [math.inf], load.window_s)

    def _open(self, outcome: Outcome, trial: Trial) -> tuple[list[Level], float]:
        """The rates that were reached, and how long that took."""
        load, levels = trial.load, []
        each_s = load.warmup_s + load.window_s
        for place, rate in enumerate(load.rates):
            begin = place * each_s + load.warmup_s
            arrivals = [
                (begun - begin, time)
                for begun, time in zip(outcome.begun, outcome.times, strict=True)
                if begin <= begun < begin + load.window_s
            ]
            ends_s = self._ends_s(arrivals, load.window_s) if trial.ends_early else load.window_s
            times = [time for at, time in arrivals if at < ends_s]
            levels.append(self._level(rate, times, ends_s))
            if ends_s < load.window_s:
                return levels, begin + ends_s
        return levels, load.duration_s

    def _ends_s(self, arrivals: list[tuple[float, float]], window_s: float) -> float:
        """At which second of its window a load ends: where most of what was due by then is late."""
        limit_s = self.objective.limit_s
        for second in range(1, math.ceil(window_s)):
            due = [time for at, time in arrivals if at + limit_s <= second]
            in_time = sum(time <= limit_s for time in due)
            if len(due) >= FEWEST_DUE and in_time < HOPELESS * len(due):
                return float(second)
        return window_s

    def _level(self, rate: float, times: list[float], window_s: float) -> Level:
        goals, right = self.objective.goals, sum(time < NEVER for time in times)
        limits = [NEVER if goal.within_s is None else goal.within_s for goal in goals]
        return Level(
            rate=rate,
            offered=len(times) / window_s if rate else None,
            planned=len(times),
            met=tuple(sum(time <= limit for time in times) for limit in limits),
            failures=len(times) - right,
            goodput=right / window_s,
        )


def grid(world: World, probe: Probe) -> list[Candidate]:
    """The sizes of TUNE's table for servers with threads and one without."""
    n, found = world.cpus, []
    for server in world.servers:
        if server.endswith("sync"):
            sizes = [(p, 1) for p in sorted({n, n + 1, 2 * n + 1, 4 * n, 8 * n})]
        else:
            sizes = [
                (p, threads_needed(probe, p, n) * factor)
                for p in sorted({n, n + 1, 2 * n})
                for factor in (1, 2, 4)
            ]
        found += [candidate(server, p, t) for p, t in dict.fromkeys(sizes)]
    return found


def candidate(server: str, processes: int, threads: int) -> Candidate:
    slots = processes * threads
    return Candidate(
        server=server, processes=processes, threads=threads, slots=slots, connections=slots
    )


def resize(one: Candidate, processes: int, threads: int | None) -> Candidate | None:
    if one.server.endswith("sync") and threads != 1:
        return None
    return candidate(one.server, processes, threads or 1)


def asked(
    world: World, words: str = "p95 < 200ms", seed: int = 0, rate: float | None = None
) -> Question:
    return Question(objective=parse(words), cpus=world.cpus, seed=seed, rate=rate)


def search(world: World, question: Question, sizes: Sequence[Candidate] = ()) -> Search:
    """Over these sizes, or those of the grid."""
    others = functools.partial(_variants, world)
    if sizes:
        return Search(Notebook(question), lambda _: sizes, variants=others)
    return Search(Notebook(question), lambda probe: grid(world, probe), resize, others)


def _variants(world: World, one: Candidate, against: Against) -> list[Candidate]:
    if against is not Against.CONNECTING:
        return []
    return [replace(one, changes=((name, 1),)) for name in world.variants]


def tune(world: World, question: Question, sizes: Sequence[Candidate] = ()) -> Notebook:
    """One tuning from its first trial to its last."""
    measure = Measured(world, question.objective, question.seed)
    return driven(search(world, question, sizes), measure)


class Exhaustive:
    """What the sizes of a world truly hold, each found once."""

    def __init__(self, world: World, words: str, long_s: float | None = None) -> None:
        """In windows of so many arrivals, else, that chance hardly shows."""
        self.world = world
        arrivals_s = ARRIVALS * world.cpu_s / world.cpus
        self.goal, self.long_s = parse(words).goals[0], long_s or max(150.0, arrivals_s)
        self.of = functools.cache(self._of)

    @functools.cached_property
    def sizes(self) -> list[Candidate]:
        """All of the grid that is made of the world's true figures."""
        world = self.world
        cpu_s = world.cpu_s * min(world.servers.values())
        probe = Probe(
            response_s=cpu_s + world.wait_s, cpu_s=cpu_s, goodput=1 / cpu_s, memory_bytes=None
        )
        sizes = grid(world, probe)
        if world.sweet is not None:
            sizes += [candidate(server, *world.sweet) for server in world.servers]
        return list(dict.fromkeys(sizes))

    @functools.cached_property
    def best(self) -> float:
        """The highest rate that any size holds."""
        most = 0.0
        for one in self.sizes:
            if self.does_hold(one, most * 1.004):
                most = self._of(one, most)
        return most

    def does_hold(self, one: Candidate, rate: float) -> bool:
        assert self.goal.within_s is not None
        share, limit_s = self.goal.share, self.goal.within_s
        return rate == 0 or holds(self.world, size(one), rate, share, limit_s, self.long_s)

    def _of(self, one: Candidate, low: float = 0.0) -> float:
        assert self.goal.within_s is not None
        share, limit_s = self.goal.share, self.goal.within_s
        return capacity(self.world, size(one), share, limit_s, self.long_s, low)

    def regret(self, pick: Candidate) -> float:
        return max(0.0, 1 - self.of(pick) / self.best)


def keeps(
    world: World, question: Question, pick: Candidate, rate: float, at_s: float, minute: int
) -> bool:
    """Whether a start of the world holds that rate for a minute, `at_s` after the search began."""
    generator = random.Random(f"{question.seed} {world.name} {minute}")
    start = Start(world, size(pick), speed(world, generator, at_s), generator.randrange(2**31))
    arrivals = poisson([(rate, 62.0)], generator.randrange(2**31))
    outcome = start.open(arrivals, 100.0)
    times = [time for begun, time in zip(outcome.begun, outcome.times, strict=True) if begun >= 2.0]
    return all(
        sum(time <= (goal.within_s or NEVER) for time in times) >= goal.share * len(times)
        for goal in question.objective.goals
    )


def size(one: Candidate) -> Size:
    """As the world has it."""
    return Size(one.server, one.processes, one.threads or 1)
