"""No program reads its own prose: where every sentence is another one, all else stays."""

import re
from dataclasses import replace

import pytest

from benchsuite import findings as validity
from benchsuite.comparing.cells import Start
from benchsuite.core.exceptions import DISK_FULL
from benchsuite.core.observations import HostShares, Turnover
from benchsuite.core.results import Level, Status
from benchsuite.findings.registry import FINDINGS, Rule
from benchsuite.management import studying
from benchsuite.models import Finding, Run
from benchsuite.report.limiting import limits_of
from benchsuite.report.sentences import doubt_lines
from tests.factories import make_failed_run, make_run
from tests.unit.findings.clean import CLEAN, summary

OTHERS = [str.upper, lambda text: "x", lambda text: f"12 % {text}"]

TRIPPED = {
    "load_cpu_percent": 80.0,
    "turnover": Turnover(replaced=50),
    "log": "database is locked: OperationalError: database is locked",
    "total": summary(failures=300, failures_by_kind={"throttled": 300}),
    "host": HostShares(steal_percent=40.0, listen_overflows=0),
}


@pytest.mark.parametrize("other", OTHERS)
def test_what_is_found_is_weighed_by_figures(other, monkeypatch):
    evidence = replace(CLEAN, **TRIPPED)
    before = validity.assess(evidence)
    finding = Rule.finding

    def otherwise(rule, level, message, *, hint, **rest):
        return finding(rule, level, other(message), hint=other(hint), **rest)

    monkeypatch.setattr(Rule, "finding", otherwise)
    after = validity.assess(evidence)
    assert len(before) >= 5
    assert [replace(one, message="", hint="") for one in after] == [
        replace(one, message="", hint="") for one in before
    ]
    assert validity.verdict(after) is validity.verdict(before)


def doubt(number, value, message, **fields):
    rule = FINDINGS[number]
    level = fields.pop("level", Level.WEAK)
    return replace(rule.finding(level, message, hint="Look.", value=value), **fields)


@pytest.fixture
def rows():
    """Three cells that fail alike, with worse and worse figures, and two without any."""
    findings = [
        (2, ("sqlite-lock",), Level.WEAK, "2 processes ended, one every 5 s."),
        (50, ("listen-queue",), Level.WEAK, "50 processes ended, one every 200 ms."),
        (3, ("database-pool",), Level.INVALID, "3 processes ended."),
    ]
    for place, (count, causes, level, message) in enumerate(findings):
        limit = doubt("B204", 1, "A limit was reached: some.", causes=causes)
        ended = doubt("B203", count, message, level=level)
        make_run(f"s{place}", findings=(ended, limit, doubt("B205", 30, "30 % were slow.")))
    full = make_failed_run(failure="There is no space left in /tmp; make room.")
    Run.objects.filter(pk=full.pk).update(failure_code=DISK_FULL)
    make_failed_run(failure="uvicorn ended.\nThere is no space left in its log")
    return list(Run.objects.order_by("started_at", "server", "pk"))


def decided(client):
    """All that follows from findings and failures but their sentences."""
    rows = list(Run.objects.order_by("started_at", "server", "pk"))
    pages = [client.get(f"/results/{row.pk}/").content.decode() for row in rows]
    return {
        "worst": re.findall(r"^(B\d+).*; worst, (\w+):", "\n".join(doubt_lines(rows)), re.M),
        "limits": [[limit.code for limit in limits_of(row).limits] for row in rows],
        "kept": [studying._is_kept(row, again_failed=False) for row in rows],
        "standing": [
            Start(row.status, row.verdict, [one.code for one in row.findings.all()]).standing
            for row in rows
        ],
        "colours": [re.findall(r'class="verdict [^"]*"', page) for page in pages],
    }


@pytest.mark.django_db
@pytest.mark.parametrize("other", OTHERS)
def test_what_follows_from_stored_runs_stays(rows, other, client):
    before = decided(client)
    for finding in Finding.objects.all():
        finding.message, finding.hint = other(finding.message), other(finding.hint)
        finding.save()
    for run in Run.objects.filter(status=Status.FAILED.value):
        run.failure = other(run.failure)
        run.save()
    assert decided(client) == before
    assert [server for number, server in before["worst"] if number == "B203"] == ["s2"]
    limits = {"L05 connections", "L06 pool", "L11 stall", "L13 sqlite"}
    assert {code for codes in before["limits"] for code in codes} >= limits
    assert before["kept"].count(False) == 1
    assert all(before["colours"])
