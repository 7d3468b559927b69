"""A simulated server: slots, first come first served; a GIL a process; CPUs; a wait for others.

Each request takes a slot of a process, then CPU time of that process and of one of the CPUs, then
it waits for others and leaves its slot. That is followed request by request and not event by event,
so that a quarter of an hour takes a fraction of a second.
"""

import math
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heapreplace

import numpy as np

WRONG_S = 0.001  #: What a wrong answer takes.
DRAWN = 256  #: Random numbers at a time.


@dataclass(frozen=True, slots=True)
class Size:
    """What the simulation knows of a configuration."""

    server: str
    processes: int
    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A page on a machine. Times in seconds, memory in bytes."""

    name: str
    cpus: int = 1
    cpu_s: float = 0.010  #: CPU time of a request.
    cpu_spread: float = 0.3  #: Coefficient of variation of the same.
    wait_s: float = 0.0  #: Mean of the time that a request waits for others, exponential.
    rare: float = 0.0  #: Share of requests that wait `rare_s` longer, whatever the rate.
    rare_s: float = 0.4
    servers: dict[str, float] = field(default_factory=lambda: {"gthread": 1.0})
    """Server to what it makes of the CPU time of a request."""
    start_noise: float = 0.03  #: Standard deviation of the logarithm of a start's CPU time.
    drift: float = 0.0  #: By how much CPU time grows over an hour, in a logarithm.
    slows_after_s: float = math.inf
    """From then on the machine is a third slower."""
    pause_every_s: float = math.inf  #: Mean time between two pauses of all CPUs.
    pause_s: float = 0.2  #: Length of a pause.
    busy_every_s: float = math.inf
    """Mean time between two spells in which other programs disturb whatever is measured."""
    busy_s: float = 40.0  #: Length of such a spell.
    thread_cost: float = 0.0  #: By how much each further thread raises the CPU time of a request.
    sweet: tuple[int, int] | None = None
    """Processes and threads that cost least: each step away from them costs `step_cost` more."""
    step_cost: float = 0.05
    memory: int = 60 << 20  #: Of a process.
    memory_thread: int = 1 << 20
    collapses: float = math.inf
    """With more requests waiting than this times the slots, CPU time doubles, and stays so."""
    lucky: float = 0.0  #: Chance of a start that takes three quarters of the CPU time.
    flaky: dict[str, float] = field(default_factory=dict)  #: Server to the share of failed starts.
    tails: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Server to the share of its requests that wait so much longer, holding their slot."""
    stall_s: float = 0.0  #: By how much an answer is late where the server does nothing else.
    refuses: float = 0.0  #: Share of arrivals that get a wrong answer at once.
    limits: tuple[str, ...] = ()  #: What a diagnostic start names.
    variants: dict[str, float] = field(default_factory=dict)
    """Field of a run to what setting it makes of the CPU time of a request."""

    def cpu_of(self, size: Size) -> float:
        """Mean CPU time of a request in a usual start."""
        cost = 1 + self.thread_cost * (size.threads - 1)
        if self.sweet is not None:
            steps = abs(size.processes - self.sweet[0]) + abs(size.threads - self.sweet[1])
            cost += self.step_cost * steps
        return self.cpu_s * self.servers[size.server] * cost

    def memory_of(self, size: Size) -> float:
        return size.processes * (self.memory + size.threads * self.memory_thread)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a load found: intended start and response time of each arrival; inf for none."""

    begun: list[float]
    times: list[float]
    cpu_s: float  #: Spent in all.
    wrong: int  #: How many got a wrong answer; their times are inf.


def speed(world: World, generator: random.Random, at_s: float) -> float:
    """The factor of a start's CPU time."""
    factor = math.exp(generator.gauss(0.0, world.start_noise) + world.drift * at_s / 3600)
    if generator.random() < world.lucky:
        factor *= 0.75
    return factor * (4 / 3 if at_s > world.slows_after_s else 1)


