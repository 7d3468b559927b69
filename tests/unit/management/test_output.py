"""What the commands say at the end of what became of their runs."""

import pytest

from benchsuite.management.commands.runbench import none_right
from benchsuite.management.output import write_page
from tests.factories import INVALID, make_run
from tests.study_factories import make_study_run
from tests.tuning_factories import make_tuning, searched


@pytest.mark.django_db
def test_runs_without_a_right_answer_are_named(golden):
    def case(requests, failures, *, accused):
        run = make_run("waitress", findings=(INVALID,) * accused)
        run.requests, run.failures = requests, failures
        return none_right([run])

    golden.cases(case)


@pytest.mark.django_db
def test_pages_are_written_to_a_file(tmp_path):
    run, other = make_run("uwsgi"), make_run("uvicorn")
    study, tuning = make_study_run(), make_tuning(searched(5))
    file = tmp_path / "page.html"
    for view, args, query in (
        ("run.show", [run.pk], {}),
        ("compare.show", [], {"runs": f"{run.pk},{other.pk}", "forced": 1}),
        ("executions.study", [study.name], {"execution": study.pk}),
        ("executions.tuning", [tuning.pk], {}),
    ):
        write_page(str(file), view, *args, **query)
        assert "<html" in file.read_text()[:100], view
