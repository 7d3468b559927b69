"""What rehearsals teach of rows, and how a load is held to it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchsuite.core.samples import JOURNEY, PAUSE, REQUEST, RESENT, Kind
from benchsuite.isolation.facts import Rows
from benchsuite.load.job import AGAIN, LOOK, NEW, Rehearsal
from benchsuite.load.parent.driver import DTYPE, NameEntry
from benchsuite.runner import gains
from benchsuite.runner.gains import Answers, Learned, answers, bounds, held, judged, learned

ORDER = {"POST /order/": 1}
HOLDS = Learned(
    before={"order": 5, "line": 0}, left={"order": (1, 1, 1)}, least=ORDER, most=ORDER, forms=1
)


def made(*orders: int, again: tuple[int, ...] = (), **more: int) -> list[Rehearsal]:
    """A look, journeys that gain so many orders, and the same sent again; all are logged."""
    kinds = [NEW] * len(orders) + [AGAIN] * len(again)
    return [
        Rehearsal(kind=LOOK, right=False, posts={}, gains={"log": 1}),
        *(
            rehearsed(kind, ORDER, {**({"order": rows} if rows else {}), "log": 2, **more})
            for kind, rows in zip(kinds, orders + again, strict=True)
        ),
    ]


def rehearsed(kind: str, posts: Mapping[str, int], rows: Mapping[str, int]) -> Rehearsal:
    return Rehearsal(kind=kind, right=True, posts=posts, gains=rows)


def seen(
    right: int = 100, failed: int = 0, *, resent: int = 0, **posts: tuple[int, int]
) -> Answers:
    """A load of journeys; the answers to /order/ are as many, unless told."""
    told = {"order": (right, failed), **posts}
    requests = {f"POST /{name}/": count for name, count in told.items()}
    return Answers((right, failed), requests, resent, users=4)


@pytest.mark.parametrize(
    ("rehearsals", "left", "once"),
    [
        (made(1, 1, 1, again=(1,)), {"order": (1, 1, 1, 1)}, []),
        (made(2, 2, 2, again=(2,), line=3), {"line": (3,) * 4, "order": (2,) * 4}, []),
        (made(1, 1, 1, again=(0, 0, 0)), {"order": (1, 1, 1, 0, 0, 0)}, ["order"]),
        (made(1, 0, 0, again=(0, 0, 0)), {}, []),
        (made(1, 0, 1, again=(0, 0, 0)), {}, []),  # what it draws at random may be there
        (made(1, 0, 1, again=(0, 1, 0)), {"order": (1, 0, 1, 0, 1, 0)}, []),
        (made(1, 0, 1, again=(0, 1, 0), line=2), {"line": (2,) * 6}, []),  # it left something
        (made(1, 1, 1, again=(0, 1, 0)), {"order": (1, 1, 1, 0, 1, 0)}, []),
        (made(1, -1, 1, again=(1, -1, 1)), {}, []),
        (made(1, 2, 2, again=(2, 2, 2)), {}, []),
        (made(1, 1, 1), {"order": (1, 1, 1)}, []),  # sent again, it was refused in so many words
    ],
)
def test_only_what_each_completion_leaves_is_evidence(
    rehearsals: list[Rehearsal], left: Mapping[str, tuple[int, ...]], once: list[str]
) -> None:
    known = learned(rehearsals)
    assert (known.left, known.once) == (left, once)
    assert bool(known.words) == (not left)


def test_that_nothing_is_held_to_rows_is_said() -> None:
    refused = learned(made(0, 0, 0, again=(0,))).words
    assert refused.startswith("No row was gained by a rehearsed completion")
    assert "order 1, 0, 0 and 0" in learned(made(1, 0, 0, again=(0,))).words
    assert "failed" in learned(made(1, 1)).words


@pytest.mark.parametrize(
    ("load", "least", "most"),
    [
        (seen(100), 100, 100),
        (seen(100, 3), 100, 103),
        (seen(100, resent=2), 100, 102),
        (seen(100, order=(60, 0)), 60, 60),  # journeys that choose at random
        (seen(100, order=(130, 0)), 100, 130),  # mistakes that were mended
        (seen(100, other=(20, 0)), 100, 120),  # a form that was not rehearsed
        (seen(100, order=(101, 2)), 100, 103),  # cut off behind the form
    ],
)
def test_bounds_of_a_load(load: Answers, least: int, most: int) -> None:
    assert bounds(HOLDS, load) == (least, most)


def test_numbers_in_names_are_the_same_form_and_other_names_are_all() -> None:
    known = learned([rehearsed(NEW, {"POST /cart/7/": 1, "POST /pay/": 1}, {"order": 1})] * 3)
    asked = {"POST /cart/1/": (40, 0), "POST /cart/2/": (60, 0), "POST /pay/": (100, 1)}
    assert bounds(known, Answers((100, 1), asked, 0, users=4)) == (100, 101)
    named = [{f"POST /{name}/": 1} for name in "abc"]
    known = learned([rehearsed(NEW, posts, {"order": 1}) for posts in named])
    asked = {"POST /c/": (50, 0), "POST /d/": (50, 0)}
    assert bounds(known, Answers((100, 0), asked, 0, users=4)) == (100, 104)


def test_journeys_that_the_author_counts_go_by_themselves() -> None:
    assert bounds(Learned(before={"": 3}, left={"": (1,)}), seen(100, 3, order=(300, 0))) == (
        100,
        103,
    )


@pytest.mark.parametrize(
    ("rows", "agrees"), [(99, False), (100, True), (103, True), (104, False), (50, False)]
)
def test_a_load_is_held_to_rows(rows: int, *, agrees: bool) -> None:
    (one,) = judged(HOLDS, seen(100, 3), Rows({"order": 5 + rows}))
    assert (one.agrees, one.stored, one.completions, one.excuse) == (agrees, rows, 100, "")


@pytest.mark.parametrize(
    ("known", "now", "coming", "excuse"),
    [
        (HOLDS, Rows({"order": 50}, frozenset({"order"})), False, "are gone"),
        (HOLDS, Rows({"order": 3}), False, "are gone"),
        (HOLDS, Rows({"order": 50}), True, "still came"),
        (replace(HOLDS, once=["order"]), Rows({"order": 50}), False, "sent again"),
        (HOLDS, Rows({"order": 205}, frozenset({"order"})), True, ""),
    ],
)
def test_missing_rows_may_prove_nothing(
    known: Learned, now: Rows, excuse: str, *, coming: bool
) -> None:
    (one,) = judged(known, seen(100), now, coming=coming)
    assert excuse in one.excuse
    assert bool(one.excuse) == bool(excuse)


@pytest.mark.parametrize(
    ("left", "rows", "first", "excused"),
    [
        ({"line": (3, 3), "order": (1, 1)}, {"line": 300, "order": 95}, "order", False),
        ({"line": (1, 1), "order": (1, 1)}, {"line": 90, "order": 105}, "line", True),
        ({"line": (3, 3), "order": (1, 1)}, {"line": 290, "order": 105}, "line", True),
        ({"line": (3, 3)}, {"line": 290}, "line", True),
    ],
)
def test_rows_that_may_depend_on_what_is_said_accuse_nobody(
    left: Mapping[str, tuple[int, ...]], rows: Mapping[str, int], first: str, *, excused: bool
) -> None:
    found = judged(replace(HOLDS, left=left), seen(100), Rows(rows))[0]
    assert (found.table, found.agrees) == (first, False)
    assert found.excuse.endswith("what a form says.") == excused


def test_answers_are_counted_over_all_samples() -> None:
    names = [
        NameEntry(name=name, scope=scope, examples={})
        for name, scope in [("shop", JOURNEY), ("POST /order/", REQUEST), (RESENT, RESENT)]
    ] + [NameEntry(name=PAUSE, scope=PAUSE, examples={})]
    kinds = [(0, Kind.OK), (0, Kind.RESET), (1, Kind.OK), (1, Kind.OK), (1, Kind.UNFINISHED)]
    kinds += [(2, Kind.OK), (3, Kind.OK)]
    samples = np.array([(name, kind, 0, 0, 0, 0, 0, 0) for name, kind in kinds], DTYPE)
    found = answers(samples, names, 4)
    assert found == Answers((1, 1), {"POST /order/": (2, 1)}, 1, 4)


class Shop:
    """A clock, and a project whose orders come `late_s` after they were answered."""

    def __init__(self, stores: Callable[[int], int], late_s: float) -> None:
        self.now, self.late_s, self.stores = 0.0, late_s, stores
        self.kinds: list[str] = []
        self.due: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def journey(self, kind: str) -> Rehearsal:
        self.kinds.append(kind)
        self.now += 0.01
        if kind != LOOK:
            self.due += [self.now + self.late_s] * self.stores(len(self.kinds))
        return Rehearsal(kind=kind, right=kind != LOOK, posts={} if kind == LOOK else ORDER)

    def rows(self, watched: Iterable[str] = ()) -> Rows:
        self.now += 0.005
        return Rows({"order": sum(due <= self.now for due in self.due), "log": len(self.kinds)})


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Shop]]:
    def opened(stores: Callable[[int], int] = lambda turn: 1, late_s: float = 0.0) -> Shop:
        made = Shop(stores, late_s)
        clock: Any = SimpleNamespace(monotonic=made.monotonic, sleep=made.sleep)
        monkeypatch.setattr(gains, "time", clock)
        return made

    return opened


@pytest.mark.parametrize("late_s", [0.0, 0.02, 0.5])
def test_rows_that_come_late_are_learned_and_have_come_when_the_load_begins(
    shop: Callable[..., Shop], late_s: float
) -> None:
    open_shop = shop(late_s=late_s)
    open_shop.due = [late_s, late_s]  # of the checked journeys
    known = gains.rehearse(open_shop.journey, open_shop.rows)
    assert known.before["order"] == len(open_shop.due)
    assert "log" not in known.before
    assert set(known.left.get("order", (1,))) == {1}


def test_more_is_rehearsed_where_gains_differ(shop: Callable[..., Shop]) -> None:
    halving = shop(lambda turn: turn % 2)
    assert gains.rehearse(halving.journey, halving.rows).left == {"order": (0, 1, 0, 1, 0, 1)}
    assert halving.kinds == [LOOK, NEW, NEW, NEW, AGAIN, AGAIN, AGAIN]
    steady = shop()
    gains.rehearse(steady.journey, steady.rows)
    assert steady.kinds == [LOOK, *[NEW] * 5, AGAIN]


@pytest.mark.parametrize(
    ("every_s", "rows", "excuse"), [(0.03, 100, ""), (0.5, 10, "still came"), (99.0, 1, "")]
)
def test_late_rows_are_waited_for_but_not_for_ever(
    shop: Callable[..., Shop], every_s: float, rows: int, excuse: str
) -> None:
    late = shop()
    late.due = [number * every_s for number in range(200)]
    found, words = held(replace(HOLDS, before={"order": 0}), seen(100), late.rows)
    assert found is not None
    assert excuse in found.excuse
    assert rows <= found.stored <= rows + 2
    assert words == f"100 completions claimed, {found.stored} rows gained in order"
    assert late.now < 2 * gains.SETTLE_S


def test_what_is_held_to_nothing_is_told_beside_what_came(shop: Callable[..., Shop]) -> None:
    unheld = Learned(before={"order": 0}, words="No row was gained by a rehearsed completion.")
    assert held(unheld, seen(100), shop().rows) == (None, "100 completions claimed, no row gained")
