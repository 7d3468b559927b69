"""Starts the prober beside a load, tells it its pace, and reads what it saw."""

import json
import os
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, NamedTuple, NoReturn
from urllib.parse import urlsplit

import numpy as np

from benchsuite.core.observations import Connection, Probes
from benchsuite.core.results import Summary
from benchsuite.core.samples import Round, Stall
from benchsuite.core.specs import LoadProfile
from benchsuite.core.wording import Wording
from benchsuite.findings.generator import FEWEST_PROBES
from benchsuite.findings.target import FEWEST_ROUNDS
from benchsuite.stats.signs import Traffic
from benchsuite.system import folders
from benchsuite.system.process import running
from benchsuite.system.programs import isolated_python
from benchsuite.telemetry.prober.program import HUNG, LOST, RIGHT, WRONG, Client
from benchsuite.workloads.base import Workload

USUAL_SHARE = 0.01  #: Of what the load asks: the prober must not be a load itself.
MOST_SHARE = 0.05  #: Where that is too seldom for `ENOUGH` in a window: at most so much.
ENOUGH = 2 * FEWEST_PROBES  #: In a window: twenty connections, each asked twice.
LEAST_PAUSE_S = 0.2  #: Costs 2 ms of CPU a second, and gives `ENOUGH` in windows of 8 s.
SHORT_S = 10.0  #: A fixed amount of work is taken to last so long, as nobody knows.
AT_ONCE = 8  #: Requests that may wait for an answer. All of eight that hang are proof that most do.
PATIENCE_S = 1.0
PATIENCE = 30  #: A probe hangs when it has waited so long, and so many times the load's median.
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")  #: Variables that OpenSSL reads.
LOOK_BACK = 5  #: Ticks over which the load's rate is told: answers of a slow page come in bursts.


class Pace(NamedTuple):
    """What the prober keeps to until it is told another."""

    pause_s: float  #: Between two requests, on average.
    patience_s: float
    at_once: int


class Pacing:
    """Follows a load second by second."""

    def __init__(self, load: LoadProfile) -> None:
        self._load = load
        self._seen: deque[tuple[float, int]] = deque([(0.0, 0)], maxlen=LOOK_BACK + 1)
        self._p50_s: float | None = None

    def tick(self, elapsed_s: float, requests: int, p50_s: float | None) -> None:
        """`requests` have ended since the load's begin; `p50_s` is the median of the last."""
        self._seen.append((elapsed_s, requests))
        self._p50_s = p50_s or self._p50_s

    @property
    def pace(self) -> Pace:
        load = self._load
        (then, before), (now, requests) = self._seen[0], self._seen[-1]
        rate = min(load.levels) if load.is_open else 0.0  #: Requests a second that the load makes.
        if requests:
            rate = (requests - before) / (now - then) if requests > before else requests / now
        wanted_s = (load.duration_s if load.iterations is None else SHORT_S) / ENOUGH
        pause_s = wanted_s
        if rate:
            usual_s = max(LEAST_PAUSE_S, 1 / (USUAL_SHARE * rate))
            pause_s = max(min(usual_s, wanted_s), 1 / (MOST_SHARE * rate))
        if not self._p50_s:  # a page that is slower than the warm-up, perhaps
            return Pace(pause_s=pause_s, patience_s=load.timeout_s, at_once=1)
        patience_s = min(load.timeout_s, max(PATIENCE_S, PATIENCE * self._p50_s))
        return Pace(pause_s=pause_s, patience_s=patience_s, at_once=AT_ONCE)


@dataclass(frozen=True, slots=True)
class Probe:
    connection: int
    due: float  #: When it was meant to be sent, in monotonic seconds.
    late_s: float  #: How much later it was.
    waited_s: float  #: For the answer, or until there was none.
    outcome: str  #: Of `client`; one that was still under way hangs.


