"""Skips, said by name at the end of the session, and failures under BENCHSUITE_REQUIRE=all.

BENCHSUITE_REQUIRE=everything refuses also the skips for what no fresh Debian can have.
"""

import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from tests.needs import lacking, only_rare_lacking

REQUIRED = os.environ.get("BENCHSUITE_REQUIRE", "")
REQUIRE_ALL = REQUIRED in ("all", "everything")

MISSING = "benchsuite_missing"
"""What a worker of pytest-xdist calls it when it tells."""

_missing: Counter[str] = Counter()
_allowed = pytest.StashKey[bool]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        reason = lacking(mark.args)
        if reason:
            _missing.update(reason.split("; "))
            item.stash[_allowed] = REQUIRED == "all" and only_rare_lacking(mark.args)
            pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if not hasattr(report, "wasxfail") and not item.stash.get(_allowed, False):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse(report)
    return report


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Makes a failure of a skip, where nothing may be skipped."""
    if REQUIRE_ALL and report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"BENCHSUITE_REQUIRE={REQUIRED} allows no skip. {reason}"


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[MISSING] = dict(_missing)


def pytest_testnodedown(node: Any) -> None:
    """A worker has ended; `node` is xdist's controller of it."""
    _missing.update(getattr(node, "workeroutput", {}).get(MISSING, {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _missing:
        return
    terminalreporter.section("what this machine lacks")
    for reason, count in sorted(_missing.items()):
        terminalreporter.write_line(f"{count} test{'s' if count > 1 else ''} {reason}")
