"""Which cells did the same work, and their ratios."""

from uuid import UUID

import pytest

from benchsuite.comparing.cells import alternatives, cells
from tests.factories import make_run

pytestmark = pytest.mark.django_db

BATCH = UUID(int=7)


def started(rates, server="gunicorn-gthread", **given):
    """So many starts of a cell in one command."""
    return [
        make_run(server, batch=BATCH, rate=rate, repetition=place, seed=place, **given)
        for place, rate in enumerate(rates, 1)
    ]


def own(found, runs):
    return next(cell for cell in found if cell.first.pk in {run.pk for run in runs})


def test_other_sizes_and_the_other_interface_stand_beside_a_cell():
    runs = started((500.0, 520.0, 510.0, 515.0, 505.0), threads=8)
    fewer = started((600.0, 620.0, 610.0, 615.0, 605.0), threads=4)
    asgi = started((300.0, 310.0, 305.0, 303.0, 307.0), "uvicorn", threads=None)
    rest = [
        *started((700.0,) * 5, "uwsgi"),  # another server is no other size
        *started((700.0,) * 5, threads=4, workload="io_create"),
        *started((700.0,) * 5, threads=4, users=50),
        *started((700.0,) * 4, threads=16),  # too few for an interval
    ]
    found = cells([*runs, *fewer, *asgi, *rest])
    told = alternatives(own(found, runs), found)
    by_interface = {(one.threads, one.interface): one for one in told}
    assert set(by_interface) == {(4, "wsgi"), (1, "asgi")}
    assert by_interface[4, "wsgi"].rate.value == pytest.approx(510 / 610, rel=0.02)
    assert by_interface[4, "wsgi"].cpu.value == pytest.approx(610 / 510, rel=0.02)
    assert by_interface[4, "wsgi"].rate.high < 1


def test_arrivals_are_answered_alike_by_all():
    runs = started((500.0, 520.0, 510.0, 515.0, 505.0), threads=8)
    fewer = started((600.0, 620.0, 610.0, 615.0, 605.0), threads=4)
    found = cells([*runs, *fewer])
    for cell in found:
        for run in cell.runs:
            run.model = "open"
    assert alternatives(own(found, runs), found) == []
