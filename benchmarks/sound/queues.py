"""Simulated servers under a simulated load and prober, known to be sound or not."""

import heapq
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchsuite.core.observations import Effort, Evidence
from benchsuite.core.results import Arrivals
from benchsuite.core.specs import LoadProfile
from benchsuite.stats import summary
from benchsuite.stats.signs import Traffic
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.probes import Pacing
from benchsuite.telemetry.prober.program import JITTER, RESTING, RIGHT
from tests.sabotage.sick.shapes import SHAPES

Samples = NDArray[np.void]
Draw = random.Random

WARM_UP_S, WINDOW_S = 2.0, 10.0
END_S = WARM_UP_S + WINDOW_S


@dataclass(frozen=True, kw_only=True)
class Server:
    """What answers, and under what."""

    service_s: float
    shape: str = "constant"
    at_once: int = 1  #: Requests that are answered at full speed at the same time.
    shares: bool = False  #: Whether those beyond share what there is; else they wait in line.
    users: int = 0  #: Closed model; 0 for the open one.
    think_s: float = 0.0
    rate: float = 0.0
    poisson: bool = True
    factor: Callable[[float], float] = lambda second: 1.0  #: Of service times, by second.
    others_s: float = 0.0  #: What all but the load wait in addition.
    reads_s: float = 0.0  #: CPU time of a load that lacks it, for each answer.

    @property
    def words(self) -> str:
        load = f"{self.users} users" if self.users else f"{self.rate:.0f}/s"
        kind = "" if self.users else (" Poisson" if self.poisson else " constant")
        how = "shared" if self.shares else "in line"
        return f"{self.shape} {self.service_s * 1000:.0f} ms, {self.at_once} {how}, {load}{kind}"


def simulated(server: Server, draw: Draw) -> tuple[Samples, list[probes.Probe]]:
    """Samples and probes of one run.

    Requests that share are served at the same speed; `virtual` is what each has got so far.
    """
    arrivals: list[tuple[float, int, int]] = []  #: When, a user's number or -1 for the prober.
    count = 0
    for user in range(server.users):
        heapq.heappush(arrivals, (draw.uniform(0, server.service_s + server.think_s), count, user))
        count += 1
    if server.rate:
        moment = 0.0
        while moment < END_S:
            gap = draw.expovariate(server.rate) if server.poisson else 1 / server.rate
            moment += gap
            heapq.heappush(arrivals, (moment, count, 0))
            count += 1
    for moment in _asked(server, draw):
        heapq.heappush(arrivals, (moment, count, -1))
        count += 1
    made: list[tuple[float, float, int]] = []
    service = SHAPES[server.shape]
    read_until = 0.0

    def ended(start: float, finish: float, who: int) -> None:
        nonlocal count, read_until
        if who < 0:
            finish += server.others_s
        elif server.reads_s:
            read_until = finish = max(finish, read_until) + server.reads_s
        made.append((start, finish, who))
        if who >= 0 and server.users:
            again = finish + server.think_s
            if again < END_S:
                heapq.heappush(arrivals, (again, count, who))
                count += 1

    now = virtual = 0.0
    free = [0.0] * server.at_once
    inside: list[tuple[float, int, float, int]] = []
    while arrivals or inside:
        moment = arrivals[0][0] if arrivals else math.inf
        if inside:
            speed = min(1.0, server.at_once / len(inside))
            leaves = now + (inside[0][0] - virtual) / speed
            if leaves <= moment:
                virtual, now = inside[0][0], leaves
                _, _, start, who = heapq.heappop(inside)
                ended(start, leaves, who)
                continue
            virtual += (moment - now) * speed
        now = moment
        _, number, who = heapq.heappop(arrivals)
        work = server.service_s * max(0.05, service(draw)) * server.factor(now)
        if server.shares:
            heapq.heappush(inside, (virtual + work, number, now, who))
        else:
            begins = max(now, heapq.heappop(free))
            heapq.heappush(free, begins + work)
            ended(now, begins + work, who)
    load = sorted(one for one in made if one[2] >= 0)
    samples = np.zeros(len(load), dtype=summary.DTYPE)
    starts, finishes, who = zip(*load, strict=True)
    samples["intended_start"] = samples["start"] = starts
    samples["finish"], samples["user"] = finishes, who
    return samples, _probes(sorted(one for one in made if one[2] < 0))


def _asked(server: Server, draw: Draw) -> Iterator[float]:
    """Moments at the pace of the real one, which knows the load's rate."""
    rate = server.rate or server.users / (
        server.think_s + max(1.0, server.users / server.at_once) * server.service_s
    )
    pacing = Pacing(LoadProfile(users=1, duration_s=WINDOW_S))
    pacing.tick(1.0, max(1, round(rate)), server.service_s)
    moment = 1.0
    while moment < END_S:
        moment += pacing.pace.pause_s * draw.uniform(1 - JITTER, 1 + JITTER)
        yield moment


def _probes(asked: list[tuple[float, float, int]]) -> list[probes.Probe]:
    """Each with its connection, as the prober chooses it."""
    kept: list[int] = []
    made, connections = [], 0
    for start, finish, _ in asked:
        if len(kept) < RESTING:
            connections += 1
            number = connections
            kept.append(number)
        else:
            number = kept.pop(0)
        made.append(
            probes.Probe(
                connection=number, due=start, late_s=0.0, waited_s=finish - start, outcome=RIGHT
            )
        )
    return made


def drawn(draw: Draw) -> Server:
    """A sound run."""
    server = {
        "service_s": draw.choice((0.005, 0.01, 0.02, 0.05)),
        "shape": draw.choice(list(SHAPES)),
        "at_once": draw.choice((1, 1, 2, 4)),
        "shares": draw.random() < 0.5,
    }
    load: dict[str, Any] = {"users": draw.choice((1, 2, 4, 8, 16))}
    load["think_s"] = draw.choice((0.0, 0.0, 0.1))
    if draw.random() < 2 / 3:
        busy = draw.choice((0.3, 0.6, 0.8, 0.88, 0.95))
        rate = busy * server["at_once"] / server["service_s"]
        load = {"rate": rate, "poisson": draw.random() < 0.5}
    return Server(**server, **load)


def evidence(server: Server, draw: Draw) -> Evidence:
    """What is known of one run of it."""
    samples, asked = simulated(server, draw)
    window, traffic = (WARM_UP_S, END_S), Traffic.of(samples)
    total = summary.summarise(
        samples, name="all requests", scope="all", window=window, waits=not server.users
    )
    in_flight = summary.concurrency(samples, window=window)
    waiting = in_flight if server.users else None
    known: dict[str, Any] = {"waiting_users": waiting}
    if not server.users:
        seconds = np.arange(WARM_UP_S, END_S + 1)
        answered = np.maximum(traffic.answered(seconds), 1)
        each_s = traffic.taken_s(seconds, server.at_once) / answered
        known = {
            "arrived_per_s": total.requests / WINDOW_S,
            "under_way": in_flight,
            "arrivals": Arrivals(
                offered_rate=server.rate, achieved_rate=server.rate, late=0, dropped=0
            ),
            "busy_percent": 100 * float(each_s @ answered) / WINDOW_S / server.at_once,
            "effort": Effort("CPU time", tuple(each_s.tolist())),
        }
    return Evidence(
        total=total,
        intervals=tuple(summary.intervals(samples, origin=0.0, window=window)),
        window=window,
        probes=probes.between(asked, window, total, waiting, traffic),
        **known,
    )
