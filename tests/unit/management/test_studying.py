"""How a study is executed, whatever its runs do; the runs themselves are told here."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import override_settings

from benchsuite import store
from benchsuite.core.commands import PYTHON_VARIABLE
from benchsuite.core.exceptions import DISK_FULL, UnavailableError
from benchsuite.core.results import Level, RunResult, Status, Verdict
from benchsuite.management import resuming, session, studying
from benchsuite.management.commands import runstudy as runstudy_command
from benchsuite.models import Run, Software, StudyCell, StudyRun
from benchsuite.pythons.interpreter import OWN
from benchsuite.report.studies import rows
from benchsuite.report.studies.execution import next_step, study_report
from benchsuite.runner import preflight
from benchsuite.runner.planning import Plan
from benchsuite.studies.claims import LOOKS
from benchsuite.studies.study import RULES, Cell
from benchsuite.system import fingerprint, lock
from tests.study_factories import STUDIES
from tests.unit.test_store import result

pytestmark = pytest.mark.django_db

STUDY = (STUDIES / "tiny.toml").read_text()

BROKEN = "999 threads are more than this machine has memory for."


class Machine:
    """Makes the runs of a command as `ends` says by setup; a run without an end is sound."""

    def __init__(self):
        self.ends: list[Callable[[Plan], RunResult] | BaseException] = []
        self.made: list[Plan] = []
        self.kept: list[int] = []  #: Runs that were still to come.

    def keep_for(self, plans):
        self.kept.append(len(plans))

    def run(self, plan, watcher):
        self.made.append(plan)
        end = self.ends.pop(0) if self.ends else sound
        if isinstance(end, BaseException):
            raise end
        return end(plan)


def sound(plan):
    return result(spec=plan.spec)


def failed(message, code=""):
    how = {"status": Status.FAILED, "failure": message, "failure_code": code}
    return lambda plan: result(spec=plan.spec, total=None, verdict=None, **how)


def interrupted(plan):
    return result(spec=plan.spec, status=Status.INTERRUPTED, failure="Interrupted.")


@pytest.fixture
def machine(run_by):
    found = Machine()
    run_by(found)
    return found


@pytest.fixture
def file(tmp_path, monkeypatch):
    def check(plan):
        if plan.spec.server.threads == 999:
            raise UnavailableError(BROKEN)

    monkeypatch.setattr(studying.preflight, "check", check)
    path = tmp_path / "tiny.toml"
    path.write_text(STUDY)
    with override_settings(BENCHSUITE={**settings.BENCHSUITE, "STUDIES": [str(path)]}):
        yield path


def runstudy(*words, capsys=None):
    call_command("runstudy", "tiny", *words)
    return capsys.readouterr().out if capsys else ""


def break_off(machine, *words, after=(sound,)):
    """Ctrl-C in the next run of an execution."""
    machine.ends = [*after, interrupted]
    with pytest.raises(CommandError):
        runstudy(*words)


def ran():
    """Setup, load, repetition and state of every run, in their order."""
    return [
        (cell.coordinates["setup"], cell.coordinates["load"], run.repetition, run.status)
        for run in Run.objects.select_related("study_cell").order_by("started_at")
        if (cell := run.study_cell)
    ]


def test_every_cell_is_run_in_shuffled_blocks_and_what_others_need_first(machine, file, capsys):
    out = runstudy(capsys=capsys)
    runs = ran()
    assert len(runs) == 8
    assert len(set(runs)) == 8
    assert [repetition for *_, repetition, _ in runs] == [1] * 4 + [2] * 4
    assert [load for _, load, *_ in runs[:4]] == ["users", "users", "half", "half"]
    assert machine.kept == [8, 7, 6, 5, 4, 3, 2, 1], "databases are dropped as none is needed"
    (row,) = StudyRun.objects.all()
    assert (row.status, row.owner, row.repeat, row.scale) == ("finished", "", 2, 1.0)
    assert row.ended_at is not None
    assert row.environment.data["cpu_logical"] > 0
    goodput = Run.objects.order_by("started_at")[0].goodput
    rates = {plan.spec.load.arrival_rate for plan in machine.made} - {None}
    assert rates == {float(f"{goodput / 2:.3g}")}
    assert set(row.resolved) == {"1", "3"}
    assert [bool(one.reason) for one in row.cells.all()] == [False] * 4 + [True] * 2
    assert "6 configurations × 2 runs, 2 skipped" in out
    assert f"Skipped  setup broken, load users: {BROKEN}" in out
    assert "8 runs: 8 weak · 2 configurations skipped" in out


def test_a_cell_that_fails_ends_nothing(machine, file, capsys):
    machine.ends = [sound, failed("It answered 404.")]
    out = runstudy("--only=load=users", capsys=capsys)
    assert [state for *_, state in ran()] == ["finished", "failed", "finished", "finished"]
    assert out.count("Failed   setup ") == 1, "once, however often"
    assert "It answered 404." in out


def test_what_can_not_be_built_is_skipped_with_its_reason(machine, file, monkeypatch):
    def prepared(plans, say):
        if plans[0].spec.server.server == "gunicorn-sync":
            raise UnavailableError("Its environment can't be built.")
        return tuple(plans)

    monkeypatch.setattr(preflight, "prepared", prepared)
    runstudy("--only=load=users")
    assert [setup for setup, *_ in ran()] == ["gthread", "gthread"]
    reasons = {one.coordinates["setup"]: one.reason for one in StudyRun.objects.get().cells.all()}
    assert reasons["sync"] == "Its environment can't be built."
    assert reasons["gthread"] == ""


def test_a_share_of_what_failed_is_skipped(machine, file):
    machine.ends = [failed("It answered 404."), failed("It answered 404.")]
    runstudy("--only=setup=sync", "--repeat=1")
    assert ran() == [("sync", "users", 1, "failed")]
    reason = StudyRun.objects.get().cells.get(order=1).reason
    assert reason.startswith(
        "--rate is a share of the answers of the configuration setup sync, load users"
    )


def test_a_share_of_what_has_no_limit_is_skipped(machine, file):
    def with_users(plan):
        made = sound(plan)
        return replace(made, intervals=tuple(replace(one, users=2) for one in made.intervals))

    file.write_text(STUDY.replace('of = "goodput"', 'of = "users_at_failures", scope = "load"'))
    machine.ends = [with_users]
    runstudy("--only=setup=sync", "--repeat=1")
    assert ran() == [("sync", "users", 1, "finished")]
    reason = StudyRun.objects.get().cells.get(order=1).reason
    assert reason.endswith("of the configuration setup sync, load users, which is not known.")


@pytest.mark.parametrize("repeated", [False, True])
def test_ctrl_c_ends_it_and_it_can_go_on(machine, file, *, repeated):
    machine.ends = [sound, KeyboardInterrupt() if repeated else interrupted]
    with pytest.raises(CommandError, match=r"runstudy tiny --label=one --resume") as ended:
        runstudy("--label=one")
    assert ended.value.returncode == 130
    assert StudyRun.objects.get().status == "interrupted"
    runstudy("--label=one", "--resume")
    assert StudyRun.objects.get().status == "finished"
    finished = [one[:3] for one in ran() if one[3] == "finished"]
    assert len(finished) == len(set(finished)) == 8
    assert len(ran()) == 9


@pytest.mark.parametrize("late", [False, True])
def test_ctrl_c_before_the_first_run_or_after_the_last_leaves_nothing_open(
    machine, file, monkeypatch, *, late
):
    @contextmanager
    def ctrl_c(on_wait):
        if late:
            yield
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "alone", ctrl_c)
    with pytest.raises(CommandError, match=r"^Interrupted\.$") as ended:
        runstudy()
    assert ended.value.returncode == 130
    assert [one.status for one in StudyRun.objects.all()] == ["finished"] * late


def test_what_was_killed_goes_on_where_it_was(machine, file):
    break_off(machine, after=[sound] * 3)
    before = [one.pk for one in Run.objects.filter(status="finished")]
    # SIGKILL: nothing was written any more, by a process that is gone
    dead = ":".join([*lock.owner_name().split(":")[:4], "1", "1"])
    StudyRun.objects.update(status="running", owner=dead)
    Run.objects.filter(status="interrupted").update(status="running", owner=dead)
    known = dict(StudyRun.objects.get().resolved)
    runstudy("--resume")
    finished = [one[:3] for one in ran() if one[3] == "finished"]
    assert len(finished) == len(set(finished)) == 8
    assert Run.objects.filter(pk__in=before, status="finished").count() == 3
    after = StudyRun.objects.get().resolved
    assert {**after, **known} == after, "what was known stays"


def test_what_another_command_continued_first_is_not_made_twice(machine, file, monkeypatch):
    """Both read what remained while they waited for the machine."""
    break_off(machine)

    def by_another():
        run = Run.objects.get(status="finished")
        run.pk, run.repetition = uuid4(), run.repetition + 1
        run.save(force_insert=True)

    monkeypatch.setattr(store, "sweep_executions", by_another)
    with pytest.raises(CommandError, match=r":\d\d UTC was continued by another"):
        runstudy("--resume")
    assert len(machine.made) == 2


def test_without_its_database_it_says_how_it_goes_on(machine, file, monkeypatch):
    def gone(execution):
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(runstudy_command, "_summary", gone)
    machine.ends = [sound, interrupted]
    with pytest.raises(CommandError, match=r"^Interrupted\. Go on with: .* --resume$") as ended:
        runstudy()
    assert ended.value.returncode == 130


def test_failed_ones_are_kept_unless_they_are_asked_for_again(machine, file):
    break_off(machine, "--only=load=users", after=[failed("It answered 404."), sound])
    runstudy("--resume")
    assert sorted(state for *_, state in ran()) == ["failed", *["finished"] * 3, "interrupted"]
    runstudy("--resume", "--again-failed")
    assert len([one for one in ran() if one[3] == "finished"]) == 4
    row = StudyRun.objects.get()
    cells = [one for one in rows.execution(row, rows.study(row)).cells if one.starts]
    assert [len(one.counted) for one in cells] == [2, 2]
    assert not any(start.failed for one in cells for start in one.starts), "what failed is replaced"


def test_a_full_disk_ends_it_and_its_run_is_made_again(machine, file):
    machine.ends = [sound, failed("There is no space left in /tmp; make room.", DISK_FULL)]
    with pytest.raises(CommandError, match=r"There is no space left in /tmp; make room") as ended:
        runstudy()
    assert "--resume" in str(ended.value)
    runstudy("--resume")
    finished = [one[:3] for one in ran() if one[3] == "finished"]
    assert len(finished) == len(set(finished)) == 8


def test_results_that_are_refused_end_it(machine, file, monkeypatch, tmp_path):
    def refuse(run):
        raise OSError("disk full")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(session.store, "write", refuse)
    lost = r"could not be stored \(disk full\).*loadbench"
    with pytest.raises(CommandError, match=lost) as ended:
        runstudy()
    assert "--resume" in str(ended.value)
    assert len(machine.made) == 1, "nothing is measured that can't be stored"
    monkeypatch.undo()


def test_what_makes_no_study(machine, file, golden):
    golden.values(raises=CommandError, replace={r"There are: .*tiny\b.*": "There are: <names>"})
    assert not machine.made
    assert not StudyRun.objects.exists()


def test_a_value_that_no_machine_can_run_is_a_fault_of_the_file(file, golden):
    def case(right, wrong):
        file.write_text(STUDY.replace(right, wrong, 1))
        call_command("runstudy", "tiny", "--dry-run")

    golden.cases(case, refuses=CommandError, replace={r"all \d+\.": "all <n>."})


@pytest.fixture
def half_done(machine, file):
    break_off(machine, "--scale=0.5")
    return StudyRun.objects.get()


def refused(*words):
    with pytest.raises(CommandError) as ended:
        runstudy("--resume", *words)
    return str(ended.value)


def test_one_of_another_file_does_not_go_on(half_done, file):
    file.write_text(STUDY.replace('"1s"', '"2s"'))
    assert f"was of another {file}" in refused()


def test_one_of_another_machine_does_not_go_on(half_done):
    machine = half_done.environment
    machine.data["kernel"] = "2.6.32"
    machine.save()
    assert "was on another machine, or this one has changed since (kernel 2.6.32 or" in refused()


def test_one_of_another_revision_does_not_go_on(half_done, monkeypatch):
    monkeypatch.setattr(resuming, "revision_of", lambda folder: "another")
    monkeypatch.setattr(resuming, "untracked_code", lambda folder: "")
    Run.objects.filter(status="finished").update(revision="0123456789ab")
    assert "measured another revision of the project (01234567, and it is another now)" in refused()


def test_one_of_other_packages_does_not_go_on(half_done):
    has = OWN.packages | {"django": "1.4"}
    software = store.known(Software, {"python": {}, "packages": has})
    Run.objects.filter(status="finished").update(software=software)
    assert "had other packages (django 1.4, now " in refused()


def test_one_that_goes_on_anyway_says_what_had_changed(half_done, monkeypatch):
    monkeypatch.setattr(resuming, "revision_of", lambda folder: "another")
    monkeypatch.setattr(resuming, "untracked_code", lambda folder: "")
    Run.objects.filter(status="finished").update(revision="0123456789ab")
    StudyRun.objects.update(rules=RULES - 1)
    assert "by the rules of another benchsuite: leave --resume out" in refused()
    runstudy("--resume", "--anyway")
    row = StudyRun.objects.get()
    assert row.status == "finished"
    rules, revision = row.mixed
    assert rules.endswith("was judged by the rules of another benchsuite")
    assert "measured another revision of the project (01234567" in revision
    assert set(row.mixed) <= set(study_report(row).answer.cautions)


def test_the_page_of_all_studies_leaves_out_what_older_rules_judged(machine, file, capsys):
    runstudy()
    call_command("runstudy", markdown="-")
    assert "## What was executed" in capsys.readouterr().out
    StudyRun.objects.update(rules=RULES - 1)
    with pytest.raises(CommandError, match=r"Execute it again: .*runstudy tiny"):
        call_command("runstudy", "tiny", "async_vs_sync", markdown="-")


def test_one_that_was_loaded_from_another_machine_does_not_go_on(half_done, tmp_path, monkeypatch):
    call_command("dumpbench", str(tmp_path / "runs.json"), study="tiny")
    half_done.delete()
    call_command("loadbench", str(tmp_path / "runs.json"))
    here = {**fingerprint.fingerprint(), "kernel": "2.6.32"}
    monkeypatch.setattr(fingerprint, "fingerprint", lambda: here)
    assert "was on another machine, or this one has changed since (kernel" in refused()
    monkeypatch.undo()


def test_one_that_is_under_way_does_not_go_on(half_done):
    StudyRun.objects.update(status="running", owner=lock.owner_name())
    assert "is still under way" in refused()


@pytest.mark.parametrize(
    "word", ["--scale=0.25", "--label=other", "--only=load=users", "--repeat=3"]
)
def test_another_one_is_not_gone_on_with(half_done, word):
    assert "There is no execution of tiny" in refused(word)


def test_one_goes_on_as_it_was_asked_for(half_done, machine):
    runstudy("--resume")
    assert {plan.spec.load.duration_s for plan in machine.made} == {0.5}
    assert len([one for one in ran() if one[3] == "finished"]) == 8


def test_the_program_has_the_projects_python_serve_what_has_no_target_of_its_own(
    machine, file, monkeypatch
):
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    break_off(machine)
    runstudy("--resume")
    assert {plan.spec.server.python for plan in machine.made} == {sys.executable}
    assert StudyRun.objects.get().python == sys.executable
    peer = Cell(coordinates={}, options={"server": ("peer-ws",)})
    assert runstudy_command._under(sys.executable, peer) == {}


def test_an_execution_under_another_python_is_not_gone_on_with(half_done, monkeypatch):
    monkeypatch.setenv(PYTHON_VARIABLE, sys.executable)
    assert "There is no execution of tiny" in refused()


def test_a_dry_run_shows_each_run_as_a_command(machine, file, capsys):
    out = runstudy("--dry-run", "--repeat=1", capsys=capsys)
    lines = [line for line in out.splitlines() if "manage.py runbench" in line]
    assert len(lines) == 4
    assert "--server=gunicorn-" in lines[0]
    assert "--users=2" in lines[0]
    assert all("rate=" in line for line in lines[2:]), "what must be known first comes first"
    assert "3 s: python manage.py runbench" in lines[0]
    for line in lines[:2]:
        call_command("runbench", *shlex.split(line.partition("runbench ")[2]), "--dry-run")
    assert not machine.made
    assert not StudyRun.objects.exists()


ASKING = """
[[claim]]
name = "half-is-half"
says = "Half of the load is half of the answers."
[[claim.check]]
figure = "answers"
cell = { setup = "sync", load = "half" }
to = { load = "users" }
ratio = [0.4, 0.6]

