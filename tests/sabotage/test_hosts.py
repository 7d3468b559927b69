"""Loads of two hosts, one of which is lost: B108; an agent that is: B406. Others of their faults:
tests/integration/hosts.
"""

from pathlib import Path
from time import monotonic

from benchsuite.core.observations import Evidence, Turnover
from benchsuite.core.results import Level
from benchsuite.findings.generator import load_hosts
from benchsuite.findings.host import agent
from tests.integration.hosts.agents import watched
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


def test_b406_an_agent_is_killed(tmp_path: Path) -> None:
    with watched(tmp_path) as made:
        begun = monotonic()
        made.seconds(lambda: None, lambda: None, lambda: None, made.agent.kill)
        made.ended(begun)
    (finding,) = agent(Evidence(agent=made.watching.agent))
    assert finding.level is Level.WEAK
    assert "Nothing was heard from the agent" in finding.message
    assert any(one.cpu_percent for one in made.readings), "what it told stays"


def test_an_agent_watches(tmp_path: Path) -> None:
    with watched(tmp_path) as made:
        begun = monotonic()
        made.seconds(lambda: None, lambda: None, lambda: None)
        made.ended(begun)
    assert not [*agent(Evidence(agent=made.watching.agent))]
    assert made.watching.seen.turnover == Turnover()
