"""The contract of a workload: a journey in plain Python against a small client.

The same journey runs under load, under `django.test.Client` as a functional test, and once before
every measurement as the check that the answers are right.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, ClassVar, Literal, NamedTuple

from benchsuite.core.exceptions import AnswerError, StatusError, UsageError
from benchsuite.core.samples import MESSAGE, REQUEST
from benchsuite.core.specs import DatabaseSpec, Limits, LoadProfile, Option, chosen_options
from benchsuite.core.wording import Client as Client
from benchsuite.core.wording import Response as Response

_SECONDS = re.compile(rb"\d{1,4}\.\d{4}")
EARLY_S = 0.0015  #: By how much a timer may be early: uvloop's count whole milliseconds.

Unit = Literal["request", "message", "handshake", "event"]


class Population(NamedTuple):
    """A group of a load's users who all do the same, by their numbers."""

    name: str
    unit: Unit
    users: tuple[int, ...]


class Workload(ABC):
    """One kind of work. `journey()` is required, everything else has a default."""

    name: ClassVar[str]
    summary: ClassVar[str] = ""  #: One line for `listbench`.
    options: ClassVar[Mapping[str, Option]] = {}  #: Their defaults also set the type.
    limits: ClassVar[Limits] = {}  #: Of its options.
    ready_path: str = "/"  #: A path that the server can answer as soon as it is up (any status).
    locustfile: str = ""  #: Path of a locustfile whose users run instead of the journey.
    needs_target_app: bool = False  #: Whether `benchsuite.target` must be mounted under /bench/.
    needs_workers: ClassVar[bool] = False  #: Workers on the channel layer (`--layer-workers`).
    needs_layer: bool = False  #: A channel layer, the target's own or that of `--layer`.
    whole_journeys: ClassVar[bool] = False  #: A journey at the window's end is drained.
    unit: ClassVar[Unit] = REQUEST  #: What the figures of a run count.
    due: ClassVar[str] = MESSAGE  #: What an arrival of the open model is, over WebSockets.
    reads_memory: ClassVar[bool] = False  #: The target's, for each connection.
    storm_s: float | None = None  #: When all connections are cut, since the begin; after `fit()`.
    needs_websocket: bool = False  #: Whether the server must speak WebSocket.
    endless: ClassVar[bool] = False  #: A journey lasts as long as the load, or isn't ours to count.
    alike: ClassVar[bool] = True  #: All users do the same, so each should get an equal share.
    warmup_s: ClassVar[float] = LoadProfile().warmup_s
    duration_s: ClassVar[float] = LoadProfile().duration_s
    spawn_rate: ClassVar[float | None] = None  #: Defaults of --warmup, --duration and --spawn-rate.
    keep_cookies: ClassVar[bool] = LoadProfile().keep_cookies
    """Whether a user's next journey keeps the cookies of the last one, without --keep-cookies and
    --no-keep-cookies."""
    in_turn: ClassVar[bool] = False  #: Whether slots take journeys in turn, not the one used last.
    uses_database: bool = True  #: Whether its views ask a database, as far as is known.
    calibrates: bool = False  #: Whether `prepare()` measures this machine; then it must be alone.
    uses_rows: ClassVar[bool] = False  #: The throw-away database must hold `DatabaseSpec.rows`.
    shared_data: ClassVar[str] = ""  #: Name of what `prepare()` makes once for several workloads.
    services: Mapping[str, Mapping[str, Option]] = {}
    """Services of the run that the views ask, by name, with what these are told. The target finds
    the URL of `api` in the variable BENCHSUITE_API_URL."""
    libraries: Mapping[str, str] = {}  #: Distributions that it needs, with the extra that has each.
    unchecked: str = (
        "Of the answers, the status was checked and what the journey itself asks of them, nothing "
        "else: a log-in page, another user's page or a stale one may have counted as right."
    )
    """What was not checked in the answers, in a sentence; empty if the journey checks all."""
    rehearsals: int = 1  #: How often the journey is rehearsed before the load, if time allows.
    visitor: str = ""  #: The user who is logged in, if any.

    def __init__(self, **options: Option) -> None:
        owner = f"The workload {self.name}"
        self.settings: dict[str, Any] = chosen_options(owner, self.options, options, self.limits)

    @property
    def has_own_data(self) -> bool:
        """Whether it makes, reads or counts something of its own before and after runs."""
        hooks = ("prepare", "inspect", "count")
        return any(getattr(type(self), one) is not getattr(Workload, one) for one in hooks)

    @abstractmethod
    def journey(self, client: Client) -> None:
        """One journey of one user. Raises AnswerError when an answer is wrong."""

    def fit(self, load: LoadProfile) -> LoadProfile:
        """The load as this workload uses it; raises UsageError for an unsuitable one.

        Called when a run is resolved, and again in the load process before the first journey:
        fitting twice must come to the same as fitting once.
        """
        return load

    def populations(self, load: LoadProfile) -> Sequence[Population]:
        """The groups of users of that load; empty if all do the same."""
        return ()

    def enter(self, client: Client) -> None:  # noqa: B027 - most workloads need nothing
        """What each slot of the open model does before the load starts, such as connecting."""

    def rehearsed(self) -> None:  # noqa: B027 - most workloads learn nothing
        """Called after the rehearsals; what they showed may now be required of answers."""

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Fills the throw-away database before the server starts; Django is set up for the target.

        May return `{"cookies": {name: value}}`, which every user sends (a signed-in session), and
        `{"options": {name: value}}`, options of the journey.
        """
        return None

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Replaces `prepare()` when the project keeps its own database: reads, never writes.

        May return the same; raises DatabaseError when the journey's data is missing.
        """
        return None

    def count(self, database: DatabaseSpec) -> Mapping[str, int]:
        """Counts the work in the run's database that journeys claim to have done.

        Runs where `prepare()` runs, on the run's own copy: {"completions": 123}. Reads, never
        writes.
        """
        return {}