[[claim]]
name = "threads-gain"
says = "Threads answer more."
needs = { cpus-target = 999 }
[[claim.check]]
figure = "answers"
cell = { setup = "broken", load = "users" }
to = { setup = "sync" }
ratio = [1.5, inf]

[[answer]]
asks = "Which server?"
choice = "setup"
only = { setup = ["sync", "gthread"], load = "users" }
figure = "answers"
best = "most"
"""


def answering(plan, goodput):
    made = sound(plan)
    return replace(made, total=replace(made.total, goodput=goodput))


def scattering(plan):
    """As many answers a second as users, or as arrive, and one start has twice the other's."""
    return answering(plan, 10 * plan.spec.load.level * (1 + plan.spec.repetition % 2))


@pytest.fixture
def asking(machine, file):
    file.write_text(STUDY.replace(", threads = 999", "") + ASKING)
    machine.ends = [scattering] * 99


def test_each_case_has_all_its_first_starts_before_the_next(machine, asking):
    runstudy("--budget=1h")
    first = [(setup, load, repetition) for setup, load, repetition, _ in ran()]
    claimed = first[:4]
    assert claimed[:2] == [("sync", "users", 1), ("sync", "half", 1)], "half is a share of it"
    assert sorted(claimed) == [("sync", load, n) for load in ("half", "users") for n in (1, 2)]
    question = first.index(("gthread", "users", 1))
    assert first[question + 1][0] == "gthread", "its sync has its starts already"
    assert min(one[2] for one in first[4:question]) > 2, "claims in doubt come before"
    of_broken = [place for place, one in enumerate(first) if one[0] == "broken"]
    assert min(of_broken) > question, "what can't be told here comes last"
    assert min(one[2] for one in first[max(of_broken) + 1 :]) > 2, "but for what is in doubt still"


