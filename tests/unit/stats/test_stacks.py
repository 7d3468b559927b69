"""Stacks of a profiler: read, bounded, packed, counted by function, and as boxes."""

import pytest

from benchsuite.stats import stacks
from benchsuite.stats.stacks import DEEPER, DEEPEST, MOST_CALLS, RARE, Box, Function

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


def test_processes_are_taken_together_whatever_their_command_lines_hold() -> None:
    assert stacks.parsed(SEEN) == FOUND
    assert stacks.parsed("") == {}


def test_calls_can_be_renamed() -> None:
    assert stacks.parsed("a;b 3", str.upper) == {("A", "B"): 3}


def test_what_is_packed_comes_back() -> None:
    odd = {**FOUND, ("f ([template] ä.html:1)", "(rare calls)"): 2}
    assert stacks.unpacked(stacks.packed(odd)) == odd
    assert stacks.unpacked(stacks.packed({})) == {}


def test_a_function_has_its_own_samples_and_those_of_what_it_calls() -> None:
    assert stacks.functions({**FOUND, ("a", "b", "a"): 5}) == [
        Function("view (v.py:5)", own=42, total=82, passed=40),
        Function("<genexpr> (v.py:9)", own=40, total=40),
        Function("run (a.py:1)", own=18, total=100, passed=82),
        Function("a", own=5, total=5, passed=5),
        Function("b", own=0, total=5, passed=5),
    ]


def test_the_innermost_wanted_call_answers_for_what_it_calls() -> None:
    wanted = {"run (a.py:1)", "view (v.py:5)"}
    found = stacks.nearest({**FOUND, ("other",): 9}, wanted.__contains__)
    assert found == {"view (v.py:5)": 82, "run (a.py:1)": 18}


def test_few_calls_stay_as_they_are() -> None:
    assert stacks.folded(FOUND) == (FOUND, 1)


def test_rare_calls_are_put_together_and_no_sample_is_lost() -> None:
    many = {("root", f"call{number}"): 1 for number in range(3 * MOST_CALLS)}
    found, least = stacks.folded({**many, ("root", "hot"): 50, ("root", "hot", "leaf"): 1})
    assert least == 2
    assert found == {("root", RARE): 3 * MOST_CALLS, ("root", "hot"): 50, ("root", "hot", RARE): 1}


def test_as_many_calls_as_are_kept_are_kept() -> None:
    many = {(f"call{number}",): 1 for number in range(MOST_CALLS)}
    assert stacks.folded(many) == (many, 1)
    one_more = {**many, ("one more",): 3}
    assert stacks.folded(one_more) == ({("one more",): 3, (RARE,): MOST_CALLS}, 2)


def test_a_recursion_is_cut() -> None:
    deep = tuple(f"f{depth}" for depth in range(4 * DEEPEST))
    found, _ = stacks.folded({deep: 3, deep[:DEEPEST]: 2})
    assert found == {(*deep[:DEEPEST], DEEPER): 3, deep[:DEEPEST]: 2}


def test_boxes_lie_in_each_other_as_the_calls_did() -> None:
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


def test_the_same_call_in_two_places_is_two_boxes() -> None:
    found = [box for box in stacks.boxes({("a", "x"): 1, ("b", "x"): 2}) if box.path[-1] == "x"]
    assert found == [Box(("a", "x"), 0, 1), Box(("b", "x"), 1, 2)]


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
def test_a_call_has_a_name_and_a_place(call: str, words: tuple[str, str]) -> None:
    assert stacks.words(call) == words