def expect_status(response: Response, status: int = 200) -> None:
    """Raises StatusError for another status; says where a redirect leads."""
    if response.status_code == status:
        return
    where = response.headers.get("Location", "")
    target = f" (to {where})" if where else ""
    raise StatusError(f"expected status {status}, and got {response.status_code}{target}")


def expect_object(response: Response, status: int = 200) -> dict[str, Any]:
    """The answer's JSON object; raises AnswerError for another status or content."""
    expect_status(response, status)
    try:
        value = response.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise AnswerError(f"expected a JSON object, and got {response.content[:60]!r}")
    return value


def expect_seconds(response: Response, least_s: float) -> None:
    """The page says what it took; raises AnswerError when that is less than it must be."""
    expect_status(response)
    body = response.content
    if not _SECONDS.fullmatch(body) or float(body) < least_s - EARLY_S:
        raise AnswerError(
            f"expected the seconds it took, {least_s:g} or more, and got {body[:60]!r}"
        )


def expect_body(response: Response, body: bytes) -> None:
    """Raises AnswerError for another body."""
    expect_status(response)
    if response.content != body:
        raise AnswerError(f"expected the body {body[:60]!r}, and got {response.content[:60]!r}")


def expect_kept(name: str, load: LoadProfile) -> None:
    """Raises UsageError for a load that does not keep a number of connections open."""
    if load.is_open or not load.keep_alive:
        raise UsageError(
            f"{name} keeps its connections open; give their number with --connections, and remove "
            "--rate and --no-keep-alive."
        )


class TargetPage(Workload):
    """A journey that asks for the page /bench/NAME/, and checks the whole answer."""

    unchecked = ""
    ready_path = "/bench/plain/"
    needs_target_app = True
    uses_database = False
    path: ClassVar[str]
    query: ClassVar[tuple[str, ...]] = ()  #: Options that the page is told.

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "name"):
            cls.path = f"/bench/{cls.name}/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        query = "&".join(f"{name}={self.settings[name]}" for name in self.query)
        self._url = f"{self.path}?{query}" if query else self.path
        self._numbers = count(1)  #: Of what is sent, so that each is another.


def twin(work: type[TargetPage], beside: str = "") -> type[TargetPage]:
    """The same on an async view; `beside` is what must be known of that view."""
    content = {
        "__module__": work.__module__,
        "name": f"{work.name}_async",
        "summary": f"{work.name} with an async view{beside}",
    }
    return type(f"{work.__name__}Async", (work,), content)
