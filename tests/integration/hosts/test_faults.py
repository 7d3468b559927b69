"""What befalls load hosts, each a network namespace: a finding, and what others measured stays."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Timer

import pytest

from benchsuite.core.observations import Evidence, LoadHost
from benchsuite.core.results import Level
from benchsuite.findings.generator import load_hosts
from benchsuite.load.process.schedule import arrivals
from tests.integration.hosts.network import HERE, Namespace, namespaces
from tests.integration.hosts.workers import Place, joined, load, place
from tests.integration.loads import Loaded, a_job
from tests.integration.stubs_http import Responder, after
from tests.needs import needs

pytestmark = [needs("netns"), pytest.mark.audit]

RATE = 40.0


@contextmanager
def two_hosts(tmp_path, *, before=((), ())) -> Iterator[tuple[Place, list[Namespace]]]:
    with namespaces(2) as networks, place(tmp_path, HERE) as hosts:
        for network, words in zip(networks, before, strict=True):
            hosts.start(before=[*network.before, *words])
        yield hosts, networks


def loaded(hosts: Place, at_second=lambda elapsed_s: None, **changes):
    profile = {"model": "open", "arrival_rate": RATE, "duration_s": 4.0, "timeout_s": 2.0}
    with Responder({"/": after(0.002)}, host=HERE) as responder, joined(hosts, 2) as pool:
        job = a_job(responder, **{**profile, **changes})
        result, facts = load(pool, job, at_second)
        return job, result, facts


def once(at_s: float, what) -> object:
    """Does something at a second of the load."""
    due = [what]

    def at_second(elapsed_s: float) -> None:
        if elapsed_s >= at_s and due:
            due.pop()()

    return at_second


def shares(job, result: Loaded) -> list[int]:
    """How many arrivals of each host's schedule are among the samples."""
    came = {
        round(moment - result.done.origin, 6) for moment in result.of("GET /")["intended_start"]
    }
    parts = [arrivals(job.load, seed=job.seed, part=part, parts=2) for part in range(2)]
    return [sum(round(moment, 6) in came for moment in part) for part in parts]


def found(facts: tuple[LoadHost, ...]):
    findings = load_hosts(Evidence(load_hosts=facts))
    # which they may be, as all share the CPUs of this machine
    return [finding for finding in findings if "short of CPU" not in finding.message]


def test_a_clock_three_seconds_off_is_converted(tmp_path):
    ahead = ("unshare", "--time", "--monotonic", "3", "--fork", "--kill-child")
    with two_hosts(tmp_path, before=((), ahead)) as (hosts, _):
        job, result, facts = loaded(hosts)
    offsets = sorted(host.clock_ahead for host in facts)
    assert offsets == pytest.approx([0.0, 3.0], abs=0.05)
    assert shares(job, result) == [80, 80], "as without"
    assert any("clock 3.0" in host.words and "s ahead (±" in host.words for host in facts)
    assert not any(host.lost or host.silent_s for host in facts), facts


def test_a_stopped_host_is_found_silent_and_its_part_is_kept(tmp_path):
    def stop() -> None:
        hosts.workers[1].kill(signal.SIGSTOP)
        Timer(5.0, hosts.workers[1].kill, [signal.SIGCONT]).start()

    with two_hosts(tmp_path) as (hosts, _):
        job, result, facts = loaded(hosts, once(1.0, stop))
    assert shares(job, result) == [80, 80], "its load processes went on"
    assert any("was silent for" in finding.message for finding in found(facts)), facts
    assert {finding.level for finding in found(facts)} == {Level.WEAK}


def test_a_host_without_a_network_for_5_s_is_found_and_what_it_measured_stays(tmp_path):
    def cut() -> None:
        networks[1].cut()
        Timer(5.0, networks[1].mend).start()

    with two_hosts(tmp_path) as (hosts, networks):
        job, result, facts = loaded(hosts, once(1.0, cut), duration_s=8.0)
    assert shares(job, result) == [160, 160], "each arrival, answered or not"
    assert any("was silent for" in finding.message for finding in found(facts)), facts


def test_hosts_short_of_cpu_are_found_with_their_share(tmp_path):
    burning = [sys.executable, "-c", "while True: pass"]
    with two_hosts(tmp_path) as (hosts, _), ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            stack.callback(stack.enter_context(subprocess.Popen(burning)).kill)
        job, result, facts = loaded(hosts)
    assert shares(job, result) == [80, 80], "what was measured stays"
    findings = load_hosts(Evidence(load_hosts=facts))
    short = [finding for finding in findings if "was short of CPU: its" in finding.message]
    assert len(short) == 2, facts
    assert all("with 50.0" in finding.message for finding in short)
    assert {finding.level for finding in short} == {Level.WEAK}


def test_all_hosts_lost_is_no_result(tmp_path):
    def kill() -> None:
        for worker in hosts.workers:
            worker.kill()

    begun = time.monotonic()
    with two_hosts(tmp_path) as (hosts, _), pytest.raises(Exception, match="Nothing was heard"):
        loaded(hosts, once(1.0, kill))
    assert time.monotonic() - begun < 60
