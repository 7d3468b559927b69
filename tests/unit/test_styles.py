"""One look for each server."""

from itertools import pairwise

from benchsuite.report.styles import COLOURS, COMPARED_MOST, DASHES, MARKERS, style
from benchsuite.servers import BUILTIN


def test_no_two_built_in_servers_look_alike() -> None:
    assert len({style(name) for name in BUILTIN}) == len(BUILTIN)


def test_servers_of_one_colour_differ_in_their_marker_too() -> None:
    """A scatter has no dashes."""
    names = list(dict.fromkeys((*COMPARED_MOST, *BUILTIN)))[: len(COLOURS) * len(MARKERS)]
    looks = [style(name) for name in names]
    assert len({(look.colour, look.marker) for look in looks}) == len(looks)


def test_the_servers_compared_most_have_each_a_colour_of_its_own() -> None:
    assert set(COMPARED_MOST) <= set(BUILTIN)
    assert {style(name).colour for name in COMPARED_MOST} == set(COLOURS)


def test_lines_of_neighbouring_colours_differ_in_their_dash() -> None:
    dashes = [style(name).dash for name in COMPARED_MOST]
    assert all(one != next_one for one, next_one in pairwise(dashes))
    assert len(set(dashes)) == len(DASHES)


def test_a_server_keeps_its_colour_through_its_cells() -> None:
    looks = [style("uwsgi", nth) for nth in range(5)]
    assert len({look.colour for look in looks}) == 1
    assert len({look.dash for look in looks}) == 5


def test_an_added_server_always_looks_the_same() -> None:
    assert style("shop-granian") == style("shop-granian")
    assert style("shop-granian").colour.startswith("#")
