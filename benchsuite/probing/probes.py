"""Starts the prober beside a load, and reads what it saw."""

import json
import signal
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit

from benchsuite.encryption import is_loopback
from benchsuite.paths import quoted
from benchsuite.proc import private
from benchsuite.proc.isolated import python
from benchsuite.proc.starting import running
from benchsuite.specs import LoadProfile, over
from benchsuite.workloads.base import Workload

LEAST_PAUSE_S = 0.2
"""Five times a second is enough for a median within ten seconds, and little enough to cost nothing
(2 ms of CPU a second)."""

MOST_SHARE = 0.01
"""Of what the load asks, the prober asks at most this much: it must not be a load itself. In the
open model that is a share of the arrivals; in the closed one, of the requests in flight: of the
users' number, so much of the time may the prober be waiting for an answer."""

MOST_TIME = 0.5
"""Nor does it wait for longer than this share of the time, however many users there are."""

Probe = tuple[float, float, float, bool]
"""When it was meant to be sent, sent, finished (monotonic seconds); whether it was right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the prober saw between two moments."""

    sent: int
    service_times_s: tuple[float, ...]
    lateness_s: float
    """Median; 0 without any."""


class _Asked(BaseException):
    """Not an Exception: a journey must not catch it."""

    def __init__(self, page: tuple[str, int | None] | None) -> None:
        super().__init__(page)
        self.page = page


class _FirstRequest:
    """A client that ends the journey at its first request."""

    def get(
        self,
        path: str,
        data: Mapping[str, Any] | None = None,
        follow: bool = False,  # noqa: FBT001, FBT002 - as in django.test.Client
        *,
        name: str = "",
        headers: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> NoReturn:
        raise _Asked(None if data or follow or headers else (path, status))

    def post(self, *arguments: Any, **named: Any) -> NoReturn:
        raise _Asked(None)


def probed_page(workload: Workload) -> tuple[str, int | None] | None:
    """The page that the journey asks first, if a plain GET does, and the status that it wants, if
    any; None when it can't be told.

    Whether the journey asks other pages too is known when the load has ended.
    """
    if workload.locustfile:
        return None
    try:
        workload.journey(_FirstRequest())
    except _Asked as asked:
        return asked.page
    except Exception:  # noqa: BLE001 - a journey is foreign code, and only not probed for it
        return None
    return None


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
    return {
        "host": parts.hostname,
        "port": parts.port or (443 if parts.scheme == "https" else 80),
        "tls": _tls(parts),
        "path": quoted(path),
        "token": token,
        "timeout_s": load.timeout_s,
        "keep_alive": load.keep_alive,
        "headers": over({"User-Agent": "benchsuite-prober", "Accept": "*/*"}, headers),
        "status": status,
        "least_pause_s": least_pause_s(load),
        "most_share": most_time(load),
        "seed": seed,
    }


@contextmanager
def prober(
    request: Mapping[str, object], *, folder: Path, on_cpus: Collection[int] | None
) -> Iterator[Path]:
    """Probes while the block runs; the path of the file that it writes to."""
    asked, seen = folder / "prober.json", folder / "prober.txt"
    # A session cookie is nobody else's business.
    private.write(asked, json.dumps(request))
    with running(
        [*python("benchsuite.probing.prober"), str(asked), str(seen)],
        name="the prober",
        log=folder / "prober.log",
        env={"LC_ALL": "C.UTF-8"},
        stop_signal=signal.SIGKILL,
        marker=str(request["token"]),
        # A client among clients. On a CPU that the server keeps busy it is woken behind the server:
        # it saw 8 to 11 ms of a page of waitress for which it sees 4.6 to 5.1 ms on the load's.
        on_cpus=on_cpus,
    ):
        yield seen


def least_pause_s(load: LoadProfile) -> float:
    """Between two probes on average; in the open model 100 times that between two arrivals."""
    if not load.is_open:
        return LEAST_PAUSE_S
    return max(LEAST_PAUSE_S, 1 / (MOST_SHARE * min(load.levels)))


def most_time(load: LoadProfile) -> float:
    """The share of the time in which a probe may be in flight."""
    return MOST_TIME if load.is_open else min(MOST_TIME, MOST_SHARE * min(load.levels))


def read(path: Path) -> list[Probe]:
    """The probes that have ended; a line that is being written is none yet."""
    try:
        lines = path.read_text(encoding="ascii").split("\n")[:-1]
    except FileNotFoundError:
        return []
    probes = (line.split() for line in lines)
    return [(float(due), float(sent), float(end), ok == "1") for due, sent, end, ok in probes]


def between(probes: list[Probe], window: tuple[float, float]) -> Seen:
    """What those meant for the window saw."""
    inside = [probe for probe in probes if window[0] <= probe[0] < window[1]]
    return Seen(
        sent=len(inside),
        service_times_s=tuple(end - sent for _, sent, end, right in inside if right),
        lateness_s=median(sent - due for due, sent, _, _ in inside) if inside else 0.0,
    )


def _tls(parts: SplitResult) -> str:
    """How far the prober believes in certificates, as the load does; empty for plain HTTP."""
    if parts.scheme != "https":
        return ""
    return "unverified" if is_loopback(str(parts.hostname)) else "verified"
