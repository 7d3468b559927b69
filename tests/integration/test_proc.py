"""Servers that behave badly: each is told apart, and of none is anything left."""

import os
import pwd
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from benchsuite.core.exceptions import StartError
from benchsuite.system import account, process
from benchsuite.system.network import ensure_port_free, free_port
from benchsuite.system.process import running, wait_until_ready
from tests.integration.left_behind import SOON_S, eventually, processes_with
from tests.integration.stub import Parent, stub


def test_a_good_server_comes_up_and_ends_at_once(tmp_path: Path) -> None:
    with stub("good", tmp_path) as server:
        assert 0 < server.wait() < SOON_S
        assert server.process.living() == [server.process.pid]
        assert processes_with(server.marker) == [server.process.pid]
        assert os.getsid(server.process.pid) == server.process.pid
        leaving = time.monotonic()
    assert time.monotonic() - leaving < 5, "the whole grace was waited for"
    assert server.process.poll() == -signal.SIGTERM
    assert server.process.living() == []
    assert processes_with(server.marker) == []


def test_never_binds(tmp_path: Path) -> None:
    with stub("never_binds", tmp_path) as server, pytest.raises(StartError) as raised:
        server.wait(1)
    assert str(raised.value) == (
        "never_binds did not answer within 1 s; its log ends with:\nloading for ever"
    )
    assert processes_with(server.marker) == []


def test_dies_late(tmp_path: Path) -> None:
    with stub("dies_late", tmp_path) as server:
        server.wait()
        assert eventually(lambda: server.process.poll() is not None)
        assert server.process.poll() == 7
        assert server.process.living() == [], "a zombie is not alive"
        assert server.process.log_tail() == "out of luck"
    assert server.process.poll() == 7
    assert processes_with(server.marker) == []


def test_ignores_term(tmp_path: Path) -> None:
    with stub("ignores_term", tmp_path, grace_s=0.5) as server:
        server.wait()
        assert len(server.process.living()) == 2
    assert server.process.poll() == -signal.SIGKILL
    assert processes_with(server.marker) == []


def test_forks_away(tmp_path: Path) -> None:
    with stub("forks_away", tmp_path) as server:
        with pytest.raises(StartError, match="status 0 before it answered and left 1 running"):
            # What answers is no proof here: the leader must stay.
            wait_until_ready(server.process, lambda: False, timeout_s=SOON_S)
        assert eventually(server.answers)
        [daemon] = server.process.living()
        assert os.getsid(daemon) != server.process.pid
    assert processes_with(server.marker) == []


def test_workers_run_away(tmp_path: Path) -> None:
    with stub("workers_run_away", tmp_path, grace_s=1) as server:
        server.wait()
        assert len(server.process.living()) == 2
        assert server.process.living() == processes_with(server.marker)
    assert processes_with(server.marker) == []


def test_leader_leaves_its_children(tmp_path: Path) -> None:
    with stub("leaves_children", tmp_path, grace_s=1.5) as server:
        server.wait()
        assert len(server.process.living()) == 3
    assert server.process.poll() == 0
    assert processes_with(server.marker) == []


def test_killed_leader_leaves_its_children(tmp_path: Path) -> None:
    with stub("leaves_children", tmp_path, grace_s=1.5) as server:
        server.wait()
        os.kill(server.process.pid, signal.SIGKILL)
        assert eventually(lambda: server.process.poll() == -signal.SIGKILL)
        assert len(server.process.living()) == 2
    assert processes_with(server.marker) == []


def test_tree_that_wrote_over_its_environment(tmp_path: Path) -> None:
    with stub("retitled", tmp_path, grace_s=1) as server:
        server.wait()
        assert processes_with(server.marker) == []
        assert eventually(lambda: len(server.process.living()) == 2)
        [child] = set(server.process.living()) - {server.process.pid}
        os.kill(server.process.pid, signal.SIGKILL)
        assert eventually(lambda: server.process.poll() is not None)
        assert server.process.living() == [child]
    assert not Path(f"/proc/{child}").exists() or zombie(child)


def zombie(pid: int) -> bool:
    """Nobody reaps orphans in some containers."""
    return ") Z " in Path(f"/proc/{pid}/stat").read_text()


def test_stopped_server(tmp_path: Path) -> None:
    with stub("good", tmp_path, grace_s=0.3) as server:
        server.wait()
        os.kill(server.process.pid, signal.SIGSTOP)
    assert processes_with(server.marker) == []


def test_answers_slowly(tmp_path: Path) -> None:
    with stub("answers_slowly", tmp_path) as server:
        assert server.wait() > 1
    assert processes_with(server.marker) == []


def test_answers_wrongly(tmp_path: Path) -> None:
    with stub("answers_wrongly", tmp_path) as server, pytest.raises(StartError) as raised:
        server.wait(2)
    assert str(raised.value) == ("answers_wrongly did not answer within 2 s; its log is empty.")
    assert processes_with(server.marker) == []


def test_failure_with_status_0_says_why(tmp_path: Path) -> None:
    with stub("fails_with_0", tmp_path) as server, pytest.raises(StartError) as raised:
        server.wait()
    first, *log = str(raised.value).splitlines()
    assert first == (
        "fails_with_0 ended with status 0 before it answered "
        "(ModuleNotFoundError: No module named 'no_such_module'); its log ends with:"
    )
    assert log[-1] == "shutting down"
    assert processes_with(server.marker) == []


