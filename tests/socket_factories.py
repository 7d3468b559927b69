"""Runs of WebSocket workloads that look like measured ones."""

from dataclasses import replace
from typing import Any

import numpy as np

from benchsuite.core.results import Accounts, IdleMemory, RunResult, Status, Verdict, WebSockets
from benchsuite.core.samples import Kind
from benchsuite.models import Run
from benchsuite.stats import summary
from tests.factories import BEGUN, MACHINE, MIB, begin, draw, finish, make_spec, readings

KEPT = Accounts(
    messages=6000,
    lost=0,
    duplicated=0,
    reordered=0,
    corrupt=0,
    misdirected=0,
    handshakes=100,
    handshakes_failed=0,
    closings_failed=0,
    closed_early=0,
)

STEPS = tuple((many, int(60 * MIB + many * 28_672)) for many in range(250, 2001, 250))


def make_echo_run(
    server="daphne", *, lost=0, closes=None, workload="ws_echo", unit="message", seed=0, **spec
):
    """Messages there and back; `lost` of them never came back, in the window's first second."""
    asked = make_spec(server, workload=workload, seed=seed, **spec)
    run = begin(asked, spec.get("batch"))
    samples = draw(asked.load, rate=600.0, failed_share=0.0, seed=seed)
    window = (asked.load.window_start_s, asked.load.window_end_s)
    inside = np.flatnonzero(samples["intended_start"] >= window[0])
    samples["kind"][inside[:lost]] = Kind.READ_TIMEOUT
    ended = sum((closes or {}).values())
    strays = np.zeros(ended, summary.DTYPE)
    strays["kind"] = Kind.WEBSOCKET_CLOSED
    strays["finish"] = window[0] + 0.5
    users = asked.load.users
    finish(
        run,
        RunResult(
            spec=asked,
            status=Status.FINISHED,
            started_at=BEGUN,
            unit=unit,
            window=window,
            total=_summary(samples, f"all {unit}s", "all", window),
            summaries=(
                _summary(samples, f"message /bench/ws/{workload}/", "message", window),
                _summary(samples[:users], f"handshake /bench/ws/{workload}/", "handshake", (0, 3)),
            ),
            intervals=tuple(
                summary.intervals(
                    samples,
                    origin=0.0,
                    window=window,
                    users=[(0.0, users)],
                    connections=[(0.2, users), (window[0] + 0.7, users - ended)],
                    strays=strays,
                )
            ),
            readings=tuple(readings(asked.load.window_end_s, 60.0, 90.0, seed)),
            websockets=WebSockets(
                accounts=replace(KEPT, lost=lost, closed_early=ended, closes=closes or {}),
                connections=users,
                rate_connected=660.0,
            ),
            verdict=Verdict.VALID,
            environment=MACHINE,
        ),
    )
    return run


def make_idle_run(server: str = "daphne", *, each_bytes: float = 28_672.0, **spec: Any) -> Run:
    """2 000 connections that said nothing."""
    asked = make_spec(server, workload="ws_idle", users=2000, **spec)
    run = begin(asked, spec.get("batch"))
    window = (asked.load.window_start_s, asked.load.window_end_s)
    nothing = np.zeros(0, summary.DTYPE)
    counted = [(float(second) + 0.1, 250 * min(8, second)) for second in range(int(window[1]))]
    shakes = np.zeros(2000, summary.DTYPE)
    shakes["finish"] = 0.02
    finish(
        run,
        RunResult(
            spec=asked,
            status=Status.FINISHED,
            started_at=BEGUN,
            unit="message",
            window=window,
            total=_summary(nothing, "all messages", "all", window),
            summaries=(_summary(shakes, "handshake /bench/ws/idle/", "handshake", (0, 1)),),
            intervals=tuple(
                summary.intervals(
                    nothing, origin=0.0, window=window, connections=counted, strays=nothing
                )
            ),
            websockets=WebSockets(
                accounts=replace(KEPT, messages=0, handshakes=2000),
                connections=2000,
                idle=IdleMemory(
                    steps=STEPS,
                    each_bytes=each_bytes,
                    low_bytes=each_bytes - 200,
                    high_bytes=each_bytes + 300,
                    before_bytes=60 * MIB,
                ),
            ),
            verdict=Verdict.VALID,
            environment=MACHINE,
        ),
    )
    return run


def _summary(samples: Any, name: str, scope: str, window: tuple[float, float]) -> Any:
    return summary.summarise(samples, name=name, scope=scope, window=window)
