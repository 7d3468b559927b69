"""The contract of a workload: a journey in plain Python against a small client.

The same journey runs under load, under `django.test.Client` as a functional test, and once before
every measurement as the check that the answers are right.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

from benchsuite.exceptions import AnswerError, StatusError
from benchsuite.specs import DatabaseSpec, LoadProfile, Option, chosen_options
from benchsuite.stats.samples import MESSAGE, REQUEST

Unit = Literal["request", "message", "handshake", "event"]


class Response(Protocol):
    """What a journey may use of an answer; `django.http.HttpResponse` has all of it."""

    status_code: int
    content: bytes

    @property
    def headers(self) -> Mapping[str, str]: ...

    def json(self) -> Any: ...


class Client(Protocol):
    """What a journey may do; `django.test.Client` can do all of it.

    `name` groups requests in the results ("/polls/[id]/"); without it the path is the name. A
    journey may set an attribute `journey_name`, by which it then goes in the results itself.
    """

    def get(self, path: str, *, name: str = ..., headers: Any = ...) -> Any: ...

    def post(
        self,
        path: str,
        data: Any = ...,
        content_type: str = ...,
        *,
        name: str = ...,
        headers: Any = ...,
    ) -> Any: ...


class WebSocket(Protocol):
    """An open WebSocket of a journey, in whose `with` block it is used.

    What is sent and answered is a message; handshake and closing are measured, too. Whatever goes
    wrong ends the journey and is counted by its kind. What the server says by itself is counted as
    unsolicited.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: Any) -> None: ...

    def send(self, data: str | bytes, *, answered: bool = ...) -> Any:
        """Sends a message: text as text, bytes as binary. One that no answer is taken to is only
        counted; `answered=False` says so at once.
        """

    def receive(self, matching: Any = ..., *, to: Any = ...) -> str | bytes:
        """The next message; with `matching` the next such one, which answers what was sent.

        `matching` is a text that stands in it, an id or values of its JSON (7 is {"id": 7}), or a
        function that is told the message. Where several messages wait that it may belong to, `to`
        is what `send()` returned of the one.
        """

    def numbered(self, size: int = ...) -> str:
        """A text of so many bytes that no other message of the load has."""

    def echo(self, size: int, *, binary: bool = ...) -> None:
        """Sends a numbered message of so many bytes, which must come back as it was."""

    def ping(self) -> None:
        """Sends a ping, and waits for its pong."""

    def rest(self, seconds: float = ...) -> None:
        """Leaves the connection open and does nothing for that time, or until the load ends."""

    def subscribe(self, *, binary: bool = ..., read_bytes_s: float | None = ...) -> Any:
        """From now on what arrives are publications; no more than that is read in a second."""

    def publish(self, size: int, *, binary: bool = ..., wait: bool = ...) -> None:
        """Sends a numbered message that all subscribers must get; waits until those have that are
        in this process, unless told not to.
        """

    def close(self) -> None:
        """The closing handshake; leaving the `with` block does it, too."""

    def drop(self) -> None:
        """Ends the connection without a word."""


class SocketClient(Protocol):
    """A client that speaks WebSocket; that of the load does, `django.test.Client` doesn't."""

    user: int
    elapsed_s: float
    """Since the load began; 0 in the check before it."""

    def websocket(
        self,
        path: str,
        *,
        keep: bool = ...,
        name: str = ...,
        headers: Any = ...,
        subprotocols: Any = ...,
        deflate: bool = ...,
    ) -> WebSocket:
        """An open connection. With `keep` it stays open, and the user's next journey has it.

        Of `subprotocols` that are offered the server must choose one; it may decline `deflate`,
        the offer to compress messages.
        """


@dataclass(frozen=True, slots=True)
class Population:
    """Users of a load who all do the same, where others do something else."""

    name: str
    unit: Unit
    users: tuple[int, ...]
    """Their numbers."""