def near_its_threshold(plan, scatter):
    """Half of the load has 57 % of the answers, and at most 60 % are wanted."""
    each = 1.1 if plan.spec.load.is_open else 100.0  # so many that one answer more means nothing
    goodput = plan.spec.load.level * each * (1 + scatter * (2 * (plan.spec.repetition % 2) - 1))
    return answering(plan, goodput)


def test_a_claim_has_all_its_rounds_before_a_question_has_any(machine, asking):
    machine.ends = [partial(near_its_threshold, scatter=0.035)] * 99
    runstudy("--budget=1h")
    starts = [(setup, repetition) for setup, _, repetition, _ in ran()]
    before = starts[: starts.index(("gthread", 1))]
    assert [repetition for _, repetition in before] == [1, 1, 2, 2, *sorted([*range(3, 8)] * 2)]


def test_the_time_of_an_execution_is_that_of_its_budget(machine, asking, capsys):
    whole = runstudy("--dry-run", capsys=capsys).splitlines()[0]
    cut = runstudy("--dry-run", "--budget=10s", capsys=capsys).splitlines()[0]
    assert cut == whole.replace("· about", "· 10 s of about")


@pytest.mark.parametrize(("word", "starts"), [("--claims", 2), ("--budget=1h", 1 + LOOKS)])
def test_what_looks_hopeless_has_what_is_left_of_a_budget(machine, asking, word, starts):
    machine.ends = [partial(near_its_threshold, scatter=0.05)] * 99
    runstudy(word)
    numbers = [repetition for setup, _, repetition, _ in ran() if setup == "sync"]
    assert sorted(numbers) == sorted([*range(1, starts + 1)] * 2)


