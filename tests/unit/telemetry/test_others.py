"""Who is not of the run, and whether one of the run was stopped; /proc is given."""

import pytest

from benchsuite.system.procfs import Stat
from benchsuite.telemetry import others
from benchsuite.telemetry.others import Others


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
    monkeypatch.setattr(others, "all_pids", lambda: list(tree))
    monkeypatch.setattr(others, "read_stat", tree.get)
    seen = Others(lambda: [51])
    seen.look()
    assert seen.stopped is stopped
