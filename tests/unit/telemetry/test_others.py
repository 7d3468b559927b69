"""Who is not of the run, and whether one of the run was stopped; /proc is given."""

from types import SimpleNamespace

import pytest

from benchsuite.system.procfs import Stat
from benchsuite.telemetry import host
from benchsuite.telemetry.devices import TICKS_PER_S
from benchsuite.telemetry.host import Others


def stat(pid: int, ppid: int, state: str = "S") -> Stat:
    return Stat(
        pid=pid,
        state=state,
        ppid=ppid,
        session=1,
        own_ticks=0,
        children_ticks=0,
        threads=1,
        started=pid,
    )


@pytest.mark.parametrize(
    ("state", "pid", "stopped"),
    [("T", 51, True), ("t", 51, False), ("S", 51, False), ("T", 52, True), ("T", 99, False)],
)
def test_a_stopped_process_of_the_run_is_seen(
    monkeypatch: pytest.MonkeyPatch, state: str, pid: int, *, stopped: bool
) -> None:
    """51 is the target's, 52 its child, 99 somebody else's; a debugger's stop is not meant."""
    tree = {51: stat(51, 1), 52: stat(52, 51), 99: stat(99, 1)}
    tree[pid] = tree[pid]._replace(state=state)
    monkeypatch.setattr(host, "all_pids", lambda: list(tree))
    monkeypatch.setattr(host, "read_stat", tree.get)
    seen = Others(lambda: [51])
    seen.look()
    assert seen.stopped is stopped


def test_databases_that_the_run_did_not_start_are_counted_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """98 is a PostgreSQL of the machine, whose session 97 ended between the looks; 52 is the run's
    own, 99 anybody's.
    """
    names = {51: "gunicorn", 52: "postgres", 97: "postgres", 98: "postgres", 99: "make"}
    tree = {51: stat(51, 1), 52: stat(52, 51), 97: stat(97, 98), 98: stat(98, 1), 99: stat(99, 1)}
    now = [100.0]
    monkeypatch.setattr(host, "all_pids", lambda: list(tree))
    monkeypatch.setattr(host, "read_stat", tree.get)
    monkeypatch.setattr(host, "read_bytes", lambda path: names[int(path.split("/")[2])].encode())
    monkeypatch.setattr(host, "time", SimpleNamespace(monotonic=lambda: now[0]))
    seen = Others(lambda: [51])
    seen.look()
    assert seen.database_percent is None
    now[0] += 1
    ended = tree.pop(97)
    tree[98] = tree[98]._replace(own_ticks=20, children_ticks=ended.own_ticks + 40)
    tree[52] = tree[52]._replace(own_ticks=30)
    tree[99] = tree[99]._replace(own_ticks=10)
    assert seen.look() == pytest.approx(1000 / TICKS_PER_S)
    assert seen.database_percent == pytest.approx(6000 / TICKS_PER_S)