def test_a_claim_that_had_to_wait_has_all_its_rounds_too(machine, asking, file, monkeypatch):
    of_threads = ASKING.split("\n\n")[0].replace("half-is-half", "of-threads")
    file.write_text(file.read_text() + of_threads.replace("sync", "gthread"))
    machine.ends = [partial(near_its_threshold, scatter=0.04)] * 99

    def estimates_s(self, turns):
        return [200.0 * ("sync" not in self.candidates[one.place].title) for one in turns]

    with monkeypatch.context() as busy:
        busy.setattr(studying.Execution, "estimates_s", estimates_s)
        runstudy("--budget=150s")
    assert {setup for setup, *_ in ran()} == {"sync"}
    runstudy("--resume", "--budget=1h")
    setups = [setup for setup, *_ in ran()]
    rounds = setups[: setups.index("broken")].count("gthread")
    assert rounds == 2 * (1 + LOOKS)


def test_a_claim_that_does_not_fit_leaves_the_time_to_the_rest(machine, asking, monkeypatch):
    def estimates_s(self, turns):
        return [200.0 * ("sync" in self.candidates[one.place].title) for one in turns]

    monkeypatch.setattr(studying.Execution, "estimates_s", estimates_s)
    runstudy("--budget=150s")
    assert {setup for setup, *_ in ran()} == {"gthread", "broken"}