class Watch:
    """What a prober that is asking has written, and how it is told another pace."""

    def __init__(self, folder: Path, load: LoadProfile) -> None:
        self.seen, self.pace = folder / "prober.txt", folder / "prober.pace"
        self._pacing = Pacing(load)
        self._tell()

    def tick(self, elapsed_s: float, requests: int, p50_s: float | None) -> None:
        """Another second of the load has passed."""
        self._pacing.tick(elapsed_s, requests, p50_s)
        self._tell()

    def probes(self) -> list[Probe]:
        return read(self.seen, monotonic())

    def _tell(self) -> None:
        folders.replace_private(self.pace, json.dumps(self._pacing.pace._asdict()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the prober asks."""

    path: str
    name: str  #: By which the load's figures know it.
    status: int | None = None  #: The one that the journey wants.


class _Asked(BaseException):
    """Carries the page, or None. Not an Exception: a journey must not catch it."""


class _FirstRequest:
    """A client that ends the journey at its first request."""

    def get(
        self, path: str, *more: Any, name: str = "", status: int | None = None, **named: Any
    ) -> NoReturn:
        """Data, `follow` and headers make another request of it."""
        plain = not any((*more, *named.values()))
        known_as = name or f"GET {path.partition('?')[0]}"
        raise _Asked(Page(path=path, name=known_as, status=status) if plain else None)

    def post(self, *arguments: Any, **named: Any) -> NoReturn:
        raise _Asked(None)


def probed_page(workload: Workload) -> Page | None:
    """The page that the journey asks first, if a plain GET does; None when it can't be told."""
    if workload.locustfile:
        return None
    page: Page | None = None
    try:
        with suppress(Exception):  # a journey is foreign code, and only not probed for it
            workload.journey(_FirstRequest())
    except _Asked as asked:
        [page] = asked.args
    return page


def request_for(
    path: str,
    *,
    base_url: str,
    token: str,
    load: LoadProfile,
    headers: Mapping[str, str],
    seed: int,
    status: int | None = None,
) -> dict[str, object]:
    """All that a prober needs to know; `headers` are those that a user sends, its cookies too."""
    parts = urlsplit(base_url)
    fields = dict(headers)
    host, cookies = fields.pop("Host", parts.netloc), fields.pop("Cookie", "")
    wording = Wording(f"{parts.scheme}://{host}", fields, keep_alive=load.keep_alive)
    message = wording.message("GET", path, f"Cookie: {cookies}\r\n" if cookies else "")
    return {
        "host": parts.hostname,
        "port": parts.port or (443 if parts.scheme == "https" else 80),
        "tls": parts.scheme == "https",
        "message": message.decode("latin-1"),
        "token": token,
        "timeout_s": load.timeout_s,
        "keep_alive": load.keep_alive,
        "status": status,
        "seed": seed,
    }


@contextmanager
def prober(
    request: Mapping[str, object],
    load: LoadProfile,
    *,
    folder: Path,
    marker: str = "",
) -> Iterator[Watch]:
    """Probes while the block runs; afterwards nothing is under way any more."""
    asked, watch = folder / "prober.json", Watch(folder, load)
    # A session cookie is nobody else's business.
    folders.write_private(asked, json.dumps(request))
    certificates = {one: os.environ[one] for one in CERTIFICATES if one in os.environ}
    program = isolated_python("benchsuite.telemetry.prober.program")
    with running(
        [*program, str(asked), str(watch.pace), str(watch.seen)],
        name="the prober",
        log=folder / "prober.log",
        env={"LC_ALL": "C.UTF-8", **certificates},
        marker=marker or str(request["token"]),
        # A client among clients. On a CPU that the server keeps busy it is woken behind the server:
        # it saw 8 to 11 ms of a page of waitress for which it sees 4.6 to 5.1 ms on the load's.
        on_cpus=load.cpus,
    ):
        yield watch


def read(path: Path, now: float) -> list[Probe]:
    """All probes in the order of their begin; a line that is being written is none yet."""
    try:
        lines = path.read_text(encoding="ascii").split("\n")[:-1]
    except FileNotFoundError:
        return []
    asked = [line.split()[1:] for line in lines if line.startswith("asked ")]
    over = (line.split()[1:] for line in lines if line.startswith("ended "))
    ended = {number: (float(waited), how) for number, waited, how in over}
    made = []
    for number, connection, due, begun in asked:
        waited_s, outcome = ended.get(number, (now - float(begun), HUNG))
        moment, late_s = float(due), float(begun) - float(due)
        made.append(Probe(int(connection), moment, late_s, waited_s, outcome))
    return made


def between(
    probes: Sequence[Probe],
    window: tuple[float, float],
    load: Summary,
    users: float | None,
    traffic: Traffic,
) -> Probes:
    """What those meant for the window saw, beside what the load did; `traffic` is all of it."""
    inside = [probe for probe in probes if window[0] <= probe.due < window[1]]
    answered = [moment for moment in inside if moment.outcome != WRONG]
    outcomes = Counter(moment.outcome for moment in inside)
    own_s, most_own_s = traffic.own_times_s(window)
    begun = np.array([moment.due + moment.late_s for moment in answered])
    waited = np.array([moment.waited_s for moment in answered])
    beyond_s = waited - traffic.expected_s(begun, most_own_s)
    ahead_s = traffic.before_s(begun) - waited
    connections = []
    for number in dict.fromkeys(moment.connection for moment in answered):
        places = [place for place, one in enumerate(answered) if one.connection == number]
        last = answered[places[-1]]
        seen = Connection(
            times_s=tuple(answered[place].waited_s for place in places),
            beyond_s=tuple(beyond_s[places].tolist()),
            ahead_s=tuple(ahead_s[places].tolist()),
            hung=last.outcome == HUNG,
            lost=last.outcome == LOST,
        )
        connections.append(seen)
    return Probes(
        sent=len(inside),
        answered=outcomes[RIGHT],
        hung=outcomes[HUNG],
        lost=outcomes[LOST],
        connections=tuple(connections),
        lateness_s=median(moment.late_s for moment in inside) if inside else 0.0,
        load=load,
        own_s=own_s,
        users=users,
    )


KEPT = 4  #: Requests until acknowledgements are delayed (TCP_PINGPONG_THRESH: 1 to 3).
MOST_ROUNDS = 20
LIMIT_S = 10.0  #: For all rounds; those of a page that waits take 0.2 s each.


def stall(request: Mapping[str, object]) -> Stall:
    """Rounds until it is clear; fewer than four when the page was not answered, or too slow."""
    limit = monotonic() + LIMIT_S
    rounds = Stall()
    while len(rounds.rounds) < MOST_ROUNDS and monotonic() < limit and not rounds.is_shown:
        if len(rounds.rounds) >= FEWEST_ROUNDS and not rounds.later:
            break
        times = []
        with closing(Client({**request, "timeout_s": LIMIT_S})) as client:
            for prompt in (*[False] * (1 + KEPT), True):
                begin = monotonic()
                if client.ask(prompt=prompt) != RIGHT or (now := monotonic()) > limit:
                    return rounds
                times.append(now - begin)
        rounds = Stall((*rounds.rounds, Round(times[0], times[-2], times[-1])))
    return rounds
