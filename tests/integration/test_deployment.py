"""What is shown to paste starts what was measured: its processes and threads, counted in /proc."""

import json
import os
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from itertools import chain
from pathlib import Path

import pytest

from benchsuite.core.specs import ServerSpec
from benchsuite.servers.base import Place
from benchsuite.system.network import free_port
from tests.integration.left_behind import eventually
from tests.integration.serving import CLASSES, HOST, STUB, begun
from tests.integration.shop import looked_through
from tests.needs import audited, needs

KINDS = ("systemd", "command", "Dockerfile", "Procfile")
CIRCUSES = ("circus-gunicorn-gthread", "circus-daphne")
THREADED = (
    *("gunicorn-gthread", "granian-wsgi", "uwsgi", "waitress", "cheroot", "tornado"),
    *("apache-daemon", "circus-gunicorn-gthread"),
)
"""Of these the threads are counted, too; the others are started as one of these is, or have none
that are set."""
NAMES = [name for name in CLASSES if name in CIRCUSES or not name.startswith("circus-")]
NAMES.remove("runserver")
VARIABLE = "MALLOC_ARENA_MAX=2"
NAPS = 12  #: At once: twice as many as threads.
ROUNDS = 5  #: Of these: pools start a thread when they need it, and a process may get few.


def cases():
    """Each server by one kind, one by all of them."""
    for place, name in enumerate(NAMES):
        yield name, KINDS[place % len(KINDS)]
    yield from (("gunicorn-gthread", kind) for kind in KINDS[1:])


def adapter(name, folder):
    one = CLASSES[name]
    spec = ServerSpec(
        server=name,
        processes=2 if one.max_processes is None else 1,
        threads=3 if one.threads_word else None,
        options={"env": VARIABLE},
    )
    return one(spec, STUB, Place(folder=folder))


def command_line(kind, text):
    """As whoever reads such a text takes it; and the variables that it sets."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    if kind in ("command", "Procfile"):
        return shlex.split(lines[-1].removeprefix("web: ")), {}
    if kind == "Dockerfile":
        env = dict(line.split(" ", 1)[1].split("=", 1) for line in lines if line[:4] == "ENV ")
        words = json.loads(lines[-1].removeprefix("CMD "))
        words = [word.replace("0.0.0.0", HOST) for word in words]
        return words, {name: json.loads(value) for name, value in env.items()}
    told = [line.split("=", 1) for line in lines if "=" in line]
    variables = [shlex.split(value)[0] for name, value in told if name == "Environment"]
    words = shlex.split(dict(told)["ExecStart"].replace("%%", "%").replace("$$", "$"))
    return words, dict(one.split("=", 1) for one in variables)


def serving(one, port, argv=(), env=None):
    """A server that answers; without a command line as a run starts it."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": programs, **(env or {})}
    return begun(one, one.place.folder, port=port, argv=argv, environment=environment)


def threads(served, most=0):
    """Of all processes, after more requests at once than there are; asked for longer while they
    are fewer than `most`.
    """
    found = 0
    for number in range(4 * ROUNDS):
        if number >= ROUNDS and found >= most:
            break
        with ThreadPoolExecutor(NAPS) as pool:
            list(pool.map(nap, [served] * NAPS))
        found = len(staying(served))
    return found


LOOKS = 5
LOOK_S = 0.1


def staying(served):
    """The threads of all processes that are there at each of several looks: a supervisor's thread
    that only passes on a signal or a log line is not one of the server's.
    """
    looks = []
    for _ in range(LOOKS):
        tasks = (os.listdir(f"/proc/{pid}/task") for pid in served.process.living())
        looks.append(set(chain.from_iterable(tasks)))
        time.sleep(LOOK_S)
    return set.intersection(*looks)


TESTED = [("gunicorn-gthread", kind) for kind in KINDS]
MEASURED: dict[str, int] = {}  #: Threads of each server as a run starts it.


def nap(served):
    with suppress(OSError, HTTPException):  # a full server may refuse; those in its threads count
        served.get("/nap/")


@pytest.mark.parametrize(("name", "kind"), audited(dict.fromkeys(cases()), *TESTED))
def test_a_pasted_text_starts_the_processes_and_threads_that_were_measured(
    name, kind, tmp_path, monkeypatch
):
    available = CLASSES[name].available()
    if not available.ok:
        pytest.skip(f"{name}: {available.reason}; {available.command}")
    monkeypatch.chdir(tmp_path)
    one, port = adapter(name, tmp_path), free_port(HOST)
    if name in THREADED and name not in MEASURED:
        with serving(one, port) as served:
            MEASURED[name] = threads(served)
    measured = MEASURED.get(name)
    texts = one.deployment(f"{HOST}:{port}")
    for file in set(texts) - {*KINDS}:
        (tmp_path / file).write_text(texts[file])
    shown = kind if kind in texts else "systemd"
    words, env = command_line(shown, texts[shown])
    if name.startswith("apache-"):  # started by root it needs a user, as the measured one has
        words = [*one.argv(HOST, port)[: -len(words)], *words]
    env["SPT_NOENV"] = "1"  # else setproctitle, where it is installed, writes over the environment
    with serving(one, port, words, env) as served:
        assert eventually(lambda: len(served.process.living()) == one.expected_processes())
        worker = int(served.get("/pid/"))
        assert VARIABLE.encode() in Path(f"/proc/{worker}/environ").read_bytes().split(b"\0")
        assert measured is None or threads(served, measured) == measured


@needs("systemd")
def test_systemd_takes_every_unit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    units = []
    for name in NAMES:
        if CLASSES[name].available().ok:
            unit = tmp_path / f"{name}.service"
            unit.write_text(adapter(name, tmp_path).deployment(f"{HOST}:8000")["systemd"])
            units.append(str(unit))
    said = looked_through("systemd-analyze", "verify", *units)
    assert ".service:" not in said, said
