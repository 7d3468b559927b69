"""Our own HTTP client: what a journey asks for, measured with our clock and nothing else.

A request begins before its connection is made and ends with the last byte of its answer. Journeys
get a body as the view wrote it: a Content-Encoding, which only a header of theirs asks for, is
undone after that. Bytes are counted as they came.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import Any, NoReturn
from urllib.parse import urlencode

from benchsuite.core.exceptions import AnswerError
from benchsuite.core.samples import MESSAGE, PROCESS_SHIFT, REQUEST, RESENT, Kind
from benchsuite.core.wording import Wording, led_to, path_of
from benchsuite.load.client import failures
from benchsuite.load.client.failures import Failure
from benchsuite.load.client.http import answer as answers
from benchsuite.load.client.http.answer import Head, Response
from benchsuite.load.client.http.connection import Connection
from benchsuite.load.client.link import ConnectionFailed
from benchsuite.load.client.target import (
    Asked,
    Begun,
    Failed,
    Gate,
    Headers,
    LoadEnded,
    Recorder,
    RequestFailed,
    Target,
    Times,
)
from benchsuite.load.client.websocket.sockets import Sockets
from benchsuite.telemetry.prober.program import RUN_HEADER


class Cookies:
    """As the server set them, whatever their domain and path, as in `django.test.Client`."""

    def __init__(self, initial: Mapping[str, str]) -> None:
        self._initial = dict(initial)
        self._values = dict(initial)
        self._write_header()

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def forget(self) -> None:
        """Forgets what the server set; the initial cookies are back."""
        if self._values != self._initial:
            self._values = dict(self._initial)
            self._write_header()

    def take(self, lines: Iterable[str]) -> None:
        """Takes the values of the Set-Cookie headers of an answer."""
        for line in lines:
            pair, *attributes = line.split(";")
            name, equals, value = pair.partition("=")
            name = name.strip()
            if not equals or not name:
                continue
            if _expired(attributes):
                self._values.pop(name, None)
            else:
                self._values[name] = value.strip()
        self._write_header()

    def _write_header(self) -> None:
        pairs = "; ".join(f"{name}={value}" for name, value in self._values.items())
        self.header_line = f"Cookie: {pairs}\r\n" if pairs else ""


def _expired(attributes: list[str]) -> bool:
    """Whether the attributes of a cookie delete it; Max-Age weighs more than Expires (RFC 6265)."""
    pairs = (attribute.partition("=") for attribute in attributes)
    wanted = {name.strip().lower(): value.strip() for name, _, value in pairs}
    try:
        if "max-age" in wanted:
            return int(wanted["max-age"]) <= 0
        moment = parsedate_to_datetime(wanted.get("expires", ""))
    except ValueError:
        return False
    return moment.replace(tzinfo=moment.tzinfo or UTC) <= datetime.now(UTC)


FORM = "application/x-www-form-urlencoded"


def encode_body(data: Any, content_type: str) -> bytes:
    """As `django.test.Client` does for the same arguments, but a form is urlencoded where Django's
    client writes multipart (views read both from `request.POST`), and files are refused.
    """
    if isinstance(data, bytes):
        return data
    if isinstance(data, str):
        return data.encode()
    if content_type.partition(";")[0].strip().endswith(("/json", "+json")):
        return json.dumps({} if data is None else data).encode()
    if data is None:
        return b""
    if content_type != FORM:
        raise TypeError(
            f"a {type(data).__name__} can't be sent as {content_type!r}; pass str or bytes"
        )
    return _urlencode(data).encode()


def _urlencode(data: Mapping[str, Any]) -> str:
    for key, value in data.items():
        if value is None:
            raise TypeError(f"the value of {key!r} is None; leave it out or send an empty string")
        if hasattr(value, "read"):
            raise TypeError(f"the value of {key!r} is a file, and journeys send no files")
    return urlencode(data, doseq=True)


MAX_REDIRECTS = 20
MAX_KNOWN = 100  #: Messages that each user keeps.


@dataclass(slots=True)
class _Sample:
    """A request that has ended, held back until it is known whether its body was right."""

    index: int
    kind: Kind
    times: Times
    body_bytes: int
    answer: Response | None
    asked: Asked
    process: int = 0  #: Of the server, as samples number it; 0 if unknown.


class HttpClient:
    """One user's client: its connection, its cookies, and what it has not written down yet."""

    def __init__(
        self,
        target: Target,
        recorder: Recorder,
        gate: Gate,
        *,
        user: int,
        sockets: Sockets | None = None,
        due: str = MESSAGE,
        rehearsal: bool = False,
    ) -> None:
        self.target = target
        self.recorder = recorder  #: Of requests; of nothing more once they were given up.
        self.aside = recorder  #: Records what was not begun here, up to the very end.
        self.gate = gate
        self.sockets = Sockets() if sockets is None else sockets  #: All WebSockets of this process.
        self.due = due  #: What over WebSockets is meant to start when a journey is (a scope).
        self.rehearsal = rehearsal  #: Whether journeys are only checked, and need not rest long.
        self.user = user
        self.base_url = target.base_url  #: Where its paths are, as the robot asks.
        self._origin = led_to(self.base_url)[:2]
        self.failed: Failure | None = None  #: The first failure of the journey.
        self.requests = 0  #: Requests of the journey.
        self.left_traces = False  #: Whether any journey sent a form or got a cookie.
        self.journey_name = ""  #: What the journey calls itself, if not as the workload.
        self.unpaired = 0  #: Messages of the journey that it named no answer to.
        self.in_flight: list[Begun] = []  #: Requests, and messages on WebSockets.
        self._intended: float | None = None  #: When the next request was meant to start.
        self._expected_status: int | None = None  #: That is right beside those below 400.
        self._held: _Sample | None = None
        self._connection = Connection(target)
        self._connection.on_resend = self._note_resend
        self._bare_gets: dict[tuple[str, str, str], tuple[int, bytes]] = {}
        """Name and message of GETs without headers of their own, by path, name and cookies."""
        visitor, load = target.job.visitor, target.job.load
        self.cookies = Cookies({**target.job.cookies, **visitor.cookie_values})
        self.wording = Wording(target.base_url, visitor.header_values, keep_alive=load.keep_alive)

    def get(
        self,
        path: str,
        data: Mapping[str, Any] | None = None,
        follow: bool = False,  # noqa: FBT001, FBT002 - as in django.test.Client
        *,
        name: str = "",
        headers: Headers | None = None,
        status: int | None = None,
    ) -> Response:
        """`data` replaces the path's query; an answer from 400 on has failed, but for `status`."""
        self._expected_status = status
        if query := _urlencode(data or {}):
            path = f"{path.partition('?')[0]}?{query}"
        try:
            answer = self._request("GET", path, b"", "", name, headers)
            return self._follow(answer, b"", "", headers) if follow else answer
        finally:
            self._expected_status = None

    def look(self, path: str, **options: Any) -> Response:
        """As `get()`, at something beside the journey, of which no answer is wrong."""
        failed = self.failed
        answer = self.get(path, **options)
        self.failed = failed
        if self._held is not None:
            self._held.kind = Kind.OK
            self.settle()
        return answer

    def post(
        self,
        path: str,
        data: Any = None,
        content_type: str = FORM,
        follow: bool = False,  # noqa: FBT001, FBT002 - as in django.test.Client
        *,
        name: str = "",
        headers: Headers | None = None,
    ) -> Response:
        """`data` is a form's fields, something that becomes JSON, or text or bytes as they are."""
        body = encode_body(data, content_type)
        answer = self._request("POST", path, body, content_type, name, headers)
        return self._follow(answer, body, content_type, headers) if follow else answer

    def begin(self, intended: float | None = None) -> None:
        """A new journey, whose first request was meant to start at that moment."""
        if not self.target.job.load.keep_cookies:
            self.cookies.forget()
        self._intended = intended
        self.failed = None
        self.requests = 0
        self.unpaired = 0
        self.journey_name = ""

    def settle(self) -> None:
        """Records the last request: nobody has called its body wrong."""
        held, self._held = self._held, None
        if held is not None:
            kind = held.kind | held.process << PROCESS_SHIFT
            self.recorder.add(held.index, kind, self.user, held.body_bytes, *held.times)

    def reject(self, error: BaseException, message: str) -> None:
        """The journey calls the last answer wrong; what had failed already keeps its kind."""
        held = self._held
        if held is not None and held.kind is Kind.OK:
            self._fail(held, (failures.kind_of_rejected(held.answer, error), message))

    @property
    def elapsed_s(self) -> float:
        """Since the load began; 0 in the check before it."""
        return max(0.0, monotonic() - self.sockets.origin)

    def begin_sample(self, index: int, *, due: bool = True, start: float | None = None) -> Begun:
        """It is in flight until `end_sample()`; `due`: the journey was meant to start with it."""
        if self.gate.closed:
            raise LoadEnded
        self.settle()
        self.requests += 1
        start = monotonic() if start is None else start
        intended = self.take_due() if due else None
        begun = (index, start if intended is None else intended, start)
        self.in_flight.append(begun)
        return begun

    def take_due(self) -> float | None:
        """The journey's intended start, for the first that asks for it."""
        intended, self._intended = self._intended, None
        return intended

    def end_sample(self, begun: Begun) -> None:
        """It is no longer in flight."""
        if begun in self.in_flight:
            self.in_flight.remove(begun)

    def hold(self, index: int, length: int, times: Times, asked: Asked) -> None:
        """Keeps a right answer until it is known whether the journey calls it wrong."""
        self.settle()
        self._held = _Sample(index, Kind.OK, times, length, None, asked)

    def note_failure(
        self, asked: Asked, failure: Failed, status: int | None, answer: Response | None = None
    ) -> None:
        """The journey has failed, if it had not already."""
        if self.failed is None:
            came = (answer.headers.get("Location", ""), answer.content) if answer else ()
            self.failed = Failure(*failure, *asked, status, *came)

    def close(self) -> None:
        self._connection.drop()

    def give_up(self, moment: float) -> None:
        """Records what is in flight as unfinished, and nothing of it later."""
        self.settle()
        for begun in self.in_flight:
            self.recorder.unfinished(begun, self.user, moment)
        self.in_flight.clear()
        self.recorder = Recorder()

    def _request(
        self,
        method: str,
        path: str,
        body: bytes,
        content_type: str,
        name: str,
        headers: Headers | None,
    ) -> Response:
        if self.gate.closed:
            raise LoadEnded
        # journeys ask for the same few pages again and again: each request is written once
        is_bare, cookies = method == "GET" and headers is None, self.cookies.header_line
        known = self._bare_gets.get((path, name, cookies)) if is_bare else None
        if known is None:
            index = self.recorder.index(name or f"{method} {path.partition('?')[0]}", REQUEST)
            message = self.wording.message(method, path, cookies, body, content_type, headers)
            known = index, message
            self.left_traces |= method == "POST"
            if is_bare:
                if len(self._bare_gets) >= MAX_KNOWN:
                    self._bare_gets.clear()
                self._bare_gets[path, name, cookies] = known
        index, message = known
        begun = self.begin_sample(index)
        try:
            head, content = self._connection.exchange(method, message)
        except ConnectionFailed as error:
            self.fail(begun, error.failure, (method, path))
        finally:
            self.end_sample(begun)
        times = (begun[1], begun[2], self._connection.arrived)
        return self.answered((method, path), index, head, content, times)

    def _note_resend(self) -> None:
        """The request in flight is sent a second time; its times go on."""
        self.recorder.until_now(RESENT, self.user, *self.in_flight[-1][1:])

    def fail(self, begun: Begun, failure: Failed, asked: Asked) -> NoReturn:
        """No readable answer came, which ends the journey now."""
        index, intended, start = begun
        times = (intended, start, monotonic())
        self.settle()
        self._held = _Sample(index, failure[0], times, 0, None, asked)
        self._fail(self._held, failure)
        raise RequestFailed(failure[1])

    def answered(
        self, asked: Asked, index: int, head: Head, content: bytes, times: Times
    ) -> Response:
        """An answer came, right or wrong; it finished with its last byte."""
        method, path = asked
        answer = Response(path, head.status, content, head, method=method)
        self._held = held = _Sample(index, Kind.OK, times, head.length, answer, asked, head.process)
        wanted = self.target.job.run_header
        if head.plain_for == wanted:
            return answer
        if lines := head.values("set-cookie"):
            self.left_traces = True
            self.cookies.take(lines)
        undecoded = ""
        if codings := answers.codings_of(head.values("content-encoding")):
            try:
                whole = head.length <= answers.KEPT_BYTES
                answer.content = answers.decoded(content, codings, whole=whole)
            except answers.NotDecoded as error:
                undecoded = str(error)
        runs = head.values(RUN_HEADER.lower())
        actual = ", ".join(runs) if runs else None
        is_refusal = answer.status_code >= 400 and answer.status_code != self._expected_status
        foreign = failures.kind_of_responder(wanted, actual, may_lack=is_refusal)
        if foreign is not None:
            self._fail(held, foreign)
        elif is_refusal:
            self._fail(held, failures.kind_of_status(answer.status_code, answer.content))
        elif undecoded:
            self._fail(held, (Kind.WRONG_BODY, undecoded))
        elif answer.status_code < 400 and not lines and not codings:
            # of those from 400 on, another request may be meant otherwise
            head.plain_for = wanted
        return answer

    def _fail(self, held: _Sample, failure: Failed) -> None:
        held.kind, answer = failure[0], held.answer
        status = answer.status_code if answer else None
        self.recorder.example(held.index, *failure, status, " ".join(held.asked))
        self.note_failure(held.asked, failure, status, answer)

    def _follow(
        self, answer: Response, body: bytes, content_type: str, headers: Headers | None
    ) -> Response:
        """Goes where redirects lead; raises AnswerError when they don't end or leave the host."""
        chain: list[tuple[str, int]] = []
        while answer.status_code in (301, 302, 303, 307, 308) and "Location" in answer.headers:
            location = answer.headers["Location"]
            chain.append((location, answer.status_code))
            if len(chain) > MAX_REDIRECTS:
                raise AnswerError(f"redirected more than {MAX_REDIRECTS} times, last to {location}")
            parts = led_to(location, f"{self.base_url}{answer.path}")
            if parts[:2] != self._origin:
                raise AnswerError(f"redirected to another host: {location}")
            path = path_of(parts)
            if answer.method == "POST" and answer.status_code in (307, 308):
                answer = self._request("POST", path, body, content_type, "", headers)
            else:
                answer = self._request("GET", path, b"", "", "", headers)
        answer.redirect_chain = chain
        return answer
