"""A share of the requests is answered wrongly, or not at all."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from benchmarks.faults.case import CONNECTED, NEAR, WRITING, Case, Kind, load, served, words_of
from tests.sabotage.saboteurs import port, stranger

EACH = (4, 10, 20, 40, 100)
"""One request of so many; in the shortest of these windows there are some 200."""
SELDOM = 20_000
"""Below any threshold."""

FAILED = frozenset({"B201"})
LOST = FAILED | {"B212"}
"""Where HTTP allows to send it again, that is told instead."""


def share(page: str, codes: frozenset[str], servers: Sequence[str], expect: str = "all") -> Kind:
    """One request of some is broken by this page."""

    def draw(chance: random.Random) -> Case:
        each = SELDOM if chance.random() < 0.1 else chance.choice(EACH)
        path = f"/{page}/?each={each}&ms={chance.choice((3, 10))}"
        run = {**served(chance, servers), "path": path, "expect": expect, **load(chance)}
        return Case(
            words=f"1 of {each}, {words_of(run)}", codes=codes, is_due=each != SELDOM, run=run
        )

    return draw


def hanging(chance: random.Random) -> Case:
    """Some answers come after the time-out."""
    each = chance.choice(EACH[1:])
    run = {
        **served(chance, NEAR[1:]),
        "path": f"/hanging/?each={each}&seconds=2",
        **load(chance, open_share=0.0, users=(8,), think_s=(0.0,)),
        "timeout_s": 1.0,
    }
    return Case(words=f"1 of {each}, {words_of(run)}", codes=FAILED, run=run)


def answered_by_another(chance: random.Random) -> Case:
    """A second server on the same port."""

    @contextmanager
    def during() -> Iterator[Mapping[str, Any]]:
        with ExitStack() as stack:
            yield {"at_second": {0.0: lambda: stack.enter_context(stranger(port()))}}

    run = {"server": "reuse-port", **load(chance, keep_alive=False)}
    return Case(words=words_of(run), codes=frozenset({"B202"}), run=run, during=during)


def answered_from_a_cache(chance: random.Random) -> Case:
    run = {"server": "cached", **load(chance)}
    return Case(words=words_of(run), codes=frozenset({"B213"}), run=run)


def not_stored(chance: random.Random) -> Case:
    run = {**load(chance, open_share=0.0, think_s=(0.0,)), "workload": "losing"}
    return Case(words=words_of(run), codes=frozenset({"B208"}), run=run)


KINDS: Mapping[str, Kind] = {
    "status 500": share("failing", FAILED, NEAR),
    "200 with a wrong body": share("lying", FAILED, NEAR),
    "200 with a log-out page, nothing expected": share("logged-out", FAILED, NEAR, ""),
    "redirected to a log-in": share("sent-to-log-in", FAILED, NEAR),
    "redirected to a log-in, nothing expected": share("sent-to-log-in", FAILED, NEAR, ""),
    "dropped": share("dropping", LOST, CONNECTED),
    "reset": share("resetting", LOST, CONNECTED),
    "truncated": share("truncating", FAILED, WRITING),
    "answered after the time-out": hanging,
    "answered by another server": answered_by_another,
    "answered from a cache": answered_from_a_cache,
    "confirmed and not stored": not_stored,
}
