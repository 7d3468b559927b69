"""Which things may be compared: the same work, load and data on the same kind of machine."""

from collections.abc import Iterable, Sequence

from benchsuite.report.comparing.comparison import (
    PACKAGE,
    REVISION,
    SETTING,
    Comparison,
    Difference,
)

IMMATERIAL = frozenset(
    {
        "hostname",
        "kernel_build",
        "file_max",
        "nr_open",
        "nofile_hard",
        "nproc_soft",
        "cgroup_pids_max",
        "cpu_affinity",
        "cpu_bugs",
        "python_build",
        "locale",
        "version_scipy",
        "version_numpy",
        "version_psutil",
        "env_PYTHONDONTWRITEBYTECODE",
        "env_PYTHONHASHSEED",
        "env_PYTHONUNBUFFERED",
        "env_OMP_NUM_THREADS",
    }
)
"""Fields of an environment that don't change what is measured, or whose effect another field has:
the name of a machine, limits that are never near, libraries that only evaluate. Every other
field matters, so one that is added matters until it is known not to."""


def unlike(comparison: Comparison) -> list[str]:
    """Why these runs should not be compared; empty when they may."""
    return [*comparison.unlike, *_environments(comparison)]


def matters(difference: Difference) -> bool:
    """Whether a difference may change what is measured."""
    return difference.name not in IMMATERIAL


def _environments(comparison: Comparison) -> list[str]:
    found = [
        one
        for one in comparison.differences
        if matters(one) and not one.name.startswith((SETTING, PACKAGE, REVISION))
    ]
    if not found:
        return []
    return [f"Not the same environment: {'; '.join(described(found, limit=6))}."]


def described(differences: Iterable[Difference], *, limit: int) -> list[str]:
    """ "kernel 6.1.0 or 6.8.0", for as many as the limit allows, then how many more there are."""
    every = list(differences)
    shown = [f"{one.name} {' or '.join(_distinct(one.values))}" for one in every[:limit]]
    return shown if len(every) <= limit else [*shown, f"{len(every) - limit} more"]


def _distinct(values: Sequence[str]) -> list[str]:
    return [value or "not known" for value in dict.fromkeys(values)]