def test_what_asks_for_a_share_waits_for_what_has_it(machine, file, monkeypatch):
    claim = '[[claim]]\nname = "{0}"\nsays = "?"\n[[claim.check]]\nfigure = "answers"\n'
    claim += 'cell = {{ setup = "sync", load = "{0}" }}\nvalue = [1, inf]\n'
    file.write_text(STUDY + claim.format("users") + claim.format("half"))

    def estimates_s(self, turns):
        return [10.0 if "half" in self.candidates[one.place].title else 100.0 for one in turns]

    monkeypatch.setattr(studying.Execution, "estimates_s", estimates_s)
    runstudy("--budget=150s")
    assert not StudyRun.objects.get().cells.filter(reason__contains="is not known").exists()


def test_what_a_budget_left_out_is_said_without_claims_too(machine, file, capsys):
    out = runstudy("--budget=1s", "--repeat=2", capsys=capsys)
    assert "runstudy tiny --resume --budget=10m" in out


def test_ctrl_c_goes_on_within_the_budget(machine, file):
    machine.ends = [interrupted]
    with pytest.raises(CommandError, match=r"--resume --budget=3600$"):
        runstudy("--budget=1h")


def test_no_password_of_its_file_stands_in_its_cells(machine, file):
    url = 'warmup = "0"\ndatabase = "postgres://ann:s3cr3t@h/d"'
    file.write_text(STUDY.replace('warmup = "0"', url))
    runstudy("--only=load=users", "--repeat=1")
    assert "s3cr3t" not in str([*StudyCell.objects.values(), *StudyRun.objects.values()])
    assert rows.study(StudyRun.objects.get()).every["database"] == "postgres://ann@h/d"


