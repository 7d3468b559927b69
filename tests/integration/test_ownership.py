"""Processes that leave their tree in every way there is are still known, with their CPU time."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from benchsuite.system.process import Process, running
from benchsuite.system.procfs import read_stat
from benchsuite.system.tree import Mark, ProcessTree
from benchsuite.telemetry import Sampler
from benchsuite.telemetry.host import Others
from tests.integration.left_behind import eventually

RUN = "f" * 32
TICKS = os.sysconf("SC_CLK_TCK")

BURN = """
import os, subprocess, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
def away(work):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            work()
        os._exit(0)
    os.wait()
"""

STAYS = "(print('away', flush=True), time.sleep(300))"
BURNS_ON = "(print('away', flush=True), burn(300))"

WAYS = {
    "a session of its own": "if os.fork() == 0:\n    os.setsid()\n    {work}",
    "a double fork": "away(lambda: {work})",
    "a cleared environment": (
        "away(lambda: os.execve(sys.executable, [sys.executable, '-S', '-c', {code!r}], {{}}))"
    ),
    "env -i": (
        "subprocess.run(['env', '-i', 'setsid', '-f', sys.executable, '-S', '-c', {code!r}])"
    ),
    "another user": (
        "away(lambda: (os.setuid(65534), os.execve(sys.executable,"
        " [sys.executable, '-S', '-c', {code!r}], {{}})))"
    ),
}


@contextmanager
def leaving(way: str, work: str, folder: Path) -> Iterator[Process]:
    """A program whose child does this work somewhere else, while it sleeps."""
    code = BURN + WAYS[way].format(work=work, code=BURN + work) + "\ntime.sleep(300)\n"
    with running(
        [sys.executable, "-S", "-c", code],
        name="leaving",
        log=folder / f"{len(list(folder.iterdir()))}.log",
        env=dict(os.environ),
        marker=RUN,
        grace_s=0.5,
    ) as process:
        assert eventually(lambda: process.log_tail() == "away"), process.log_tail()
        assert eventually(lambda: len(process.living()) == 2)
        yield process


@pytest.mark.parametrize("way", WAYS)
def test_who_leaves_is_known_and_ended(way: str, tmp_path: Path) -> None:
    """The first look comes when all has happened: nothing can be remembered from before."""
    if way == "another user" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with ExitStack() as stack:
        first = stack.enter_context(leaving(way, STAYS, tmp_path))
        second = stack.enter_context(leaving(way, STAYS, tmp_path))
        assert not {*first.living()} & {*second.living()}, "each start has its own"
        whole = {stat.pid for stat in ProcessTree((), Mark(RUN)).living()}
        assert whole == {*first.living(), *second.living()}, "as a guard finds them"
    assert not any((stat := read_stat(pid)) and stat.alive for pid in whole)
    assert not any(Path(f"/proc/{pid}").exists() for pid in whole), "an orphan was not reaped"


@pytest.mark.alone
@pytest.mark.parametrize("way", ["a double fork", "env -i"])
def test_what_it_uses_is_the_targets_and_nobody_elses(way: str, tmp_path: Path) -> None:
    with leaving(way, BURNS_ON, tmp_path) as process:
        others = Others(lambda: process.tree.known)
        sampler = Sampler(
            {"target": process.living},
            0.5,
            also=(others.look,),
            reaped_s=lambda part: process.tree.reaped_s,
        )
        sampler.start()
        time.sleep(2)
        seen = sampler.stop()
        [burning] = {*process.living()} - {process.pid}
        used = read_stat(burning)
        assert used is not None
        assert burning not in {pid for _, pid in others.ticks}
        shares = [one.cpu_percent for one in seen.readings if one.cpu_percent is not None]
        assert max(shares) > 20, shares


ORPHANS = "for _ in range({count}):\n    away(lambda: (burn({each}), os._exit(0)))\n"


@pytest.mark.alone
def test_orphans_that_no_look_saw_are_on_the_account(tmp_path: Path) -> None:
    code = BURN + "time.sleep(1)\n" + ORPHANS.format(count=100, each=0.006) + "time.sleep(300)\n"
    with running(
        [sys.executable, "-S", "-c", code],
        name="orphans",
        log=tmp_path / "log",
        env=dict(os.environ),
        marker=RUN,
    ) as process:
        sampler = Sampler(
            {"target": process.living}, 0.5, reaped_s=lambda part: process.tree.reaped_s
        )
        sampler.start()
        assert eventually(lambda: process.tree.reaped_s >= 0.5)
        time.sleep(1)
        seen = sampler.stop()
        leader = read_stat(process.pid)
        assert leader is not None
        by_kernel_s = process.tree.reaped_s + (leader.own_ticks + leader.children_ticks) / TICKS
    used_s = sum(
        (now.cpu_percent or 0) / 100 * (now.second - before.second)
        for before, now in zip(seen.readings, seen.readings[1:], strict=False)
    )
    assert used_s == pytest.approx(by_kernel_s, abs=0.1), "less what was used before the sampler"
