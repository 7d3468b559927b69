"""The two marks of what a run starts, each where the other is missing; /proc is given."""

import resource

import pytest

from benchsuite.system import procfs, tree
from benchsuite.system.tree import RLIMIT_LOCKS, Mark, limited

OWN = Mark("a" * 32, "a" * 32 + "/7/1")
SIBLING = Mark(OWN.run, OWN.run + "/7/2")
WHOLE_RUN = Mark(OWN.run)
ANOTHER = Mark("b" * 32, "b" * 32 + "/7/1")

LOCKS = "Max file size             unlimited            unlimited            bytes\n" + (
    "Max file locks            {}            unlimited            locks\n"
)


@pytest.mark.parametrize(
    ("locks", "environment", "borne"),
    [
        (OWN.limit, "", {OWN, WHOLE_RUN}),
        (SIBLING.limit, "", {SIBLING, WHOLE_RUN}),
        ("unlimited", f"A=1\0BENCHSUITE_PART={OWN.part}\0", {OWN}),
        ("unlimited", f"BENCHSUITE_RUN={OWN.run}\0BENCHSUITE_PART={OWN.part}", {OWN, WHOLE_RUN}),
        ("unlimited", f"BENCHSUITE_PART={OWN.part}1", set()),
        (1024, "A=1", set()),
        (None, None, set()),
    ],
)
def test_either_mark_is_enough(
    monkeypatch: pytest.MonkeyPatch,
    locks: int | str | None,
    environment: str | None,
    borne: set[Mark],
) -> None:
    files = {
        "/proc/9/limits": None if locks is None else LOCKS.format(locks).encode(),
        "/proc/9/environ": None if environment is None else environment.encode(),
    }
    monkeypatch.setattr(tree, "read_bytes", files.get)
    monkeypatch.setattr(procfs, "read_bytes", files.get)
    assert {mark for mark in (OWN, SIBLING, WHOLE_RUN, ANOTHER) if mark.is_on(9)} == borne


def test_the_limit_is_ours_for_the_moment_of_the_start_only() -> None:
    before = resource.getrlimit(RLIMIT_LOCKS)
    with limited(OWN):
        assert resource.getrlimit(RLIMIT_LOCKS) == (OWN.limit, before[1])
    assert resource.getrlimit(RLIMIT_LOCKS) == before


def test_a_system_that_allows_no_such_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start goes on: the environment is the other mark."""
    asked = []

    def refuses(which: int, limits: tuple[int, int]) -> None:
        asked.append(limits)
        if limits[0] == OWN.limit:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda which: (5, 1024))
    monkeypatch.setattr(resource, "setrlimit", refuses)
    with limited(OWN):
        assert asked == [(OWN.limit, 1024)]
    assert asked[-1] == (5, 1024)