def test_end_by_a_signal_is_named(tmp_path: Path) -> None:
    with stub("never_binds", tmp_path) as server:
        os.kill(server.process.pid, signal.SIGSEGV)
        with pytest.raises(StartError, match="never_binds was ended by SIGSEGV before it answered"):
            server.wait()


@pytest.mark.parametrize("program", ["no-such-program-anywhere", "./no-such-program"])
def test_missing_program(program: str, tmp_path: Path) -> None:
    with (
        pytest.raises(StartError, match="x can't be started: there is no program"),
        running([program], name="x", log=tmp_path / "log", env={}, cwd=tmp_path, marker="m" * 8),
    ):
        pytest.fail("it started")


def test_missing_folder(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    with (
        pytest.raises(StartError, match="nowhere"),
        running(["true"], name="x", log=tmp_path / "log", env={}, cwd=nowhere, marker="m" * 8),
    ):
        pytest.fail("it started")


def test_ends_its_own_start_only(tmp_path: Path) -> None:
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


def test_without_setpriv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_has_setpriv", lambda: False)
    with stub("good", tmp_path) as server:
        server.wait()
        assert server.process.living() == [server.process.pid]
    assert processes_with(server.marker) == []


def test_ctrl_c_ends_everything(tmp_path: Path) -> None:
    with Parent(tmp_path, "workers_run_away", grace_s=1) as parent:
        parent.popen.send_signal(signal.SIGINT)
        assert parent.popen.wait(SOON_S) == -signal.SIGINT
        assert processes_with(parent.marker) == []


def test_second_ctrl_c_hurries_and_still_ends_everything(tmp_path: Path) -> None:
    with Parent(tmp_path, "ignores_term", grace_s=300) as parent:
        parent.popen.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert parent.popen.poll() is None, "it did not wait for its grace"
        parent.popen.send_signal(signal.SIGINT)
        parent.popen.wait(SOON_S)
        assert processes_with(parent.marker) == []


@pytest.mark.parametrize("wrapper", ["setpriv", "python"])
def test_killed_parent_takes_the_leader_with_it(tmp_path: Path, wrapper: str) -> None:
    before = "" if wrapper == "setpriv" else "starting._has_setpriv = lambda: False"
    with Parent(tmp_path, before=before) as parent:
        parent.popen.kill()
        assert eventually(lambda: not processes_with(parent.marker))


def test_taken_port_is_told_with_its_holder() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"Port {port} of 127.0.0.1 is taken") as raised:
            ensure_port_free("127.0.0.1", port)
        assert f"by process {os.getpid()} " in str(raised.value)
    ensure_port_free("127.0.0.1", port)


def test_free_ports_are_free() -> None:
    for _ in range(20):
        ensure_port_free("127.0.0.1", free_port())


def test_unknown_host() -> None:
    with pytest.raises(StartError, match="There is no host"):
        ensure_port_free("no-such-host.invalid", 1)


AS_NOBODY = """
import os, time
from pathlib import Path
from benchsuite.system import starting
from benchsuite.system.process import running
{before}
with running(["sleep", "300"], name="sleep", log=Path({log!r}), env=dict(os.environ),
             marker={marker!r}, run_as="nobody") as process:
    print(process.pid, flush=True)
    time.sleep(300)
"""


@pytest.mark.parametrize("wrapper", ["setpriv", "python"])
def test_another_users_program(tmp_path: Path, wrapper: str) -> None:
    """It has that user's rights alone, and goes with its parent as any other."""
    before = "starting._has_setpriv = lambda: False; starting.sys.executable = '/usr/bin/python3'"
    code = AS_NOBODY.format(
        log=str(tmp_path / "log"),
        marker="m" * 8,
        before=before if wrapper == "python" else "",
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        told = parent.stdout.readline()
        if os.geteuid() != 0:
            assert "sleep can't be started: [Errno 1]" in parent.stderr.read()
            return
        status = Path(f"/proc/{int(told)}/status")
        assert eventually(lambda: "Name:\tsleep" in status.read_text())
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        nobody = pwd.getpwnam("nobody")
        assert lines["Uid"].split() == [str(nobody.pw_uid)] * 4
        assert lines["Gid"].split() == [str(nobody.pw_gid)] * 4
        assert lines["Groups"].split() == []
        parent.kill()
    assert eventually(lambda: not status.exists() or zombie(int(told)))


def test_another_users_program_is_ended(tmp_path: Path) -> None:
    with running(
        ["sleep", "300"],
        name="sleep",
        log=tmp_path / "log",
        env=dict(os.environ),
        marker="m" * 8,
        run_as=account.unprivileged(),
    ) as process:
        assert eventually(lambda: process.living() == [process.pid])
    assert process.poll() == -signal.SIGTERM
    assert not Path(f"/proc/{process.pid}").exists()


def test_a_user_that_is_not_there(tmp_path: Path) -> None:
    with (
        pytest.raises(StartError, match="no such user"),
        running(
            ["true"], name="x", log=tmp_path / "log", env={}, marker="m" * 8, run_as="no-such-user"
        ),
    ):
        pytest.fail("it started")
