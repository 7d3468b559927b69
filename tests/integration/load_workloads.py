"""Journeys for the tests of the load process, which imports them by their dotted path."""

import time
from itertools import chain, cycle, product
from typing import Any

from benchsuite.core.exceptions import AnswerError
from benchsuite.workloads.base import Client, Workload, expect_body, expect_status


class Get(Workload):
    """One GET of a path, whose body must be OK."""

    name = "get"
    options = {"path": "/"}

    @property
    def path(self) -> str:
        return str(self.settings["path"])

    def journey(self, client: Client) -> None:
        expect_body(client.get(self.path), b"OK")


def made(name, base=Get, **methods):
    """A journey in few words."""
    return type(name, (base,), {"name": name, **methods})


def _by_age(self, client):
    client.get("/", name="late" if client.elapsed_s > 0.2 else "early")


Late = made("late", journey=_by_age)
Lenient = made("lenient", journey=lambda self, client: client.get(self.path))
Idle = made("idle", Workload, journey=lambda self, client: None)
Form = made("form", Workload, journey=lambda self, client: client.post("/", {"a": "1"}))


class CheckedOnce(Get):
    """Passes the check with /, and then asks for the path."""

    name = "checked-once"
    passed = False

    @property
    def path(self) -> str:
        path = str(self.settings["path"]) if self.passed else "/"
        self.passed = True
        return path


class InTurn(Get):
    """Passes the check with /, and then asks for one path after the other, whoever asks."""

    name = "in-turn"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._paths = chain(["/"], cycle(str(self.settings["path"]).split()))

    def journey(self, client: Client) -> None:
        expect_body(client.get(next(self._paths)), b"OK")


def _each(self, client):
    for path in self.path.split():
        expect_body(client.get(path), b"OK")


Each = made("each", journey=_each)


class Then(Get):
    """A GET that opens the connection, and after the check something more on it."""

    passed = False

    def journey(self, client: Client) -> None:
        client.get("/")
        passed, self.passed = self.passed, True
        if passed:
            self.then(client)

    def then(self, client: Client) -> None:
        raise NotImplementedError


def _spin(self, client):
    """Never lets go of the interpreter once the load has begun."""
    while True:
        pass


Spinning = made("spinning", Then, then=_spin)
PostOnce = made("post-once", Then, then=lambda self, client: client.post(self.path, {"a": "1"}))
GetTwice = made("get-twice", Then, then=lambda self, client: client.get(self.path))
Broken = made("broken", Then, then=lambda self, client: {}["missing"])


def _pausing(self, client):
    """The server closes the connection in the pause."""
    client.get("/")
    time.sleep(0.05)
    client.post(self.path, {"a": "1"})


PauseAndPost = made("pause-and-post", journey=_pausing)


class Everything(Workload):
    """All that a client can do, checked by the journey itself."""

    name = "everything"

    def journey(self, client: Client) -> None:
        answer = client.get("/set-cookie", name="sign in")
        assert answer.headers["x-thing"] == answer.headers.get("X-Thing") == "here"
        assert "X-Other" not in answer.headers
        seen = client.get("/echo", {"q": ["a b", "c"]}, headers={"X-Mine": "1"}).json()
        assert seen["path"] == "/echo?q=a+b&q=c", seen
        assert seen["headers"]["cookie"] == "sid=abc", seen
        assert seen["headers"]["x-mine"] == "1", seen
        form = client.post("/echo", {"name": "Zoë", "n": 1}).json()
        assert form["body"] == "name=Zo%C3%AB&n=1", form
        assert form["headers"]["content-type"] == "application/x-www-form-urlencoded", form
        posted = client.post("/echo", {"a": [1]}, content_type="application/json").json()
        assert posted["body"] == '{"a": [1]}', posted
        assert client.get("/redirect").status_code == 302
        followed = client.get("/redirect", follow=True)
        assert followed.content == b"OK"
        assert followed.redirect_chain == [("/landing?x=1", 302)]
        assert client.get("/chunked").content == b"hello world"
        assert client.get("/until-close").content == b"hello"
        assert client.get("/forget").status_code == 200
        assert "cookie" not in client.get("/echo").json()["headers"]
        expect_status(client.get("/späti"))


