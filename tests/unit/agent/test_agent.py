"""What an agent answers to whoever asks, and which processes it takes for its target."""

import json
import re
import socket
from types import SimpleNamespace

import pytest
import zmq

from benchsuite import __version__
from benchsuite.agent import messages, program
from benchsuite.agent.client import Watching
from benchsuite.agent.program import Agent, Target
from benchsuite.core.exceptions import LoadError
from benchsuite.load.hosts import keys
from benchsuite.load.hosts.keys import Listening
from benchsuite.system.procfs import Stat

WATCH = {"kind": "watch", "version": __version__, "pid": 1, "kernel": ""}

RUN = {"kind": "run", "version": __version__, "name": "runbench", "words": []}


class Watch:
    """Sees nothing, and knows whether it was closed."""

    made: list["Watch"] = []

    def __init__(self, target, beside):
        if not target.names:
            raise LoadError("The agent sees nothing.")
        self.facts, self.closed = {"hostname": "shop"}, False
        Watch.made.append(self)

    def close(self):
        self.closed = True


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.setattr(program, "Watch", Watch)
    monkeypatch.setattr(Watch, "made", [])
    return Agent(Target(names=("shop",)), lambda words: None)


def answered(agent, message, client=b"own"):
    answer = agent.answer(client, [json.dumps(message).encode()], 5.0)
    return {} if answer is None else json.loads(answer)


def test_it_watches_for_one_command_at_a_time(agent):
    told = answered(agent, WATCH)
    assert (told["kind"], told["watches"]) == ("watching", "processes named shop")
    assert told["facts"] == {"hostname": "shop"}
    assert "works for another command" in answered(agent, WATCH, b"other")["why"]
    assert answered(agent, {"kind": "drop"}, b"other") == {}, "who was refused awaits no answer"
    more = {"kind": "more", "start": 0}
    assert "nothing for this command" in answered(agent, more, b"other")["why"]
    assert answered(agent, {"kind": "clock", "number": 3}, b"other")["at"] == 5.0
    assert answered(agent, {"kind": "drop"}) == {}
    assert [one.closed for one in Watch.made] == [True]
    assert answered(agent, WATCH, b"other")["kind"] == "watching"


def test_who_says_nothing_any_more_is_forgotten(agent, monkeypatch):
    answered(agent, WATCH)
    agent.look()
    assert not Watch.made[0].closed
    later = program.monotonic() + program.FORGOTTEN_S + 1
    monkeypatch.setattr(program, "monotonic", lambda: later)
    agent.look()
    assert Watch.made[0].closed


def test_what_can_not_be_is_refused(agent, golden):
    def refused(message):
        return answered(agent, message)["why"]

    golden.cases(refused, replace={re.escape(__version__): "VERSION", socket.gethostname(): "HOST"})


@pytest.mark.parametrize("frame", [b"", b"\xff\x00", b"[" * 100_000, b'{"kind": 1e999}'])
def test_what_is_no_message_is_refused(agent, frame):
    assert json.loads(agent.answer(b"own", [frame], 0.0) or b"")["kind"] == "refused"


class Socket(SimpleNamespace):
    """That of a command, to whose earlier run the agent still had something to say."""

    def __init__(self):
        refusal = messages.packed("refused", why="The agent was started again.")
        super().__init__(type=zmq.DEALER, came=[refusal])

    def setsockopt(self, option, value):
        """Nothing is sent anywhere."""

    def send(self, message, flags):
        data = json.loads(message)
        if data["kind"] == "clock":
            self.came.append(messages.packed("clock", number=data["number"], at=0.0))
        elif data["kind"] == "watch":
            self.came.append(messages.packed("watching", name="shop", **WATCHED))

    def poll(self, limit_ms):
        return len(self.came)

    def recv_multipart(self):
        return [self.came.pop(0)]


WATCHED = {"watches": "processes named shop", "kernel": "", "facts": {}}


@pytest.fixture
def watching(monkeypatch, tmp_path):
    """A command's side, and the socket that it was given."""
    keys.write_new(tmp_path / "key")
    monkeypatch.setattr(Watching, "_meet", lambda self: None)
    there = Socket()
    context = SimpleNamespace(socket=lambda kind: there)
    return Watching(Listening("127.0.0.1", 5558, tmp_path / "key"), context), there


def test_what_came_too_late_for_a_run_is_no_answer_to_the_next(watching):
    with watching[0].run() as agent:
        assert agent.agent.name == "shop"


def test_an_answer_to_an_interrupted_question_is_none_to_the_next(watching):
    """As Ctrl-C leaves it: what was said from 0 on was asked for twice."""
    watch, there = watching
    said = {"text": "", "ended": 0, "status": 0}
    there.came = [messages.packed("said", start=at, next=at + 5, **said) for at in (0, 5)]
    assert watch.ask("listen", "said", start=5)["next"] == 10


FILES = {
    "/proc/10/cmdline": "gunicorn: master [shop]\0",
    "/proc/20/cmdline": "/usr/bin/python\0-m\0gunicorn\0shop.wsgi\0",
    "/proc/30/comm": "nginx\n",
    "/proc/40/cgroup": "0::/system.slice/shop.service/workers\n",
    "/proc/50/cmdline": "vim\0/etc/gunicorn.conf\0--\0gunicorn\0",
}
PARENTS = {10: 1, 11: 10, 12: 11, 20: 1, 30: 1, 31: 30, 40: 1, 50: 7, 7: 1, 8: 7, 1: 0}


def test_a_target_is_what_has_the_name_with_all_that_comes_from_it(monkeypatch, golden):
    files = {**FILES, "/proc/8/cmdline": "agent\0", "/proc/7/cmdline": "agent\0"}
    monkeypatch.setattr(program, "read_text", lambda path: files.get(path, ""))
    monkeypatch.setattr(program, "all_pids", lambda: list(PARENTS))
    monkeypatch.setattr(
        program, "read_stat", lambda pid: Stat(pid, "S", PARENTS[pid], 0, 0, 0, 1, started=pid)
    )
    monkeypatch.setattr(program, "listeners", lambda port: iter([30]))
    monkeypatch.setattr(program.os, "getpid", lambda: 8)
    golden.cases(lambda **meant: Target(**meant).pids())


def test_a_command_may_say_where_its_servers_listen(monkeypatch, tmp_path):
    made: list[str] = []
    monkeypatch.setattr(program, "Started", lambda name, words: made.extend(words))
    agent = Agent(Target(), lambda words: None, Listening("0.0.0.0", 5558, tmp_path / "key"))
    answered(agent, {**RUN, "words": ["--bind=10.0.0.1"]})
    assert [word for word in made if "--bind" in word][-1] == "--bind=10.0.0.1"


def test_servers_listen_at_the_address_of_the_agents_host(monkeypatch, tmp_path):
    made: list[str] = []
    monkeypatch.setattr(program, "Started", lambda name, words: made.extend(words))
    agent = Agent(Target(), lambda words: None, Listening("localhost", 5558, tmp_path / "key"))
    assert answered(agent, RUN)["kind"] == "running"
    assert made[0] == "--bind=127.0.0.1"


@pytest.mark.parametrize("package", ["benchsuite", "django"])
def test_a_command_is_called_as_the_agent_was(package, monkeypatch):
    called = [f"/lib/{package}/__main__.py", "benchagent", "--listen=a:1"]
    monkeypatch.setattr(program.sys, "argv", called)
    assert program._argv("runbench")[1:] == ["-m", package, "runbench"]
