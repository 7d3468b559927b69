"""Where the time of a request goes: parts that must add up to its mean response time."""

from dataclasses import dataclass

from benchsuite.bottlenecks.evidence import Evidence
from benchsuite.core.units import format_duration, format_percent, listed

SENDING = "waiting to be sent"
QUEUE = "queue in the server"
CPU = "CPU"
RUN_DELAY = "waiting for a CPU"
DATABASE = "database"
REST = "something else"
PARTS = (SENDING, QUEUE, CPU, RUN_DELAY, DATABASE)

BUSY_PERCENT = 90.0  #: Of a CPU, from which a process has no time left.

CLOSE = 0.1  #: Of the mean, that the parts may miss or exceed.
FAILED = 0.05  #: From this share of failures on, means of successes and CPU are of different work.


@dataclass(frozen=True, slots=True)
class Budget:
    """The mean response time and its known parts, in seconds and in their order."""

    response_s: float
    parts: dict[str, float]
    unknown: tuple[str, ...] = ()  #: Parts that nobody measured: they are in the rest.
    busy: bool = False  #: Whether a process has no time left, so that requests wait for it.

    @property
    def rest_s(self) -> float:
        """What no part accounts for; below 0 where parts overlap."""
        return self.response_s - sum(self.parts.values())

    @property
    def adds_up(self) -> bool:
        return abs(self.rest_s) <= CLOSE * self.response_s

    def share(self, *names: str) -> float:
        """Of the mean, in these parts; `REST` is one."""
        known = {**self.parts, REST: max(0.0, self.rest_s)}
        return sum(known.get(name, 0.0) for name in names) / self.response_s

    @property
    def sentence(self) -> str:
        told = [
            f"{format_duration(seconds)} {name}"
            for name, seconds in self.parts.items()
            if seconds >= 0.005 * self.response_s
        ]
        words = f"A request took {format_duration(self.response_s)} on average"
        if told:
            words += f": {listed(told)}"
        if self.adds_up:
            return f"{words}."
        if self.rest_s < 0:
            over = format_percent(100 * sum(self.parts.values()) / self.response_s)
            return f"{words}. These overlap: together they are {over} of it."
        rest = format_duration(self.rest_s)
        if self.busy:
            return f"{words}; for {rest} it waited for a process that was busy with others."
        missing = f" (not measured: {listed(self.unknown)})" if self.unknown else ""
        return f"{words}; {rest} are {REST}{missing}."


def budget(evidence: Evidence) -> Budget | None:
    """None where the mean or the CPU is not known, or where many requests failed."""
    if not evidence.response_s or evidence.own_cpu_s is None or evidence.failed_share > FAILED:
        return None
    known = {
        SENDING: evidence.wait_s,
        QUEUE: evidence.queue_s,
        CPU: evidence.own_cpu_s,
        RUN_DELAY: evidence.run_delay_s,
        DATABASE: evidence.database_s,
    }
    return Budget(
        evidence.response_s,
        {name: seconds for name, seconds in known.items() if seconds is not None},
        tuple(name for name, seconds in known.items() if seconds is None),
        (evidence.busiest or 0.0) >= BUSY_PERCENT,
    )
