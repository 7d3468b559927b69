"""Stacks of a profiler: read, bounded, packed, counted by function, and as boxes."""

import pytest

from benchsuite.stats import stacks
from benchsuite.stats.stacks import RARE, Box

SEEN = """\
process 7:"gunicorn -c "x; y" shop.wsgi";process 8:"gunicorn: worker";run (a.py:1);view (v.py:5) 30
process 7:"python -c import os
os.x()";run (a.py:1);view (v.py:5) 12
run (a.py:1);view (v.py:5);<genexpr> (v.py:9) 40
run (a.py:1) 18
half a line"""

FOUND = {
    ("run (a.py:1)", "view (v.py:5)"): 42,
    ("run (a.py:1)", "view (v.py:5)", "<genexpr> (v.py:9)"): 40,
    ("run (a.py:1)",): 18,
}


def test_boxes_lie_in_each_other_as_the_calls_did():
    found = sorted(stacks.boxes({("a", "b"): 3, ("a", "c", "d"): 2, ("a",): 1, ("e",): 4}), key=str)
    assert found == sorted(
        [
            Box(("a",), 0, 6),
            Box(("a", "b"), 1, 3),
            Box(("a", "c"), 4, 2),
            Box(("a", "c", "d"), 4, 2),
            Box(("e",), 6, 4),
        ],
        key=str,
    )
    assert list(stacks.boxes({})) == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("view (shop/views.py:12)", ("view", "shop/views.py:12")),
        ("<lambda> (a (b)/c.py:3)", ("<lambda>", "a (b)/c.py:3")),
        ("bare", ("bare", "")),
        (RARE, (RARE, "")),
        ("(rare) (calls)", ("(rare) (calls)", "")),
    ],
)
def test_a_call_has_a_name_and_a_place(call, words):
    assert stacks.words(call) == words


def test_values(golden):
    golden.values()
