"""Skips, said by name at the end of the session, and failures under BENCHSUITE_REQUIRE=all.

BENCHSUITE_REQUIRE=everything refuses also the skips for what no fresh Debian can have. With
--not-yet-run only those tests run that no earlier session in this folder has run: what was skipped,
or was not there, before something was installed.
"""

import os
import re
from collections import Counter
from collections.abc import Generator

import pytest

from tests.needs import lacking, only_rare_lacking

REQUIRED = os.environ.get("BENCHSUITE_REQUIRE", "")
REQUIRE_ALL = REQUIRED in ("all", "everything")

BETWEEN_NEEDS = re.compile(r"; (?=needs )")

RAN = "benchsuite/ran"
"""Key of pytest's cache: the tests that have run and were not skipped."""

_allowed = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--not-yet-run", action="store_true", help="run only tests that have not run here before"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("not_yet_run") and config.cache is not None:
        ran = set(config.cache.get(RAN, []))
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in ran])
        items[:] = [item for item in items if item.nodeid not in ran]


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        reason = lacking(mark.args)
        if reason:
            item.stash[_allowed] = REQUIRED == "all" and only_rare_lacking(mark.args)
            pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
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
        report.longrepr = f"BENCHSUITE_REQUIRE={REQUIRED} allows no skip. {_reason(report)}"
        report.outcome = "failed"


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Of workers, too: their reports come here, so the first session alone writes them down."""
    if hasattr(terminalreporter.config, "workerinput"):
        return
    cache = terminalreporter.config.cache
    if cache is not None:
        ran = {
            report.nodeid
            for outcome in ("passed", "failed", "error", "xfailed", "xpassed")
            for report in terminalreporter.stats.get(outcome, [])
        }
        cache.set(RAN, sorted(ran.union(cache.get(RAN, []))))
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    terminalreporter.section("what this machine lacks")
    counted = Counter(part for report in skipped for part in BETWEEN_NEEDS.split(_reason(report)))
    for reason, count in sorted(counted.items()):
        terminalreporter.write_line(f"{count:>4}  {reason}")
    terminalreporter.write_line(f"{len(skipped)} test{'s' if len(skipped) > 1 else ''} skipped")
