"""The search in a simulated world: its pick against the best of an exhaustive look."""

import random
from collections.abc import Sequence

from benchmarks.tuning.world import Size, Start, World, poisson, speed, within
from benchsuite.core.specs.objective import Objective
from benchsuite.tuning.bounds import Probe, threads_needed
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.question import Question
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Candidate, Level, Observation, Trial

OVERHEAD_S = 3.0


class Measured:
    """Makes trials in a world, whose clock it keeps."""

    def __init__(self, world: World, objective: Objective, seed: int) -> None:
        self.world, self.objective = world, objective
        self.random = random.Random(seed)
        self.clock_s = 0.0

    def __call__(self, trial: Trial) -> Observation:
        load, goals = trial.load, self.objective.goals
        limits = [goal.within_s or 1e9 for goal in goals]
        size = Size(trial.candidate.server, trial.candidate.processes, trial.candidate.threads or 1)
        factor = speed(self.world, self.random, self.clock_s)
        start = Start(self.world, size, factor, seed=self.random.randrange(2**31))
        drain = max(5.0, 10 * self.objective.limit_s)
        end = load.duration_s
        if load.users:
            outcome = start.closed(load.users, end)
            done = [
                (begun + time, time)
                for begun, time in zip(outcome.begun, outcome.times, strict=True)
                if load.warmup_s <= begun + time < end
            ]
            times = [time for _, time in done]
            met = tuple(sum(time <= limit for time in times) for limit in limits)
            levels = [
                Level(rate=0, planned=len(times), met=met, goodput=len(times) / load.window_s)
            ]
            took = OVERHEAD_S + end + min(drain, 0.5)
            mean = sum(times) / len(times) if times else None
        else:
            each = load.warmup_s + load.window_s
            arrivals = poisson([(rate, each) for rate in load.rates], trial.seed)
            outcome = start.open(arrivals, end + drain)
            levels, took, mean = [], OVERHEAD_S + end, None
            for place, rate in enumerate(load.rates):
                begin = place * each + load.warmup_s
                planned, *met_here = within(outcome, begin, begin + load.window_s, limits)
                levels.append(Level(rate=rate, planned=planned, met=tuple(met_here)))
                if trial.ends_early and planned and met_here[0] < 0.5 * planned:
                    took = OVERHEAD_S + begin + load.window_s / 2
                    break
            took += min(drain, 1.0)
        answered = sum(time < 1e9 for time in outcome.times)
        self.clock_s += took
        return Observation(
            levels=levels,
            took_s=took,
            response_s=mean,
            cpu_s=outcome.cpu_s / answered if answered else None,
            memory_bytes=self.world.memory_of(size),
        )


def grid(world: World, probe: Probe) -> list[Candidate]:
    """The sizes of TUNE's table for servers with threads and one without."""
    n, found = world.cpus, []
    for server in world.servers:
        if server.endswith("sync"):
            sizes = [(p, 1) for p in sorted({n, n + 1, 2 * n + 1, 4 * n, 8 * n})]
        else:
            sizes = [
                (p, max(1, round(threads_needed(probe, p, n) * factor)))
                for p in sorted({n, n + 1, 2 * n})
                for factor in (1, 2, 4)
            ]
        found += [
            Candidate(server=server, processes=p, threads=t, slots=p * t, connections=p * t)
            for p, t in dict.fromkeys(sizes)
        ]
    return found


def tune(world: World, objective: Objective, seed: int, budget_s: float = 900.0) -> Notebook:
    """One tuning from its first trial to its last."""
    question = Question(objective=objective, cpus=world.cpus, seed=seed, budget_s=budget_s)
    book, measure = Notebook(question), Measured(world, objective, seed)
    first = Candidate(
        server=next(iter(world.servers)), processes=world.cpus, threads=4, slots=4 * world.cpus
    )
    steps = Search(book, lambda probe: grid(world, probe), first).steps()
    try:
        trial = next(steps)
        while True:
            trial = steps.send(measure(trial))
    except StopIteration:
        return book


def sizes(candidates: Sequence[Candidate]) -> list[Size]:
    return [Size(one.server, one.processes, one.threads or 1) for one in candidates]
