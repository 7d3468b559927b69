"""What the commands say at the end of what became of their runs."""

import pytest
from django.test import override_settings

from benchsuite.core.exceptions import UsageError
from benchsuite.management.commands.runbench import none_right
from benchsuite.management.output import check, write_page
from benchsuite.system.programs import untracked_code
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
def test_pages_are_written_to_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("benchsuite.system.programs._git", lambda *words: b"")  # tracks nothing
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
        assert untracked_code(tmp_path) == "", "it is no code of the project: a tuning goes on"


def test_a_project_without_templates_of_apps_is_told_before_the_runs(tmp_path):
    check("--html", "-")
    with override_settings(TEMPLATES=[]):
        check("--html", None)
        for file in ("-", str(tmp_path / "page.html")):
            with pytest.raises(UsageError, match="APP_DIRS=True"):
                check("--html", file)


def test_a_file_is_no_folder_of_another_one(tmp_path):
    (tmp_path / "results.txt").touch()
    check("--json", str(tmp_path / "run.json"))
    with pytest.raises(UsageError, match="in a folder that is there"):
        check("--json", str(tmp_path / "results.txt/run.json"))
