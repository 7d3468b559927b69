"""Loads of two hosts, one of which is lost: B108. Others of its faults: tests/integration/hosts."""

from pathlib import Path

from benchsuite.core.observations import Evidence
from benchsuite.core.results import Level
from benchsuite.findings.generator import load_hosts
from tests.integration.hosts.workers import joined, load, place
from tests.integration.loads import a_job
from tests.integration.stubs_http import Responder, after

OPEN = {"model": "open", "arrival_rate": 40.0, "duration_s": 2.0, "timeout_s": 1.0}


def test_b108_a_load_host_is_killed(tmp_path: Path) -> None:
    with Responder({"/": after(0.002)}) as responder, place(tmp_path) as hosts:
        hosts.start()
        killed = [hosts.start()]
        with joined(hosts, 2) as pool:
            job = a_job(responder, **OPEN)
            result, facts = load(pool, job, lambda _: killed.pop().kill() if killed else None)
    # on a busy machine the other one may be short of CPU
    found = load_hosts(Evidence(load_hosts=facts))
    (finding,) = (finding for finding in found if finding.level is Level.INVALID)
    assert "Its share of the load was 50.0" in finding.message
    assert len(result.of("GET /")) == 40, "the other's part is whole"


def test_a_load_of_two_hosts(tmp_path: Path) -> None:
    with Responder({"/": after(0.002)}) as responder, place(tmp_path) as hosts:
        hosts.start()
        hosts.start()
        with joined(hosts, 2) as pool:
            result, facts = load(pool, a_job(responder, **OPEN))
    findings = load_hosts(Evidence(load_hosts=facts))
    assert not [finding for finding in findings if "short of CPU" not in finding.message]
    assert len(result.of("GET /")) == 80
