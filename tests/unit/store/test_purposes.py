"""What runs were made for travels with them, however often, and whole."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from benchsuite.core.plain import plain
from benchsuite.models import Environment, Run, StudyCell, StudyRun, Tuning, TuningTrial
from benchsuite.report.exports import json_of
from benchsuite.report.studies.execution import chosen, csv, study_report
from benchsuite.report.studies.several import chosen_beside, whole
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.report.writers import to_markdown
from benchsuite.store import purposes
from benchsuite.store.interchange import PARTS
from benchsuite.system import lock
from tests.factories import make_run
from tests.study_factories import RATES, make_study_run
from tests.tuning_factories import make_tuning, searched

pytestmark = pytest.mark.django_db

SKIPPED = ("async", "200")


@pytest.fixture
def dump(tmp_path):
    """A function that gives what is dumped."""

    def of(**options):
        call_command("dumpbench", str(tmp_path / "runs.json"), **options)
        return (tmp_path / "runs.json").read_bytes()

    return of


def elsewhere():
    """Another machine, which has nothing."""
    for model in (StudyRun, Tuning, Run, Environment):
        model.objects.all().delete()


def shown():
    newest = study_report(chosen("shop"))
    pages = [to_markdown(whole(study_report(one))) for one in StudyRun.objects.all()]
    return "".join(
        [*pages, to_markdown(whole(newest, chosen_beside(newest, "first"))), *csv(newest)]
    )


def test_it_is_the_same_elsewhere_and_the_second_time_nothing_changes(dump, loadbench):
    first = make_study_run(label="first", skipped=SKIPPED)
    second = make_study_run(RATES | {("sync", "0"): 60}, days=1)
    StudyRun.objects.filter(pk=second.pk).update(only={})
    make_run("uwsgi")
    before, content = shown(), dump()
    assert content.count(b'"whole":{') == 2, "each once"
    elsewhere()
    assert loadbench(content) == ["23 runs loaded.", f"{first} loaded.", f"{second} loaded."]
    assert shown() == before
    assert "There is no uvicorn here." in shown()
    assert dump() == content
    stored = list(StudyRun.objects.values()), list(StudyCell.objects.values())
    said = loadbench(content)
    assert said[0] == "0 runs loaded."
    assert len(said) == 2
    assert (list(StudyRun.objects.values()), list(StudyCell.objects.values())) == stored
    assert dump() == content


def test_runs_that_are_missing_get_their_cells(dump, loadbench):
    make_study_run()
    before = dump()
    cell = StudyCell.objects.get(order=2)
    cell.runs.all().delete()
    StudyCell.objects.get(order=3).runs.update(study_cell=None)
    assert loadbench(before)[0] == "2 runs loaded."
    assert dump() == before


def test_one_that_went_on_is_brought_up_to_date_and_never_put_back(dump, loadbench):
    row = make_study_run(ended=False)
    early = dump()
    row.status, row.ended_at, row.resolved = "finished", row.started_at, {"1": {"rate": 3.0}}
    row.save()
    StudyCell.objects.filter(order=4).update(reason="It is gone.")
    late = dump()
    elsewhere()
    loadbench(early)
    assert StudyRun.objects.get().status == "interrupted"
    assert loadbench(late)[-1] == f"{row} brought up to date."
    assert dump() == late
    loadbench(early)
    assert dump() == late


def test_what_was_under_way_is_interrupted_elsewhere_and_here_it_goes_on(dump, loadbench):
    row = make_study_run(ended=False)
    StudyRun.objects.update(status="running", owner=lock.owner_name())
    content = dump()
    StudyRun.objects.update(resolved={"1": {"rate": 3.0}})
    loadbench(content)
    assert StudyRun.objects.values_list("status", "owner").get() == ("running", lock.owner_name())
    elsewhere()
    loadbench(content)
    kept = StudyRun.objects.values_list("pk", "status", "owner").get()
    assert kept == (row.pk, "interrupted", "")


def test_a_file_from_before_is_loaded_without_and_takes_no_cell_away(dump, loadbench):
    make_study_run()
    objects = json.loads(dump())
    for one in objects:
        del one["made_for"]
    content = json.dumps(objects).encode()
    assert loadbench(content)[0] == "0 runs loaded."
    # a command whose results were refused left these
    for part in PARTS.values():
        part._default_manager.all().delete()
    Run.objects.update(status="interrupted", environment=None)
    assert loadbench(content) == ["12 runs loaded."]
    assert Run.objects.filter(study_cell=None).count() == 0
    elsewhere()
    assert loadbench(content) == ["12 runs loaded."]
    assert Run.objects.filter(study_cell=None).count() == 12


def test_runs_that_no_database_takes_are_kept_with_their_place(dump, loadbench, monkeypatch):
    row = make_study_run()
    cell = row.cells.get(order=1)
    run = cell.runs.get(repetition=2)

    def gone(*args):
        raise OperationalError("server closed the connection")

    with monkeypatch.context() as broken:
        broken.setattr(purposes, "sealed", gone)
        content = "".join(json_of([run])).encode()
    assert b'"whole"' not in content
    Run.objects.filter(pk=run.pk).delete()
    assert loadbench(content) == ["1 run loaded."]
    assert Run.objects.get(pk=run.pk).study_cell == cell
    elsewhere()
    said = loadbench(content)
    assert said[0] == "1 run loaded."
    assert "1 run without what it was made for, which is in no file and not stored" in said[1]


def test_what_is_wrong_is_named_and_nothing_is_loaded(dump, loadbench, golden):
    make_study_run()
    content = dump()
    elsewhere()

    def case(change):
        objects = json.loads(content)
        objects[0]["made_for"][0] |= change
        try:
            loadbench(json.dumps(objects).encode())
        finally:
            assert not StudyRun.objects.exists()

    golden.cases(case, refuses=CommandError, replace={r"/\S+/0\.json": "0.json"})


def test_a_cell_that_was_changed_is_refused(dump, loadbench):
    make_study_run()
    objects = json.loads(dump())
    objects[0]["made_for"][0]["whole"]["cells"][0]["reason"] = "It was too slow."
    with pytest.raises(CommandError, match=r"made_for\[0\].whole: it was damaged or changed"):
        loadbench(json.dumps(objects).encode())


def test_runs_are_chosen_by_study_and_label(dump, capsys):
    make_study_run()
    mine = make_run("uwsgi", label="mine")
    assert len(json.loads(dump())) == 13
    assert len(json.loads(dump(study="shop"))) == 12
    assert [one["id"] for one in json.loads(dump(label="mine"))] == [str(mine.pk)]
    capsys.readouterr()
    call_command("dumpbench", "-", label="mine")
    captured = capsys.readouterr()
    assert len(json.loads(captured.out)) == 1
    assert "1 run in -" in captured.err


def test_a_choice_of_nothing_is_told_what_there_is(golden):
    make_study_run()
    make_run("uwsgi", label="mine")
    golden.values(raises=CommandError)


def test_a_tuning_travels_with_its_trials_and_grows(dump, loadbench):
    row = make_tuning(searched(4), status="interrupted")
    early, without = dump(), row.trials.filter(run=None).count()
    later = searched(6).entries[4:]
    run = make_run("uwsgi")
    for order, one in enumerate(later, start=4):
        row.trials.create(order=order, trial=plain(one.trial), observation=plain(one.seen), run=run)
    before, late = tuning(row), dump()
    elsewhere()
    loadbench(early)
    assert TuningTrial.objects.filter(run=None).count() == without
    assert loadbench(late)[-1] == f"{row} brought up to date."
    assert tuning(Tuning.objects.get()) == before
    assert [one.order for one in Run.objects.get(pk=run.pk).trials.all()] == [4, 5]
    assert dump() == late


def test_trials_whose_runs_are_not_in_the_file_keep_them(dump, loadbench):
    row = make_tuning(searched(4), status="interrupted")
    run = make_run("uwsgi", label="later")
    for order, one in enumerate(searched(6).entries[4:], start=4):
        row.trials.create(order=order, trial=plain(one.trial), observation=plain(one.seen), run=run)
    linked = list(row.trials.values_list("order", "run"))
    content = dump(label="later")
    row.trials.filter(run=run.pk).delete()
    Run.objects.filter(pk=run.pk).delete()
    assert loadbench(content) == ["1 run loaded.", f"{row} brought up to date."]
    assert list(row.trials.values_list("order", "run")) == linked


def tuning(row):
    return to_markdown(tuning_report(Tuning.objects.get(pk=row.pk)).answer)


@pytest.mark.parametrize(
    ("model", "change"), [(StudyRun, {"only": ["x"]}), (StudyCell, {"coordinates": ["x"]})]
)
def test_what_can_not_be_read_stays_behind_and_its_runs_go(dump, loadbench, model, change):
    make_study_run()
    model.objects.update(**change)
    content = dump()
    elsewhere()
    assert loadbench(content)[0] == "12 runs loaded."
    assert not StudyRun.objects.exists()
