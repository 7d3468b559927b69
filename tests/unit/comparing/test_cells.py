"""Starts of the same cell taken together, and the table made of them."""

from datetime import UTC, datetime, timedelta

import pytest

from benchsuite.comparing import pairing
from benchsuite.comparing.cells import cells
from benchsuite.comparing.differences import differences
from benchsuite.core.metrics.every import figure
from benchsuite.core.results import Verdict
from benchsuite.core.units import THIN_SPACE
from benchsuite.management.output import Screen
from benchsuite.models import Run
from benchsuite.report import answers
from tests.factories import make_spec
from tests.starts import found_out

START = datetime(2026, 1, 1, tzinfo=UTC)


def run(server="uvicorn", minute=0, *, invalid="", **changes):
    figures = {
        "server": server,
        "key": server,
        "spec": {},
        "started_at": START + timedelta(minutes=minute),
        "status": "finished",
        "verdict": "valid",
        "goodput": 100.0,
        "failures": 0,
        "p50_s": 0.151,
        "p95_s": 0.28,
        "p99_s": 0.41,
        "cpu_percent": 190.0,
        "memory_bytes": 182 * 2**20,
    }
    return found_out(Run(**{**figures, **changes}), *([invalid] if invalid else []))


def test_two_projects_are_two_cells_and_pairs_find_each_other():
    """Under one Python, label and path; another checkout of a project is another one, too."""
    specs = [make_spec("uvicorn", project=project) for project in ("", "/srv/shop", "/srv/blog")]
    before, shop, blog = (run(key=spec.key, spec=spec.to_json()) for spec in specs)
    before.project, shop.project, blog.project = (spec.project for spec in specs)
    assert len(cells([before, shop, blog])) == 3
    pairs, notes = pairing._paired(
        pairing.Named("shop", cells([shop])), [pairing.Named("blog", cells([blog]))]
    )
    assert [(base.first, other.first) for base, other in pairs] == [(shop, blog)]
    assert not notes
    assert pairing._anywhere(before) == pairing._anywhere(shop) == pairing._anywhere(blog)
    (difference,) = differences([shop, blog])
    assert difference.values == ("/srv/shop", "/srv/blog")
    assert difference.words == "project /srv/shop or /srv/blog"


def unavailable(server="uvicorn", **changes):
    missing = ("goodput", "failures", "p50_s", "p95_s", "p99_s", "cpu_percent", "memory_bytes")
    return run(server, status="failed", verdict="", **dict.fromkeys(missing), **changes)


def shown(*runs):
    """The rows of the table, white space folded."""
    console = Screen(width=200)
    with console.capture() as capture:
        console.table(answers.results_table(cells(runs)))
    lines = capture.get().replace(THIN_SPACE, " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip(" ─")][1:]


def test_the_middle_of_the_starts_is_taken_and_most_goodput_comes_first():
    found = cells(
        [
            run("daphne", goodput=50.0),
            run("uvicorn", 2, goodput=110.0),
            run("uvicorn", 1, goodput=90.0),
            run("uvicorn", 3, goodput=95.0),
        ]
    )
    assert [cell.first.server for cell in found] == ["uvicorn", "daphne"]
    assert found[0].figures(figure("goodput")) == [90.0, 110.0, 95.0]
    assert found[0].goodput == pytest.approx(295 / 3)


def test_what_the_server_spoiled_stays_in_the_figures():
    failing = run(minute=1, goodput=10.0, invalid="B201 failures")
    (cell,) = cells([run(), failing, run(minute=2, goodput=90.0)])
    assert (cell.middle("goodput"), cell.verdict) == (pytest.approx(200 / 3), Verdict.WEAK)
    (other,) = cells([run(), run(minute=1, goodput=10.0, invalid="B202 wrong-responder"), run()])
    assert other.middle("goodput") == 100.0


def test_values(golden):
    golden.values()
