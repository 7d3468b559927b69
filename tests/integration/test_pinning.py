"""What is started on a CPU stays there, with all that comes from it; the starter doesn't."""

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchsuite.load.parent.driver import load_worker
from benchsuite.system.cpus import available
from benchsuite.system.process import running

FORKING = "import os, time; os.fork(); time.sleep(60)"


def test_a_server_and_its_children_stay_on_their_cpus(tmp_path: Path) -> None:
    cpu = available()[-1]
    with running(
        [sys.executable, "-I", "-S", "-c", FORKING],
        name="forking",
        log=tmp_path / "log",
        env={},
        marker="pinning",
        on_cpus=(cpu,),
        grace_s=1.0,
    ) as process:
        deadline = time.monotonic() + 20
        while len(process.living()) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        pids = process.living()
        assert len(pids) == 2
        assert all(os.sched_getaffinity(pid) == {cpu} for pid in pids)
    assert tuple(sorted(os.sched_getaffinity(0))) == available()


@pytest.mark.skipif(len(available()) < 2, reason="needs two CPUs")
def test_the_load_stays_on_its_cpus_in_all_its_threads(tmp_path: Path) -> None:
    cpu = available()[0]
    before = os.sched_getaffinity(0)
    with load_worker(spool=tmp_path, log=tmp_path / "log", on_cpus=(cpu,)) as worker:
        threads = [thread.id for thread in psutil.Process(worker.pid).threads()]
        assert all(os.sched_getaffinity(thread) == {cpu} for thread in threads)
    assert os.sched_getaffinity(0) == before