def _many(self, client):
    """With pauses of the journey's own in between."""
    for _ in range(3):
        client.get("/")
        time.sleep(0.01)


def _complain(self, client):
    client.get("/")
    raise AnswerError("expected three rows, and got two")


def _log_in(self, client):
    """And look at what only members see."""
    expect_body(client.get("/login/"), b"who are you?")
    expect_status(client.post("/login/", {"name": "eve"}), 302)
    expect_body(client.get("/members/"), b"OK")


def _once(self, client):
    expect_body(client.post("/sign-up/", {"name": "eve"}), b"welcome")


def _led(self, client):
    expect_body(client.get("/", follow=True), b"OK")


Long = made("long", Workload, journey=_many)
Complaining = made("complaining", Workload, journey=_complain)
LogIn = made("log-in", Workload, journey=_log_in)
SignUp = made("sign-up", Workload, journey=_once)
Followed = made("followed", Workload, journey=_led)


class Socket(CheckedOnce):
    """Passes the check at /, and then echoes at the path, `messages` on each connection."""

    name = "socket"
    unit = "message"
    options = {"path": "/", "messages": 0, "size": 32, "binary": False}

    def journey(self, client: Any) -> None:
        messages = int(self.settings["messages"])
        with client.websocket(self.path, keep=not messages) as socket:
            for _ in range(messages or 1):
                socket.echo(int(self.settings["size"]), binary=bool(self.settings["binary"]))


def _rest(self, client):
    with client.websocket(self.path, keep=True) as socket:
        socket.rest(0.05)


def _connect(self, client):
    client.websocket(self.path).close()


def _take_anything(self, client):
    """For the answer."""
    with client.websocket(self.path, keep=True) as socket:
        socket.send("hello")
        socket.receive(matching=lambda message: True)


SocketRest = made("socket-rest", CheckedOnce, unit="message", journey=_rest)
SocketConnect = made("socket-connect", CheckedOnce, unit="handshake", journey=_connect)
SocketImpatient = made("socket-impatient", unit="message", journey=_take_anything)

SIZES = (24, 126, 70_000, 3 * 2**20)


def _sizes(self, client):
    """Texts and bytes of each size, on a connection that is closed after them."""
    with client.websocket("/") as socket:
        for size, binary in product(SIZES, (False, True)):
            socket.echo(size, binary=binary)


SocketSizes = made("socket-sizes", Workload, unit="message", journey=_sizes)


class SocketEntering(Get):
    """Has nothing ready for the load, and fails in a way that no client does."""

    name = "socket-entering"
    unit = "message"
    passed = False

    def enter(self, client: Any) -> None:
        {}["missing"]

    def journey(self, client: Any) -> None:
        with client.websocket("/") as socket:
            socket.echo(32)
        if self.passed:
            {}["missing"]
        self.passed = True


class SocketTalk(Workload):
    """All that a journey can do with a WebSocket, checked by itself."""

    name = "socket-talk"
    unit = "message"

    def journey(self, client: Any) -> None:
        with client.websocket("/", headers={"X-Mine": "1"}) as socket:
            socket.send("häh?")
            assert socket.receive(matching="häh") == "häh?"
            socket.send(b"\x00\xff")
            assert socket.receive(matching=b"\xff") == b"\x00\xff"
            one = socket.send('{"id": 1, "say": "one"}')
            two = socket.send('{"id": 2, "say": "two"}')
            assert "two" in socket.receive(matching='"id": 2', to=two)
            assert "one" in socket.receive(matching='"id": 1', to=one)
            socket.send("not awaited", answered=False)
            assert socket.receive() == "not awaited"
            socket.ping()
        with client.websocket("/greets", name="/greets/[id]") as socket:
            assert socket.receive() == "hello"
            socket.send("whatever")
            if socket.receive(matching=lambda said: True) != "goodbye":
                raise AnswerError("expected a goodbye")
