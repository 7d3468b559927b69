"""How long the load of a run takes, by its spec; with stages, of all of them together."""

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import LoadProfile
from benchsuite.models import Run


def planned_s(run: Run) -> float:
    """Seconds from the first request to the end of the last window."""
    load = _load(run)
    return load.window_end_s if load else run.warmup_s + run.duration_s


def windows_s(run: Run) -> float:
    """Seconds of all windows."""
    load = _load(run)
    return run.duration_s * len(load.levels) if load else run.duration_s


def _load(run: Run) -> LoadProfile | None:
    """None for a run that was stored without it, or by another benchsuite."""
    data = run.spec.get("load")
    try:
        return LoadProfile.from_json(data) if data else None
    except UsageError:  # of another format
        return None
