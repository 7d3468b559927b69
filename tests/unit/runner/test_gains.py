"""What rehearsals teach of rows, and how a load is held to it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchsuite.isolation.facts import Rows
from benchsuite.load.job import AGAIN, LOOK, NEW, Rehearsal
from benchsuite.runner import gains
from benchsuite.runner.gains import Answers, Learned, held

ORDER = {"POST /order/": 1}
HOLDS = Learned(
    before={"order": 5, "line": 0}, left={"order": (1, 1, 1)}, least=ORDER, most=ORDER, forms=1
)


def made(*orders, again=(), **more):
    """A look, journeys that gain so many orders, and the same sent again; all are logged."""
    kinds = [NEW] * len(orders) + [AGAIN] * len(again)
    return [
        Rehearsal(kind=LOOK, right=False, posts={}, gains={"log": 1}),
        *(
            rehearsed(kind, ORDER, {**({"order": rows} if rows else {}), "log": 2, **more})
            for kind, rows in zip(kinds, orders + again, strict=True)
        ),
    ]


def rehearsed(kind, posts, rows):
    return Rehearsal(kind=kind, right=True, posts=posts, gains=rows)


def seen(right=100, failed=0, *, resent=0, **posts):
    """A load of journeys; the answers to /order/ are as many, unless told."""
    told = {"order": (right, failed), **posts}
    requests = {f"POST /{name}/": count for name, count in told.items()}
    return Answers((right, failed), requests, resent, users=4)


class Shop:
    """A clock, and a project whose orders come `late_s` after they were answered."""

    def __init__(self, stores, late_s):
        self.now, self.late_s, self.stores = 0.0, late_s, stores
        self.kinds: list[str] = []
        self.due: list[float] = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def journey(self, kind):
        self.kinds.append(kind)
        self.now += 0.01
        if kind != LOOK:
            self.due += [self.now + self.late_s] * self.stores(len(self.kinds))
        return Rehearsal(kind=kind, right=kind != LOOK, posts={} if kind == LOOK else ORDER)

    def rows(self, watched=()):
        self.now += 0.005
        return Rows({"order": sum(due <= self.now for due in self.due), "log": len(self.kinds)})


@pytest.fixture
def shop(monkeypatch):
    def opened(stores=lambda turn: 1, late_s=0.0):
        made = Shop(stores, late_s)
        clock = SimpleNamespace(monotonic=made.monotonic, sleep=made.sleep)
        monkeypatch.setattr(gains, "time", clock)
        return made

    return opened


@pytest.mark.parametrize("late_s", [0.0, 0.02, 0.5])
def test_rows_that_come_late_are_learned_and_have_come_when_the_load_begins(shop, late_s):
    open_shop = shop(late_s=late_s)
    open_shop.due = [late_s, late_s]  # of the checked journeys
    known = gains.rehearse(open_shop.journey, open_shop.rows)
    assert known.before["order"] == len(open_shop.due)
    assert "log" not in known.before
    assert set(known.left.get("order", (1,))) == {1}


def test_more_is_rehearsed_where_gains_differ(shop):
    halving = shop(lambda turn: turn % 2)
    assert gains.rehearse(halving.journey, halving.rows).left == {"order": (0, 1, 0, 1, 0, 1)}
    assert halving.kinds == [LOOK, NEW, NEW, NEW, AGAIN, AGAIN, AGAIN]
    steady = shop()
    gains.rehearse(steady.journey, steady.rows)
    assert steady.kinds == [LOOK, *[NEW] * 5, AGAIN]


@pytest.mark.parametrize(
    ("every_s", "rows", "excuse"), [(0.03, 100, ""), (0.5, 10, "still came"), (99.0, 1, "")]
)
def test_late_rows_are_waited_for_but_not_for_ever(shop, every_s, rows, excuse):
    late = shop()
    late.due = [number * every_s for number in range(200)]
    found, words = held(replace(HOLDS, before={"order": 0}), seen(100), late.rows)
    assert excuse in found.excuse
    assert rows <= found.stored <= rows + 2
    assert words == f"100 completions claimed, {found.stored} rows gained in order"
    assert late.now < 2 * gains.SETTLE_S


def test_what_is_surely_claimed_is_said_to_be_the_least_where_it_may_be_more(shop):
    """Where a rehearsed completion sent two forms and many of the load sent one."""
    known = replace(HOLDS, before={"order": 0}, most=dict.fromkeys(ORDER, 2), forms=2)
    _, words = held(known, seen(100), shop().rows)
    assert words.startswith("at least 50 completions claimed")


def test_what_is_held_to_nothing_is_told_beside_what_came(shop):
    unheld = Learned(before={"order": 0}, words="No row was gained by a rehearsed completion.")
    assert held(unheld, seen(100), shop().rows) == (None, "100 completions claimed, no row gained")


def test_values(golden):
    golden.values()