def test_the_number_of_a_cpu_is_no_number_of_cpus():
    assert rows.conditions(["--cpus-target=0"], [{rows.CPUS: 1}]) == {rows.CPUS: 1.0}


@pytest.mark.parametrize("claimed", [False, True])
def test_what_does_not_fit_into_the_time_waits_for_what_does(
    machine, asking, file, monkeypatch, *, claimed
):
    longer = ASKING.split("\n\n")[0].replace("half-is-half", "longer").replace("sync", "gthread")
    file.write_text(file.read_text() + longer * claimed)

    def estimates_s(self, turns):
        titles = [self.candidates[turn.place].title for turn in turns]
        pairs = zip(turns, titles, strict=True)
        return [100.0 * (turn.repetition <= 2 and "sync" not in title) for turn, title in pairs]

    monkeypatch.setattr(studying.Execution, "estimates_s", estimates_s)
    runstudy("--budget=150s")
    setups = [setup for setup, *_ in ran()]
    assert setups[: setups.index("gthread")].count("sync") > 4, "rounds of the claim fit"


@pytest.mark.parametrize("more", [(), ("--repeat=2",)])
def test_of_claims_alone_nothing_is_run_that_could_not_be_told(machine, asking, capsys, more):
    out = runstudy("--claims", *more, capsys=capsys)
    assert {setup for setup, *_ in ran()} == {"sync"}
    assert "cpus-target must be at least 999" in out


@pytest.mark.parametrize(("word", "starts"), [("--claims", 2), ("--budget=1h", 1 + LOOKS)])
def test_no_cell_is_looked_at_more_often_than_its_intervals_allow(
    machine, asking, file, word, starts
):
    """Also where claims and a question are about it, whose answer would need some starts more."""

    def alike(plan):
        better = 1.06 if "gthread" in plan.spec.server.server else 1.0
        goodput = 10 * plan.spec.load.level * better * (1 + 0.1 * (plan.spec.repetition % 2))
        return answering(plan, goodput)

    of_threads = ASKING.split("\n\n")[0].replace("half-is-half", "of-threads")
    file.write_text(file.read_text() + of_threads.replace("sync", "gthread"))
    machine.ends = [alike] * 99
    runstudy(word)
    assert max(Counter((setup, load) for setup, load, *_ in ran()).values()) == starts


