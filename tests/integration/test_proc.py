"""Servers that behave badly: each is told apart, and of none is anything left."""

import os
import pwd
import signal
import socket
import subprocess
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.load.parent.driver import load_pool
from benchsuite.system import account, process
from benchsuite.system.cpus import available
from benchsuite.system.network import ensure_port_free, free_port
from benchsuite.system.process import running, wait_until_ready
from tests.integration.left_behind import SOON_S, eventually, processes_with
from tests.integration.stub import Parent, stub


@contextmanager
def ended(name, folder, *, grace_s=10.0):
    """A stub of which nothing is left."""
    with stub(name, folder, grace_s=grace_s) as server:
        yield server
    assert processes_with(server.marker) == []


def test_a_good_server_comes_up_and_ends_at_once(tmp_path):
    with ended("good", tmp_path) as server:
        assert 0 < server.wait() < SOON_S
        assert server.process.living() == [server.process.pid] == processes_with(server.marker)
        assert os.getsid(server.process.pid) == server.process.pid
        leaving = time.monotonic()
    assert time.monotonic() - leaving < 5, "the whole grace was waited for"
    assert server.process.poll() == -signal.SIGTERM
    assert server.process.living() == []


@pytest.mark.parametrize(
    ("name", "grace_s", "living", "status"),
    [
        ("ignores_term", 0.5, 2, -signal.SIGKILL),
        ("workers_run_away", 1.0, 2, -signal.SIGTERM),
        ("leaves_children", 1.5, 3, 0),
    ],
)
def test_whoever_does_not_go_is_ended(name, grace_s, living, status, tmp_path):
    with ended(name, tmp_path, grace_s=grace_s) as server:
        server.wait()
        assert len(server.process.living()) == living
        assert server.process.living() == processes_with(server.marker)
    assert server.process.poll() == status


@pytest.mark.parametrize("name", ["good", "leaves_children"])
@pytest.mark.parametrize("signum", [signal.SIGSTOP, signal.SIGKILL])
def test_a_leader_that_was_stopped_or_killed(name, signum, tmp_path):
    with ended(name, tmp_path, grace_s=0.5) as server:
        server.wait()
        os.kill(server.process.pid, signum)
        if signum == signal.SIGKILL:
            assert eventually(lambda: server.process.poll() == -signal.SIGKILL)
            assert len(server.process.living()) == (0 if name == "good" else 2)


def test_dies_late(tmp_path):
    with ended("dies_late", tmp_path) as server:
        server.wait()
        assert eventually(lambda: server.process.poll() is not None)
        assert server.process.living() == [], "a zombie is not alive"
        assert server.process.log_tail() == "out of luck"
    assert server.process.poll() == 7


def test_forks_away(tmp_path):
    with ended("forks_away", tmp_path) as server:
        with pytest.raises(StartError, match="status 0 before it answered and left 1 running"):
            # What answers is no proof here: the leader must stay.
            wait_until_ready(server.process, lambda: False, timeout_s=SOON_S)
        assert eventually(server.answers)
        [daemon] = server.process.living()
        assert os.getsid(daemon) != server.process.pid


def test_tree_that_wrote_over_its_environment(tmp_path):
    with stub("retitled", tmp_path, grace_s=1) as server:
        server.wait()
        assert processes_with(server.marker) == []
        assert eventually(lambda: len(server.process.living()) == 2)
        [child] = set(server.process.living()) - {server.process.pid}
        os.kill(server.process.pid, signal.SIGKILL)
        assert eventually(lambda: server.process.poll() is not None)
        assert server.process.living() == [child]
    assert not Path(f"/proc/{child}").exists() or zombie(child)


def zombie(pid):
    """Nobody reaps orphans in some containers."""
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_answers_slowly(tmp_path):
    with ended("answers_slowly", tmp_path) as server:
        assert server.wait() > 1


NO_MODULE = "ModuleNotFoundError: No module named 'no_such_module'"


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("never_binds", "{} did not answer within 1 s; its log ends with:", "loading for ever"),
        ("answers_wrongly", "{} did not answer within 1 s; its log is empty.", ""),
        (
            "fails_with_0",
            f"{{}} ended with status 0 before it answered ({NO_MODULE}); its log ends with:",
            "shutting down",
        ),
    ],
)
def test_who_does_not_come_up_is_told_with_its_log(name, first, last, tmp_path):
    with ended(name, tmp_path) as server, pytest.raises(StartError) as raised:
        server.wait(1)
    lines = str(raised.value).splitlines()
    assert lines[0] == first.format(name)
    assert lines[-1] == last or not last


def test_end_by_a_signal_is_named(tmp_path):
    with ended("never_binds", tmp_path) as server:
        os.kill(server.process.pid, signal.SIGSEGV)
        with pytest.raises(StartError, match="never_binds was ended by SIGSEGV before it answered"):
            server.wait()


@pytest.mark.parametrize(
    ("program", "how", "words"),
    [
        ("no-such-program-anywhere", {}, "x can't be started: there is no program"),
        ("./no-such-program", {}, "x can't be started: there is no program"),
        ("true", {"cwd": Path("/nowhere")}, "nowhere"),
        ("true", {"run_as": "no-such-user"}, "no such user"),
    ],
)
def test_what_can_not_be_started(program, how, words, tmp_path):
    how = {"cwd": tmp_path, **how}
    with (
        pytest.raises(StartError, match=words),
        running([program], name="x", log=tmp_path / "log", env={}, marker="m" * 8, **how),
    ):
        pytest.fail("it started")


