"""One look for each server."""

from benchsuite.report.styles import style
from benchsuite.servers import BUILTIN


def test_no_two_built_in_servers_look_alike() -> None:
    assert len({style(name) for name in BUILTIN}) == len(BUILTIN)


def test_a_server_keeps_its_colour_through_its_cells() -> None:
    looks = [style("uwsgi", nth) for nth in range(5)]
    assert len({look.colour for look in looks}) == 1
    assert len({look.dash for look in looks}) == 5


def test_an_added_server_always_looks_the_same() -> None:
    assert style("shop-granian") == style("shop-granian")
    assert style("shop-granian").colour.startswith("#")