def test_where_time_is_given_a_question_has_two_starts_of_each(machine, asking, file):
    file.write_text(file.read_text().replace("repeat = 2\n", ""))
    runstudy("--budget=1h")
    starts = Counter(setup for setup, load, *_ in ran() if load == "users")
    assert starts["gthread"] >= 2


def test_claims_alone_do_not_go_on_with_an_execution_of_all(machine, asking):
    break_off(machine, "--budget=1h", after=[scattering])
    assert "There is no execution of tiny" in refused("--claims")


def test_the_page_goes_on_with_the_execution_that_it_shows(machine, file):
    break_off(machine, "--label=one two")
    how = next_step(StudyRun.objects.get())[1]
    assert how.endswith("runstudy tiny '--label=one two' --resume")


def test_what_the_load_generator_limited_is_the_least_that_the_server_answers(machine, file):
    def limited(plan):
        made = sound(plan)
        findings = tuple(replace(one, level=Level.INVALID) for one in made.findings)
        return replace(made, verdict=Verdict.INVALID, findings=findings)

    machine.ends = [limited] * 4
    runstudy("--only=load=users")
    row = StudyRun.objects.get()
    cells = [one for one in rows.execution(row, rows.study(row)).cells if one.starts]
    assert [one.counted for one in cells] == [[], []]
    assert all(one.is_floor("answers") and len(one.values("answers")) == 2 for one in cells)


@pytest.mark.parametrize("word", ["--claims", "--budget=20m", "--scale=0.5", "--dry-run"])
@pytest.mark.parametrize("flag", ["--html", "--markdown"])
def test_a_page_of_what_was_executed_takes_no_option_of_an_execution(
    machine: Machine, file: Path, tmp_path: Path, word: str, flag: str
) -> None:
    runstudy()
    page = tmp_path / "page"
    with pytest.raises(CommandError, match=f"{flag} writes what was executed.*leave it out"):
        runstudy(word, f"{flag}={page}")
    assert not page.exists()
    place = {"PLACE": {"load-hosts": 2}}
    with override_settings(BENCHSUITE={**settings.BENCHSUITE, **place}):
        runstudy(f"{flag}={page}")
    assert page.exists()


def test_the_hosts_of_one_value_make_no_other_load_when_it_goes_on(machine, file, monkeypatch):
    monkeypatch.setattr(runstudy_command.Place, "check_runs", lambda place, specs: None)
    file.write_text(STUDY.replace("{ users = 2 }", "{ users = 2, load-hosts = 2 }"))
    break_off(machine)
    runstudy("--resume")
    assert {plan.spec.load.hosts for plan in machine.made if plan.spec.load.arrival_rate} == {0}


def test_what_a_run_without_answers_leaves_open_has_no_rounds(machine, asking, capsys):
    def some_without(plan):
        return answering(plan, 0.0 if plan.spec.load.arrival_rate else 20.0)

    machine.ends = [some_without] * 99
    out = runstudy("--claims", capsys=capsys)
    assert {repetition for _, _, repetition, _ in ran()} == {1, 2}
    assert "half-is-half: 20 more runs of each would hardly tell." in out


def test_first_starts_that_do_not_fit_together_are_not_made_twice(machine, file, monkeypatch):
    claim = '[[claim]]\nname = "more"\nsays = "?"\n[[claim.check]]\nfigure = "answers"\n'
    claim += 'cell = { setup = ["gthread", "broken"], load = "users" }\nto = { setup = "sync" }\n'
    file.write_text(STUDY.replace(", threads = 999", "") + claim + "ratio = [1.5, inf]\n")
    break_off(machine, "--claims", after=[scattering] * 3)
    machine.ends = [scattering] * 99

    def estimates_s(self, turns):
        return [100.0 if "broken" in self.candidates[one.place].title else 10.0 for one in turns]

    monkeypatch.setattr(studying.Execution, "estimates_s", estimates_s)
    runstudy("--resume", "--budget=115s")
    made = [one[:3] for one in ran() if one[3] == "finished"]
    assert len(made) == len(set(made))
