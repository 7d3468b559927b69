"""Starts a server with an application that echoes, and runs the checks on it."""

import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsuite.conformance import echo
from benchsuite.conformance.checks import CHECKS
from benchsuite.conformance.outcomes import Check, Deviation, Finding, Outcome
from benchsuite.conformance.peer import Peer
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option, ServerSpec
from benchsuite.isolation.instructions import Instructions
from benchsuite.runner.process_environment import surroundings
from benchsuite.servers.base import Application, Place, ServerAdapter
from benchsuite.system import scratch
from benchsuite.system.ending import in_words
from benchsuite.system.guard import guarded
from benchsuite.system.ports import free_port
from benchsuite.system.process import Process
from benchsuite.system.procfs import read_stat
from benchsuite.system.readiness import wait_until_ready
from benchsuite.system.starting import running
from benchsuite.telemetry.memory import sum_pss
from benchsuite.telemetry.prober.answer import answers_as

HOST = "127.0.0.1"
READY_S = 60.0

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
    findings: tuple[Finding, ...]
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


def can_be_checked(adapter: type[ServerAdapter]) -> bool:
    """Whether it speaks WebSocket and nothing of its own inside."""
    return adapter.websocket and not adapter.dialect


def report(
    adapter: type[ServerAdapter],
    *,
    application: str,
    options: Mapping[str, Option],
) -> Report:
    """Starts the server, runs the checks and ends it. Raises StartError when it doesn't come up."""
    if not can_be_checked(adapter):
        raise UsageError(f"{adapter.name} does not echo plain WebSocket messages.")
    started = time.monotonic()
    application = application if adapter.serves_project else OWN
    with (
        scratch.folder() as folder,
        scratch.explained(folder),
        _serving(adapter, application, options, folder) as (process, peer),
    ):
        findings = []
        for check in sorted(CHECKS, key=lambda check: not check.fresh):
            findings.append(_finding(check, peer, process))
            if process.poll() is not None:
                break
    return Report(
        server=adapter.name,
        version=adapter.version(),
        application=application,
        options=dict(options),
        findings=tuple(sorted(findings, key=lambda one: CHECKS.index(one.check))),
        seconds=time.monotonic() - started,
    )


def _finding(check: Check, peer: Peer, process: Process) -> Finding:
    try:
        note = check.run(peer)
    except Deviation as error:
        finding = Finding(check, Outcome.FAILED, str(error))
    else:
        finding = Finding(check, note.outcome, note.seen) if note else Finding(check, Outcome.OK)
    if (status := process.poll()) is not None:
        return Finding(check, Outcome.FAILED, f"the server {in_words(status)}")
    return finding


@contextmanager
def _serving(
    adapter_class: type[ServerAdapter],
    application: str,
    options: Mapping[str, Option],
    folder: Path,
) -> Iterator[tuple[Process, Peer]]:
    """The server with its echo, once it answers as this start of it."""
    token, port = secrets.token_hex(16), free_port(HOST)
    served = ECHO if application == ASGI else Application()
    place = Place(folder=folder)
    adapter = adapter_class(ServerSpec(server=adapter_class.name, options=options), served, place)
    for name, content in adapter.config_files(HOST, port).items():
        (folder / name).write_text(content)
    instructions = folder / "instructions.json"
    Instructions(
        settings_module="benchsuite.conformance.settings",
        token=token,
        folder=str(folder),
        needs_target_app=True,
    ).write(instructions)
    with (
        guarded(token, folder),
        running(
            adapter.argv(HOST, port),
            name=adapter.name,
            log=folder / "server.log",
            env=surroundings(
                adapter,
                token=token,
                instructions=instructions if adapter.serves_project else None,
                seed=0,
            ),
            stop_signal=adapter.stop_signal,
            grace_s=adapter.grace_s,
            marker=token,
        ) as process,
    ):
        url = f"http://{HOST}:{port}/"
        wait_until_ready(process, lambda: answers_as(url, token), timeout_s=READY_S)
        yield (
            process,
            Peer(
                HOST,
                port,
                echo.PATH if application == ASGI else CONSUMER,
                token,
                memory=lambda: _memory(process),
                descriptors=lambda: _descriptors(process),
            ),
        )


def _memory(process: Process) -> int | None:
    stats = [read_stat(pid) for pid in process.living()]
    return sum_pss(tuple(stat for stat in stats if stat is not None))


def _descriptors(process: Process) -> int | None:
    try:
        return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in process.living())
    except OSError:  # one has just ended, or is another user's
        return None
