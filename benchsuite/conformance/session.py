"""Starts a server with an application that echoes, and runs the checks on it."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchsuite.conformance import echo
from benchsuite.conformance.check import Check, CheckResult
from benchsuite.conformance.checks import CHECKS
from benchsuite.conformance.outcomes import Deviation, Note, Outcome
from benchsuite.conformance.peer import Peer
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option
from benchsuite.isolation.instructions import Instructions
from benchsuite.runner.plan import Plan
from benchsuite.runner.running_system import TARGET, RunningSystem
from benchsuite.runner.trial import started
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.system.ending import in_words
from benchsuite.system.procfs import read_stat
from benchsuite.telemetry.memory import sum_pss

ASGI, CHANNELS, OWN = "asgi", "channels", "own"
APPLICATIONS = (ASGI, CHANNELS)
"""The smallest echo that ASGI allows, and the consumer of Channels that runs measure. A server that
serves no Django project has its own."""

ECHO = Application(asgi=f"{echo.__name__}:application")
CONSUMER = "/bench/ws/echo/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one server made of all checks."""

    server: str
    version: str | None
    application: str
    options: Mapping[str, Option]
    findings: tuple[CheckResult, ...]
    seconds: float

    def count(self, outcome: Outcome) -> int:
        return sum(finding.outcome == outcome for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        return {
            "server": self.server,
            "version": self.version,
            "application": self.application,
            "options": dict(self.options),
            "seconds": round(self.seconds, 1),
            "counts": {str(outcome): self.count(outcome) for outcome in Outcome},
            "checks": [
                {
                    "group": finding.check.group,
                    "name": finding.check.name,
                    "section": finding.check.section,
                    "outcome": str(finding.outcome),
                    "seen": finding.seen,
                }
                for finding in self.findings
            ],
        }


def can_be_checked(adapter: type[ServerAdapter] | ServerAdapter) -> bool:
    """Whether it speaks WebSocket and nothing of its own inside."""
    return adapter.websocket and not adapter.dialect


def report(plan: Plan, *, application: str) -> Report:
    """Starts the server, runs the checks and ends it. Raises StartError when it doesn't come up."""
    server = plan.server
    if not can_be_checked(server):
        raise UsageError(f"{server.name} does not echo plain WebSocket messages.")
    begin = time.monotonic()
    application = application if server.serves_project else OWN
    if application == ASGI:
        plan = replace(plan, server=type(server)(plan.spec.server, ECHO, server.place))
    with started(plan, _instructions if server.serves_project else None) as (serving, token):
        address = urlsplit(serving.base_url)
        peer = Peer(
            str(address.hostname),
            address.port or 0,
            echo.PATH if application == ASGI else CONSUMER,
            token,
            memory=lambda: _memory(serving.pids(TARGET)),
            descriptors=lambda: _descriptors(serving.pids(TARGET)),
        )
        findings = []
        for check in sorted(CHECKS, key=lambda check: not check.fresh):
            findings.append(_finding(check, peer, serving))
            if serving.ended():
                break
    return Report(
        server=server.name,
        version=server.version(server.python),
        application=application,
        options=dict(plan.spec.server.options),
        findings=tuple(sorted(findings, key=lambda one: CHECKS.index(one.check))),
        seconds=time.monotonic() - begin,
    )


def _finding(check: Check, peer: Peer, serving: RunningSystem) -> CheckResult:
    try:
        note = check.run(peer) or Note("", Outcome.OK)
        finding = CheckResult(check, note.outcome, note.seen)
    except Deviation as error:
        finding = CheckResult(check, Outcome.FAILED, str(error))
    if (ended := serving.ended()) is not None:
        said = in_words(ended.process.poll() or 0)
        return CheckResult(check, Outcome.FAILED, f"the server {said}")
    return finding


def _instructions(token: str, folder: Path) -> Path:
    """What the server is told of the smallest project."""
    path = folder / "instructions.json"
    Instructions(
        settings_module="benchsuite.conformance.settings",
        token=token,
        folder=str(folder),
        needs_target_app=True,
    ).write(path)
    return path


def _memory(pids: Sequence[int]) -> int | None:
    stats = [read_stat(pid) for pid in pids]
    return sum_pss(tuple(stat for stat in stats if stat is not None))


def _descriptors(pids: Sequence[int]) -> int | None:
    try:
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)
    except OSError:  # one has just ended, or is another user's
        return None
