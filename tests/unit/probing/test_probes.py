"""Which page is probed, and what its times say."""

from pathlib import Path
from typing import Any, ClassVar

import pytest

from benchsuite.probing import probes
from benchsuite.specs import LoadProfile
from benchsuite.workloads.base import Workload
from benchsuite.workloads.io_create import IoCreate
from benchsuite.workloads.io_read import IoRead
from benchsuite.workloads.plain import Plain
from benchsuite.workloads.url import Url


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
    assert probes.probed_page(workload) == (path and (path, status))


def test_a_locustfile_is_not_probed() -> None:
    workload = Plain()
    workload.locustfile = "locustfile.py"
    assert probes.probed_page(workload) is None


def test_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "seen"
    assert probes.read(file) == []
    file.write_text("1.0 1.1 1.3 1\n2.0 2.0 2.5 0\n3.0 3.")
    assert probes.read(file) == [(1.0, 1.1, 1.3, True), (2.0, 2.0, 2.5, False)]


def test_the_window_takes_what_was_meant_for_it() -> None:
    made = [
        (0.9, 0.9, 5.0, True),
        (1.0, 1.1, 1.3, True),
        (1.5, 1.5, 1.6, False),
        (1.9, 2.2, 2.4, True),
        (2.0, 2.0, 2.1, True),
    ]
    seen = probes.between(made, (1.0, 2.0))
    assert seen.sent == 3
    assert seen.service_times_s == pytest.approx((0.2, 0.2))
    assert seen.lateness_s == pytest.approx(0.1)
    assert probes.between(made, (7.0, 8.0)).sent == 0


@pytest.mark.parametrize(
    ("rates", "pause_s"), [((1000.0,), 0.2), ((500.0,), 0.2), ((50.0,), 2.0), ((400.0, 20.0), 5.0)]
)
def test_of_arrivals_one_in_a_hundred_is_probed_at_most(
    rates: tuple[float, ...], pause_s: float
) -> None:
    load = LoadProfile(
        model="open", arrival_rate=max(rates), stages=rates if len(rates) > 1 else ()
    )
    assert probes.least_pause_s(load) == pytest.approx(pause_s)
    assert probes.most_time(load) == 0.5


@pytest.mark.parametrize(
    ("users", "share"), [((1,), 0.01), ((10,), 0.1), ((500,), 0.5), ((20, 5), 0.05)]
)
def test_of_the_requests_of_users_one_in_a_hundred_is_in_flight(
    users: tuple[int, ...], share: float
) -> None:
    load = LoadProfile(users=max(users), stages=users if len(users) > 1 else ())
    assert probes.least_pause_s(load) == 0.2
    assert probes.most_time(load) == pytest.approx(share)
