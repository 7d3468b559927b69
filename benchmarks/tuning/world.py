"""A simulated server: slots, first come first served; a GIL a process; CPUs; a wait for others."""

import heapq
import math
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

WRONG_S = 0.001  #: What a wrong answer takes.


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
    rare: float = 0.0  #: Share of requests whose wait is `rare_factor` times as long.
    rare_factor: float = 20.0
    servers: dict[str, float] = field(default_factory=lambda: {"gthread": 1.0})
    """Server to what it makes of the CPU time of a request."""
    start_noise: float = 0.03  #: Standard deviation of the logarithm of a start's CPU time.
    drift: float = 0.0  #: By how much CPU time grows over an hour, in a logarithm.
    slows_after_s: float = math.inf
    """From then on the machine is a third slower."""
    thread_cost: float = 0.0  #: By how much each further thread raises the CPU time of a request.
    memory: int = 60 << 20  #: Of a process.
    memory_thread: int = 1 << 20
    collapses: float = math.inf
    """With more requests waiting than this times the slots, CPU time doubles, and stays so."""
    lucky: float = 0.0  #: Chance of a start that takes three quarters of the CPU time.
    tails: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Server to the share of its requests that wait so much longer, holding their slot."""
    stall_s: float = 0.0  #: By how much an answer is late where the server does nothing else.
    refuses: float = 0.0  #: Share of arrivals that get a wrong answer at once.
    limits: tuple[str, ...] = ()  #: What a diagnostic start names.
    variants: dict[str, float] = field(default_factory=dict)
    """Field of a run to what setting it makes of the CPU time of a request."""

    def cpu_of(self, size: Size) -> float:
        """Mean CPU time of a request in a usual start."""
        extra = 1 + self.thread_cost * (size.threads - 1)
        return self.cpu_s * self.servers[size.server] * extra

    def memory_of(self, size: Size) -> float:
        return size.processes * (self.memory + size.threads * self.memory_thread)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a load found: intended start and response time of each arrival; inf for none."""

    begun: list[float]
    times: list[float]
    cpu_s: float  #: Spent in all.
    until_s: float
    wrong: list[int]  #: Which arrivals got a wrong answer.


def speed(world: World, generator: random.Random, at_s: float) -> float:
    """The factor of a start's CPU time."""
    factor = math.exp(generator.gauss(0.0, world.start_noise) + world.drift * at_s / 3600)
    if generator.random() < world.lucky:
        factor *= 0.75
    return factor * (4 / 3 if at_s > world.slows_after_s else 1)


class Start:
    """One start of a server under load, event by event."""

    def __init__(self, world: World, size: Size, factor: float, seed: int) -> None:
        self.world, self.size = world, size
        self._random = random.Random(seed)
        sigma = math.sqrt(math.log1p(world.cpu_spread**2))
        self._mu, self._sigma = math.log(world.cpu_of(size) * factor) - sigma**2 / 2, sigma
        self._slow = 1.0

    def open(self, arrivals: Sequence[float], until_s: float) -> Outcome:
        """Arrivals at these moments; what isn't answered until then is not."""
        return self._run(arrivals, until_s, None)

    def closed(self, users: int, until_s: float) -> Outcome:
        """Users who ask again at once."""
        return self._run([0.0] * users, until_s, users)

    def _run(self, arrivals: Sequence[float], until_s: float, users: int | None) -> Outcome:
        processes, threads, cpus = self.size.processes, self.size.threads, self.world.cpus
        wait_s, rare = self.world.wait_s, self.world.rare
        pick, normal, expo = self._random.random, self._random.gauss, self._random.expovariate
        begun, times = list(arrivals), [math.inf] * len(arrivals)
        burst = [0.0] * len(arrivals)
        home = [0] * len(arrivals)
        late: set[int] = set()
        alone: set[int] = set()
        wrong: list[int] = []
        tail, tail_s = self.world.tails.get(self.size.server, (0.0, 0.0))
        stall_s, refuses = self.world.stall_s, self.world.refuses
        free = [threads] * processes
        queue: deque[int] = deque()
        ready: list[deque[tuple[int, bool]]] = [deque() for _ in range(processes)]
        running = [False] * processes
        runnable: deque[int] = deque()
        idle, spent, number = cpus, 0.0, 0
        limit = self.world.collapses * processes * threads
        events: list[tuple[float, int, int, int]] = []  # time, number, kind, request
        for request, moment in enumerate(arrivals):
            events.append((moment, number, 0, request))
            number += 1
        heapq.heapify(events)

        def run(now: float) -> None:
            nonlocal idle, spent, number
            while idle and runnable:
                process = runnable.popleft()
                request, last = ready[process].popleft()
                idle -= 1
                running[process] = True
                cost = burst[request] * self._slow
                spent += cost
                heapq.heappush(events, (now + cost, number, 3 if last else 1, request))
                number += 1

        def again(at: float) -> None:
            nonlocal number
            begun.append(at)
            times.append(math.inf)
            burst.append(0.0)
            home.append(0)
            heapq.heappush(events, (at, number, 0, len(begun) - 1))
            number += 1

        def wants_cpu(request: int, *, last: bool) -> None:
            process = home[request]
            ready[process].append((request, last))
            if not running[process] and len(ready[process]) == 1:
                runnable.append(process)

        def accept(request: int) -> None:
            start = int(pick() * processes)
            process = next(
                (start + step) % processes
                for step in range(processes)
                if free[(start + step) % processes]
            )
            free[process] -= 1
            home[request] = process
            cost = math.exp(normal(self._mu, self._sigma))
            if tail and pick() < tail:
                late.add(request)
            if stall_s and slots == most - 1:
                alone.add(request)
            waits = wait_s or request in late
            burst[request] = cost / 2 if waits else cost
            wants_cpu(request, last=not waits)

        slots = most = processes * threads
        while events:
            now, _, kind, request = heapq.heappop(events)
            if now >= until_s:
                break
            if kind == 0:
                if refuses and pick() < refuses:
                    wrong.append(request)
                    if users is not None:
                        again(now + WRONG_S)
                elif slots:
                    slots -= 1
                    accept(request)
                else:
                    queue.append(request)
                    if len(queue) > limit:
                        self._slow = 2.0
            elif kind == 2:
                wants_cpu(request, last=True)
            else:
                process = home[request]
                running[process] = False
                idle += 1
                if ready[process]:
                    runnable.append(process)
                if kind == 1:
                    wait = expo(1 / wait_s) if wait_s else 0.0
                    if rare and pick() < rare:
                        wait *= self.world.rare_factor
                    if request in late:
                        wait += tail_s
                    heapq.heappush(events, (now + wait, number, 2, request))
                    number += 1
                else:
                    finish = now + (stall_s if request in alone else 0.0)
                    times[request] = finish - begun[request]
                    free[process] += 1
                    if queue:
                        accept(queue.popleft())
                    else:
                        slots += 1
                    if users is not None:
                        again(finish)
            run(now)
        return Outcome(begun, times, spent, until_s, wrong)


def poisson(rates: Sequence[tuple[float, float]], seed: int) -> list[float]:
    """Moments of arrivals at each rate for so many seconds, one after another."""
    generator, moments, moment, end = random.Random(seed), [], 0.0, 0.0
    for rate, seconds in rates:
        begin, end = end, end + seconds
        moment = begin
        while (moment := moment + generator.expovariate(rate)) < end:
            moments.append(moment)
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
