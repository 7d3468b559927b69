"""How long the load of a run takes, by its spec, with stages that of all of them together; and what
runs of a server usually take beside it.
"""

from collections.abc import Iterable
from statistics import median

from benchsuite.core.results import Status
from benchsuite.core.specs import LoadProfile
from benchsuite.models import Run

RECENT = 20  #: Runs of a server that are looked at.


def planned_s(run: Run) -> float:
    """Seconds from the first request to the end of the last window."""
    load = _load(run)
    return load.window_end_s if load else run.warmup_s + run.duration_s


def windows_s(run: Run) -> float:
    """Seconds of all windows."""
    load = _load(run)
    return run.duration_s * len(load.levels) if load else run.duration_s


def overheads(servers: Iterable[str]) -> dict[str, float]:
    """Server → median of the seconds that its last runs took beside their load and drain."""
    ended = Run.objects.filter(status=Status.FINISHED.value, ended_at__isnull=False)
    ended = ended.only("started_at", "ended_at", "spec", "duration_s", "warmup_s", "goodput")
    by_kind = {
        server: [
            overhead_s(run) for run in ended.filter(server=server)[:RECENT] if not run.unreadable
        ]
        for server in dict.fromkeys(servers)
    }
    return {server: max(0.0, median(some)) for server, some in by_kind.items() if some}


def durations(keys: Iterable[str]) -> dict[str, float]:
    """Key of a cell → median of the seconds that its runs took in all, with their data."""
    ended = Run.objects.filter(
        key__in=set(keys),
        status__in=[Status.FINISHED.value, Status.FAILED.value],
        ended_at__isnull=False,
    )
    by_kind: dict[str, list[float]] = {}
    for run in ended.order_by().only("key", "started_at", "ended_at"):
        assert run.ended_at is not None
        by_kind.setdefault(run.key, []).append((run.ended_at - run.started_at).total_seconds())
    return {key: median(some) for key, some in by_kind.items()}


def overhead_s(run: Run) -> float:
    """Seconds that a run took which has ended, beside its load and drain."""
    assert run.ended_at is not None
    load = _load(run)
    drain_s = load.expected_drain_s(run.goodput) if load else 0.0
    return (run.ended_at - run.started_at).total_seconds() - planned_s(run) - drain_s


def _load(run: Run) -> LoadProfile | None:
    """None for a run that was stored without it."""
    data = run.spec.get("load")
    return LoadProfile.from_json(data) if data else None
