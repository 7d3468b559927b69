"""What the commands say at the end of what became of their runs."""

import pytest

from benchsuite.management.commands.runbench import none_right
from benchsuite.management.output import write_page
from benchsuite.models import Run
from tests.factories import INVALID, make_run
from tests.study_factories import make_study_run
from tests.tuning_factories import make_tuning, searched


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("requests", "failures", "accused", "named"),
    [
        (10, 10, True, True),
        (0, 0, True, True),
        (0, 0, False, False),  # connections that only wait have nothing to answer
        (10, 9, True, False),
        (10, 0, False, False),
    ],
)
def test_runs_without_a_right_answer_are_named(requests, failures, *, accused, named):
    make_run("waitress", findings=(INVALID,) * accused)
    Run.objects.update(requests=requests, failures=failures)
    sentence = none_right(Run.objects.all())
    expected = "waitress: not one answer was right; B201 above says why."
    assert sentence == (expected if named else "")


@pytest.mark.django_db
def test_pages_are_written_to_a_file(tmp_path):
    run, other = make_run("uwsgi"), make_run("uvicorn")
    study, tuning = make_study_run(), make_tuning(searched(5))
    file = tmp_path / "page.html"
    for view, args, query in (
        ("run.show", [run.pk], {}),
        ("compare.show", [], {"runs": f"{run.pk},{other.pk}", "forced": 1}),
        ("studies.show", [study.name], {"execution": study.pk}),
        ("tuning.show", [tuning.pk], {}),
    ):
        write_page(str(file), view, *args, **query)
        assert "<html" in file.read_text()[:100], view