def test_ends_its_own_start_only(tmp_path):
    """All parts of a run share its marker."""
    marker = uuid.uuid4().hex
    with stub("good", tmp_path, marker=marker) as first:
        first.wait()
        with stub("good", tmp_path, marker=marker) as second:
            second.wait()
            assert first.process.living() == [first.process.pid]
            assert sorted(processes_with(marker)) == sorted([first.process.pid, second.process.pid])
        assert processes_with(marker) == [first.process.pid]
        assert first.answers()
    assert processes_with(marker) == []


def test_without_setpriv(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "_has_setpriv", lambda: False)
    with ended("good", tmp_path) as server:
        server.wait()
        assert server.process.living() == [server.process.pid]


def test_ctrl_c_ends_everything(tmp_path):
    with Parent(tmp_path, "workers_run_away", grace_s=1) as parent:
        parent.popen.send_signal(signal.SIGINT)
        assert parent.popen.wait(SOON_S) == -signal.SIGINT
        assert processes_with(parent.marker) == []


def test_second_ctrl_c_hurries_and_still_ends_everything(tmp_path):
    with Parent(tmp_path, "ignores_term", grace_s=300) as parent:
        parent.popen.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert parent.popen.poll() is None, "it did not wait for its grace"
        parent.popen.send_signal(signal.SIGINT)
        parent.popen.wait(SOON_S)
        assert processes_with(parent.marker) == []


WITHOUT_SETPRIV = "from benchsuite.system import process; process._has_setpriv = lambda: False"
wrapped = pytest.mark.parametrize("wrapper", ["setpriv", "python"])


@wrapped
def test_killed_parent_takes_the_leader_with_it(tmp_path, wrapper):
    with Parent(tmp_path, before="" if wrapper == "setpriv" else WITHOUT_SETPRIV) as parent:
        parent.popen.kill()
        assert eventually(lambda: not processes_with(parent.marker))


def test_taken_port_is_told_with_its_holder():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"Port {port} of 127.0.0.1 is taken") as raised:
            ensure_port_free("127.0.0.1", port)
        assert f"by process {os.getpid()} " in str(raised.value)
    ensure_port_free("127.0.0.1", port)
    for _ in range(20):
        ensure_port_free("127.0.0.1", free_port())
    with pytest.raises(StartError, match="There is no host"):
        ensure_port_free("no-such-host.invalid", 1)


AS_NOBODY = """
import os, time
from pathlib import Path
from benchsuite.system.process import running
{before}
with running(["sleep", "300"], name="sleep", log=Path({log!r}), env=dict(os.environ),
             marker="m" * 8, run_as="nobody") as started:
    print(started.pid, flush=True)
    time.sleep(300)
"""


@wrapped
def test_another_users_program(tmp_path, wrapper):
    """It has that user's rights alone, and goes with its parent as any other."""
    before = f"{WITHOUT_SETPRIV}; process.sys.executable = '/usr/bin/python3'"
    code = AS_NOBODY.format(log=str(tmp_path / "log"), before=before if wrapper == "python" else "")
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stderr is not None
        pid = parent.stdout.readline()
        if os.geteuid() != 0:
            assert "sleep can't be started: [Errno 1]" in parent.stderr.read()
            return
        status = Path(f"/proc/{int(pid)}/status")
        assert eventually(lambda: "Name:\tsleep" in status.read_text())
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        nobody = pwd.getpwnam("nobody")
        assert lines["Uid"].split() == [str(nobody.pw_uid)] * 4
        assert lines["Gid"].split() == [str(nobody.pw_gid)] * 4
        assert lines["Groups"].split() == []
        parent.kill()
    assert eventually(lambda: not status.exists() or zombie(int(pid)))


FORKING = "import os, time; os.fork(); time.sleep(60)"


def test_another_users_program_is_ended_and_stays_on_its_cpus_with_its_children(tmp_path):
    cpu = available()[-1]
    with running(
        ["/usr/bin/python3", "-I", "-S", "-c", FORKING],
        name="forking",
        log=tmp_path / "log",
        env=dict(os.environ),
        marker="m" * 8,
        run_as=account.unprivileged(),
        on_cpus=(cpu,),
    ) as started:
        assert eventually(lambda: len(started.living()) == 2)
        pids = started.living()
        assert all(os.sched_getaffinity(pid) == {cpu} for pid in pids)
    assert started.poll() == -signal.SIGTERM
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert tuple(sorted(os.sched_getaffinity(0))) == available()


@pytest.mark.skipif(len(available()) < 2, reason="needs two CPUs")
def test_the_load_stays_on_its_cpus_in_all_its_threads(tmp_path):
    cpu, before = available()[0], os.sched_getaffinity(0)
    with load_pool(1, spool=tmp_path, log=tmp_path / "log", on_cpus=(cpu,)) as pool:
        threads = [thread.id for thread in psutil.Process(pool.pids[0]).threads()]
        assert all(os.sched_getaffinity(thread) == {cpu} for thread in threads)
    assert os.sched_getaffinity(0) == before