class Start:
    """One start of a server under load."""

    def __init__(self, world: World, size: Size, factor: float, seed: int) -> None:
        self.world, self.size = world, size
        self._random = np.random.default_rng(seed)
        sigma = math.sqrt(math.log1p(world.cpu_spread**2))
        self._mu, self._sigma = math.log(world.cpu_of(size) * factor) - sigma**2 / 2, sigma

    def open(self, arrivals: Sequence[float], until_s: float) -> Outcome:
        """Arrivals at these moments; what isn't answered until then is not."""
        return self._run(arrivals, until_s, closed=False)

    def closed(self, users: int, until_s: float) -> Outcome:
        """Users who ask again at once."""
        return self._run([0.0] * users, until_s, closed=True)

    def _run(self, arrivals: Sequence[float], until_s: float, *, closed: bool) -> Outcome:
        world, processes = self.world, self.size.processes
        generator, wait_s = self._random, world.wait_s
        chance = drawn(generator.random).__next__
        cost_of = drawn(lambda count: generator.lognormal(self._mu, self._sigma, count)).__next__
        wait_of = drawn(lambda count: generator.exponential(wait_s, count)).__next__
        tail, tail_s = world.tails.get(self.size.server, (0.0, 0.0))
        rare, rare_s, stall_s, refuses = world.rare, world.rare_s, world.stall_s, world.refuses
        slots = [(0.0, chance(), p) for p in range(processes) for _ in range(self.size.threads)]
        heapify(slots)
        cpus, locks = [0.0] * world.cpus, [0.0] * processes
        every_s = world.pause_every_s
        pause = generator.exponential(every_s) if every_s < math.inf else math.inf
        limit, slow, spent, wrong = world.collapses * len(slots), 1.0, 0.0, 0
        waiting: deque[float] = deque()  # moments at which those that queued got their slot
        users = [(0.0, number) for number in range(len(arrivals))] if closed else []
        begun, times = [], []
        place = 0
        while True:
            if closed:
                moment = users[0][0]
            elif place < len(arrivals):
                moment = arrivals[place]
            else:
                break
            place += 1
            if moment >= until_s:
                break
            begun.append(moment)
            if refuses and chance() < refuses:
                wrong += 1
                times.append(math.inf)
                if closed:
                    heapreplace(users, (moment + WRONG_S, users[0][1]))
                continue
            free_at, _, process = slots[0]
            is_alone = stall_s and all(at <= moment for at, _, _ in slots)
            start = free_at if free_at > moment else moment
            if limit < math.inf:
                while waiting and waiting[0] <= moment:
                    waiting.popleft()
                if start > moment:
                    waiting.append(start)
                if len(waiting) > limit:
                    slow = 2.0
            cost = cost_of() * slow
            spent += cost
            if start >= pause:
                resumes = pause + world.pause_s
                if start < resumes:
                    cpus = [max(at, resumes) for at in cpus]
                else:
                    pause = start + generator.exponential(every_s)
            # both queues keep working while a request waits in the other one
            on_cpu = (cpus[0] if cpus[0] > start else start) + cost
            heapreplace(cpus, on_cpu)
            lock = locks[process]
            locks[process] = lock = (lock if lock > start else start) + cost
            done = on_cpu if on_cpu > lock else lock
            if wait_s:
                done += wait_of()
            if tail and chance() < tail:
                done += tail_s
            if rare and chance() < rare:
                done += rare_s
            heapreplace(slots, (done, chance(), process))
            if is_alone:
                done += stall_s
            times.append(done - moment if done < until_s else math.inf)
            if closed:
                heapreplace(users, (done, users[0][1]))
        return Outcome(begun, times, spent, wrong)


def drawn(draw: Callable[[int], np.ndarray]) -> Iterator[float]:
    """One after another, drawn some hundred at a time, which is much faster."""
    while True:
        yield from draw(DRAWN).tolist()


def poisson(rates: Sequence[tuple[float, float]], seed: int) -> list[float]:
    """Moments of arrivals at each rate for so many seconds, one after another."""
    generator, moments, begin = np.random.default_rng(seed), [], 0.0
    for rate, seconds in rates:
        count = generator.poisson(rate * seconds)
        moments += sorted((begin + generator.random(count) * seconds).tolist())
        begin += seconds
    return moments


def holds(
    world: World, size: Size, rate: float, share: float, limit_s: float, long_s: float
) -> bool:
    """Whether the usual start answers that share of so long a window within the limit."""
    start = Start(world, size, 1.0, seed=7)
    outcome = start.open(poisson([(rate, long_s)], seed=7), long_s + 10 * limit_s)
    times = [time for begun, time in zip(outcome.begun, outcome.times, strict=True) if begun >= 5.0]
    return sum(time <= limit_s for time in times) >= share * len(times)


def capacity(
    world: World, size: Size, share: float, limit_s: float, long_s: float, low: float = 0.0
) -> float:
    """The rate that the usual start holds, found by halving from one that it holds."""
    high = 1.15 * world.cpus / world.cpu_of(size)
    high = min(high, 1.3 * size.processes * size.threads / (world.cpu_of(size) + world.wait_s))
    while high - low > 0.004 * high:
        rate = (low + high) / 2
        if holds(world, size, rate, share, limit_s, long_s):
            low = rate
        else:
            high = rate
    return low
