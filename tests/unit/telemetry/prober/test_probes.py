"""Which page is probed, and what its times say."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from benchsuite.stats.signs import Traffic
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.client import HUNG, LOST, RIGHT, WRONG
from benchsuite.workloads.base import Workload
from benchsuite.workloads.database import IoCreate, IoRead
from benchsuite.workloads.pages import Plain
from benchsuite.workloads.url import Url
from tests.unit.findings.clean import summary


class Journey(Workload):
    name = "journey"
    calls: ClassVar[Any]

    def journey(self, client: Any) -> None:
        type(self).calls(client)


def made(call: Any) -> Workload:
    return type("Made", (Journey,), {"calls": staticmethod(call)})()


@pytest.mark.parametrize(
    ("workload", "path", "status"),
    [
        (Plain(), "/bench/plain/", None),
        (IoRead(rows=5), "/bench/io_read/", None),
        (Url(path="/shop/?page=2"), "/shop/?page=2", None),
        (Url(path="/gone/,/shop/", status="/gone/=410"), "/gone/", 410),
        (IoCreate(), None, None),
        (made(lambda client: client.get("/a/", name="page")), "/a/", None),
        (made(lambda client: client.get("/a/", {"q": 1})), None, None),
        (made(lambda client: client.get("/a/", headers={"X": "1"})), None, None),
        (made(lambda client: client.get("/a/", follow=True)), None, None),
        (made(lambda client: None), None, None),
        (made(lambda client: 1 / 0), None, None),
    ],
)
def test_the_first_page_of_a_journey(
    workload: Workload, path: str | None, status: int | None
) -> None:
    found = probes.probed_page(workload)
    assert (found and (found.path, found.status)) == (path and (path, status))


def test_a_page_has_the_name_by_which_the_load_knows_it() -> None:
    for call, name in (
        (lambda client: client.get("/a/?b=c"), "GET /a/"),
        (lambda client: client.get("/a/", name="page"), "page"),
    ):
        page = probes.probed_page(made(call))
        assert page is not None
        assert page.name == name


def test_a_locustfile_is_not_probed() -> None:
    workload = Plain()
    workload.locustfile = "locustfile.py"
    assert probes.probed_page(workload) is None


NOBODY = Traffic(np.empty(0), np.empty(0))

WRITTEN = """\
asked 1 1 0.9 0.95
ended 1 4.0 right
asked 2 1 1.0 1.1
asked 3 2 1.2 1.2
ended 2 0.2 right
asked 4 2 1.5 1.5
ended 3 0.1 lost
asked 5 3 1.9 2.2
asked 6 3 1.95 2.3
ended 6 0.1 wrong
asked 7 4 2.0 2.4
ended 7 3."""


def test_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "seen"
    assert probes.read(file, 5.0) == []
    file.write_text(WRITTEN)
    made = probes.read(file, 5.0)
    assert [one.outcome for one in made] == [RIGHT, RIGHT, LOST, HUNG, HUNG, WRONG, HUNG]
    assert made[0] == probes.Probe(
        connection=1, due=0.9, late_s=pytest.approx(0.05), waited_s=4.0, outcome=RIGHT
    )
    assert made[-1].waited_s == pytest.approx(2.6), "it is still under way"


def test_the_window_takes_what_was_meant_for_it(tmp_path: Path) -> None:
    file = tmp_path / "seen"
    file.write_text(WRITTEN)
    seen = probes.between(probes.read(file, 5.0), (1.0, 2.0), summary(), 4.0, NOBODY)
    assert (seen.sent, seen.answered, seen.hung, seen.lost) == (5, 1, 2, 1)
    assert [one.times_s for one in seen.connections] == [
        (0.2,),
        pytest.approx((0.1, 3.5)),
        pytest.approx((2.8,)),
    ]
    assert seen.lateness_s == pytest.approx(0.1)
    assert probes.between(probes.read(file, 5.0), (7.0, 8.0), summary(), None, NOBODY).sent == 0


def probe(connection: int, moment: int, outcome: str = RIGHT) -> probes.Probe:
    waited_s = 0.1 if outcome == RIGHT else 0.9
    return probes.Probe(
        connection=connection, due=float(moment), late_s=0.0, waited_s=waited_s, outcome=outcome
    )


def test_a_connection_is_held_against_those_asked_at_the_same_time() -> None:
    asked = [probe(number, place) for place, number in enumerate([1, 2, 1, 2, 1, 3, 1, 3, 4])]
    asked[6] = probe(1, 6, HUNG)
    found = probes.between(asked, (0.0, 9.0), summary(), None, NOBODY)
    assert found.sent == 7, "its third and fourth request say nothing of all connections"
    seen = found.connections
    assert seen[0].times_s == (0.1, 0.1, 0.1, 0.9)
    assert seen[0].beside_s == (0.1,) * 4, "the first requests of 2 and 3, and of 3 and 4"
    assert seen[0].broke_alone
    assert not any(one.broke_alone or one.beside_s for one in seen[1:])
    asked[7] = probe(3, 7, HUNG)
    seen = probes.between(asked, (0.0, 9.0), summary(), None, NOBODY).connections
    assert not any(one.broke_alone for one in seen), "all hung at that moment"