class Workload(ABC):
    """One kind of work. `journey()` is required, everything else has a default."""

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    """One line for `listbench`."""
    options: ClassVar[Mapping[str, Option]] = {}
    """Options with their defaults; the type is the default's."""
    ready_path: str = "/"
    """A path that the server can answer as soon as it is up (any status)."""
    locustfile: str = ""
    """Path of a locustfile whose users run instead of the journey."""
    needs_target_app: bool = False
    """Whether `benchsuite.target` must be mounted under /bench/ in the measured server."""
    needs_workers: ClassVar[bool] = False
    """Whether programs at the other end of the channel layer must answer (`--layer-workers`)."""
    needs_layer: bool = False
    """Whether the target must have a channel layer, its own or that of `--layer`."""
    whole_journeys: ClassVar[bool] = False
    """Whether a journey under way at the end of the window is brought to its end in the drain, and
    not cut off between two requests."""
    unit: ClassVar[Unit] = REQUEST
    """What the figures of a run are of."""
    due: ClassVar[str] = MESSAGE
    """What an arrival of the open model is, over WebSockets: what it was meant to be keeps its
    intended start, whatever must be opened before."""
    reads_memory: ClassVar[bool] = False
    """Whether the target's memory for each connection is what it asks for."""
    storm_s: float | None = None
    """When all connections are cut, in seconds since the load began; known once it is fitted."""
    restarts: bool = False
    """Whether that is done by restarting the server, and not by the users."""
    needs_websocket: bool = False
    """Whether the server must speak WebSocket."""
    alike: ClassVar[bool] = True
    """Whether all users do the same, so that each should get its share."""
    warmup_s: ClassVar[float] = LoadProfile().warmup_s
    duration_s: ClassVar[float] = LoadProfile().duration_s
    spawn_rate: ClassVar[float | None] = None
    """What is taken when --warmup, --duration or --spawn-rate is not given."""
    keep_cookies: ClassVar[bool] = LoadProfile().keep_cookies
    """Whether a user's next journey sends the cookies of the one before, when neither
    --keep-cookies nor --no-keep-cookies is given."""
    in_turn: ClassVar[bool] = False
    """Whether the slots of the open model take their journeys in turn, so that all connections are
    used; else the one that was used last takes the next."""
    uses_rows: ClassVar[bool] = False
    """Whether the throw-away database must hold `DatabaseSpec.rows` rows."""
    unchecked: str = (
        "Of the answers, the status was checked and what the journey itself asks of them, nothing "
        "else: a log-in page, another user's page or a stale one may have counted as right."
    )
    """What of the answers nobody checked, in a sentence; empty where the journey checks all."""
    rehearsals: int = 1
    """How often the journey is made before the load, if time allows."""
    visitor: str = ""
    """Who is logged in, where somebody is."""

    def __init__(self, **options: Option) -> None:
        self.settings = chosen_options(f"The workload {self.name}", self.options, options)

    @abstractmethod
    def journey(self, client: Client) -> None:
        """One user's one pass. Raises AnswerError when an answer is wrong."""

    def fit(self, load: LoadProfile) -> LoadProfile:
        """The load as this workload is made with; raises UsageError for one that makes no sense.

        Called when runs are planned, and again in the load process before the first journey.
        """
        return load

    def populations(self, load: LoadProfile) -> Sequence[Population]:
        """The kinds of users of that load; empty where all are of one."""
        return ()

    def enter(self, client: Client) -> None:  # noqa: B027 - most workloads need nothing
        """What each slot of the open model does before the load begins, such as to connect."""

    def rehearsed(self) -> None:  # noqa: B027 - most workloads learn nothing
        """The rehearsals are over; what was learned in them may be asked of the answers."""

    def prepare(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Fills the throw-away database, with Django set up for the target; runs once before the
        server.

        May return `{"cookies": {name: value}}`, which every user then sends (a signed-in session),
        and `{"options": {name: value}}`, which the journey is then made with.
        """
        return None

    def inspect(self, database: DatabaseSpec) -> Mapping[str, Any] | None:
        """Stands in for `prepare()` when the project keeps its own database: reads, never writes.

        May return the same; raises DatabaseError when what the journey needs is not there.
        """
        return None

    def count(self, database: DatabaseSpec) -> Mapping[str, int]:
        """What the run's database holds now of the work that journeys claim to have done.

        Runs where `prepare()` runs, on the run's own copy: {"completions": 123}. Reads, never
        writes.
        """
        return {}


def expect_status(response: Response, status: int = 200) -> None:
    """Raises StatusError when the answer has another status; says where a redirect leads."""
    if response.status_code == status:
        return
    where = response.headers.get("Location", "")
    target = f" (to {where})" if where else ""
    raise StatusError(f"expected status {status}, and got {response.status_code}{target}")


def expect_object(response: Response, status: int = 200) -> dict[str, Any]:
    """The answer's JSON object; raises AnswerError when it has another status or holds none."""
    expect_status(response, status)
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise AnswerError(f"expected a JSON object, and got {response.content[:60]!r}")
    return found


def expect_body(response: Response, body: bytes) -> None:
    """Raises AnswerError when the answer's body is another one."""
    expect_status(response)
    if response.content != body:
        raise AnswerError(f"expected the body {body[:60]!r}, and got {response.content[:60]!r}")
