"""The command from its words to its answer, with a simulated machine that makes the runs."""

import io
import json
import re
from collections.abc import Callable
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.core.management import CommandError, call_command, load_command_class
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from benchsuite import store
from benchsuite.conf import page
from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.plain import plain
from benchsuite.core.results import Arrivals, Reading, RunResult, Status, Summary
from benchsuite.management import resuming
from benchsuite.management import session as management_session
from benchsuite.management.commands import tunebench
from benchsuite.management.tuning import execution as executing
from benchsuite.models import Run, Tuning, TuningTrial
from benchsuite.runner import preflight
from benchsuite.runner.planning import Plan
from benchsuite.stats import summary
from benchsuite.store.purposes import read_notebook
from benchsuite.system import cpus, lock
from benchsuite.tuning.notebook import COUNTED
from tests.unit.test_store import result

pytestmark = pytest.mark.django_db

OBJECTIVE = "--objective=p95 < 200ms"
ONE = ("--server=gunicorn-gthread", "--processes=1", "--threads=4", OBJECTIVE)
FEW = ("--servers=gunicorn-gthread,gunicorn-sync", OBJECTIVE)

CPU_S, WAIT_S = 0.010, 0.020
PAGE = {"page": "GET /", "requests": 100, "request_s": 0.030, "queries": 2, "query_s": 0.004}
PAGE |= {"connections": 1, "connecting_s": 0.006, "shapes": []}
CONNECTS = {"pages": [PAGE], "paused_s": 0.0, "longest_pause_s": 0.0, "cpu_s": 1.0}
"""A fifth of each request goes into a connection."""


OWN_CHECK = "benchsuite.runner.preflight.check"


def missing(plan):
    raise UnavailableError(f"{plan.spec.server.server} is missing.")


class Machine:
    """Answers as a server of one CPU does, until it is to do something else."""

    def __init__(self):
        self.made: list[Plan] = []
        self.instead: dict[int, Callable[[Plan], RunResult]] = {}

    def keep_for(self, plans):
        """There are no databases."""

    def run(self, plan, watcher):
        self.made.append(plan)
        return self.instead.get(len(self.made), simulated)(plan)


def capacity(plan):
    slots = plan.server.at_once() or 100
    return min(1 / CPU_S, slots / (CPU_S + WAIT_S))


def simulated(plan):
    load, most = plan.spec.load, capacity(plan)
    window_s = load.duration_s
    if not load.is_open:
        rate = min(most, load.users / (CPU_S + WAIT_S))
        total = figures(rate * window_s, window_s, in_time=1.0)
        return _result(plan, total, ())
    stages = [
        replace(
            figures(rate * window_s, window_s, in_time=1.0 if rate < 0.9 * most else 0.6),
            name=f"{rate:g} /s",
            scope="stage",
            level=rate,
            order=order,
        )
        for order, rate in enumerate(load.stages, start=1)
    ]
    found = _result(plan, replace(stages[0], scope="all", order=0), tuple(stages))
    return replace(found, diagnosis=CONNECTS) if plan.spec.diagnoses else found


def figures(count, window_s, *, in_time):
    requests = max(1, round(count))
    fast = round(in_time * requests)
    found = summary.distribution(np.array([0.03] * fast + [0.9] * (requests - fast)))
    rate = requests / window_s
    planned = Arrivals(offered_rate=rate, achieved_rate=1.0, late=0, dropped=0)
    given = {"name": "all", "scope": "all", "requests": requests, "failures": 0, "goodput": rate}
    times = {"response_time": found, "service_time": found}
    return Summary(**given, **times, throughput=rate, arrivals=planned)


def _result(plan, total, stages):
    used = 100 * CPU_S * total.throughput
    seen = Reading(second=2.0, part="target", cpu_percent=used, memory_bytes=2**27)
    given = {"total": total, "summaries": stages, "findings": (), "readings": (seen,)}
    return result(spec=plan.spec, window=(0.0, 5.0), **given)


def interrupted(plan):
    return result(spec=plan.spec, status=Status.INTERRUPTED, failure="Interrupted.")


@pytest.fixture(autouse=True)
def machine(run_by, monkeypatch):
    found = Machine()
    run_by(found)
    monkeypatch.setattr(resuming, "revision_of", lambda folder: "4f2c1a9b")
    monkeypatch.setattr(resuming, "untracked_code", lambda folder: "03d1c2aa")
    return found


def ended(*words):
    """Status and message of the command."""
    try:
        call_command("tunebench", *words)
    except CommandError as error:
        return error.returncode, str(error)
    return 0, ""


def as_json(*words, status=0):
    with redirect_stdout(io.StringIO()) as out:
        assert ended(*words, "--json=-")[0] == status
    return json.loads(out.getvalue())


def test_the_capacity_of_one_configuration_is_confirmed(machine, capsys):
    assert ended(*ONE)[0] == 0
    servers = {(one.spec.server.processes, one.spec.server.threads) for one in machine.made}
    assert servers == {(1, 4)}
    row = Tuning.objects.get()
    assert (row.status, row.owner, row.revision) == ("finished", "", "4f2c1a9b~03d1c2aa")
    assert row.ended_at is not None
    assert row.trials.count() == len(machine.made) == Run.objects.count()
    assert all(one.run is not None for one in row.trials.all())
    out = capsys.readouterr().out
    assert "▶ probe: gunicorn-gthread 1×4 (1) 33.3\u2009/s" in out
    assert "\u2009% at " in out, "a line says what each level showed"
    assert "gunicorn-gthread, 1 process × 4 threads holds" in out


def test_json_has_the_answer_and_each_trial_with_its_reason():
    told = as_json(*ONE)
    assert 60 <= told["answer"]["rate"] <= 90
    assert told["answer"]["end"] == "confirmed"
    phases = [one["phase"] for one in told["trials"]]
    every = ["probe", "bisect", "confirm", "strain", "diagnose", "vary"]
    assert list(dict.fromkeys(phases)) == every
    assert all(one["reason"] and one["observation"]["took_s"] >= 0 for one in told["trials"])
    assert {one["run"] for one in told["trials"]} == {str(one.pk) for one in Run.objects.all()}
    assert all(one["state"] for one in told["answer"]["rows"])
    assert told["id"] == str(Tuning.objects.get().pk)


def test_one_more_start_of_the_pick_says_what_limits_it_and_never_counts(machine):
    told = as_json(*ONE)
    (start,) = (one for one in machine.made if one.spec.diagnoses)
    assert start.spec.load.stages == (pytest.approx(told["answer"]["rate"], rel=1e-3),)
    limits = [one["code"] for one in told["limits"]]
    assert "L04d connecting" in limits
    named = [one["observation"]["named"] for one in told["trials"] if one["phase"] == "diagnose"]
    assert named == [limits]
    pick = told["answer"]["pick"]
    (row,) = [one for one in told["answer"]["rows"] if one["candidate"] == pick]
    counting = [one for one in told["trials"] if one["phase"] in COUNTED]
    assert row["starts"] == sum(one["candidate"] == pick for one in counting)


def test_one_that_can_not_be_diagnosed_says_why(monkeypatch):
    sound = preflight.check

    def check(plan):
        if plan.spec.diagnoses:
            raise UnavailableError("Its queries can't be timed.")
        sound(plan)

    monkeypatch.setattr(OWN_CHECK, check)
    told = as_json(*ONE)
    assert told["answer"]["not_tried"] == [["a diagnostic run", "Its queries can't be timed"]]
    assert told["answer"]["end"] == "confirmed"


@pytest.fixture
def four_cpus(monkeypatch):
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2, 3))
    monkeypatch.setattr(cpus, "siblings", lambda cpu: frozenset({cpu}))


@pytest.mark.usefixtures("four_cpus")
def test_one_configuration_on_several_numbers_of_cpus(machine, capsys):
    told = as_json(*ONE, "--cpus=4,1,3")
    assert told["answer"]["end"] == "confirmed"
    placed = {(one.spec.server.processes, one.spec.server.cpus) for one in machine.made}
    assert placed == {(1, (0,)), (3, (0, 1, 2)), (4, (0, 1, 2, 3))}
    assert {one.spec.load.cpus for one in machine.made} == {(3,)}
    rows = told["answer"]["rows"]
    assert [one["candidate"]["cpus"] for one in rows] == [1, 3, 4]
    assert all(one["low"] <= one["estimate"] <= one["high"] for one in rows)
    assert told["answer"]["scaling"]["shared"] == [4]
    err = capsys.readouterr().err
    assert "gunicorn-gthread 4×4 on 4 CPUs with p95 < 200ms, for plain" in err
    assert "server on up to 4 of 4 CPUs" in err
    assert told["question"]["budget_s"] == 3 * 480


@pytest.mark.usefixtures("four_cpus")
def test_several_numbers_of_cpus_are_gone_on_with(machine):
    machine.instead[9] = interrupted
    assert ended(*ONE, "--cpus=1,2")[0] == 130
    before = machine.made[8].spec
    told = as_json("--resume")
    assert machine.made[9].spec == before
    assert {one["candidate"]["cpus"] for one in told["trials"]} == {1, 2}


@pytest.mark.usefixtures("four_cpus")
def test_a_server_of_one_process_stays_at_that_on_more_cpus(machine):
    told = as_json("--server=waitress", OBJECTIVE, "--cpus=1,2")
    assert [one["candidate"]["processes"] for one in told["answer"]["rows"]] == [1, 1]


@pytest.mark.usefixtures("four_cpus")
def test_more_cpus_than_are_here_get_a_bound_and_what_is_here_is_measured(machine, capsys):
    told = as_json(*ONE, "--for-cpus=8")
    assert {one.spec.server.cpus for one in machine.made} == {(0, 1, 2)}
    assert "server on 3 of 4 CPUs, and a bound for 8" in capsys.readouterr().err
    (said,) = (one for one in told["answer"]["cautions"] if one.startswith("No rate is said"))
    assert "at most about 800/s (8 CPUs, 10.0\u2009ms of CPU time a request)" in said


@pytest.mark.usefixtures("four_cpus")
def test_a_quota_is_not_taken_for_cpus(machine, monkeypatch):
    monkeypatch.setattr(cpus, "cpu_quota", lambda: 1.5)
    told = as_json(*ONE, "--for-cpus=3")
    assert told["question"]["cpus"] == 2
    assert any("No rate is said for 3 CPUs" in one for one in told["answer"]["cautions"])
    assert ended(*ONE, "--cpus=1,3")[1].startswith("--cpus=1,3 can't be measured: 2 can be used")


def test_an_option_of_the_server_is_measured_with_it(machine):
    words = ("--server=uwsgi", "--processes=1", "--threads=4", "--option=buffer_bytes=65536")
    told = as_json(*words, OBJECTIVE)
    assert told["question"]["only"]["options"] == [["buffer_bytes", 65536]]
    assert all(one.spec.server.options == {"buffer_bytes": 65536} for one in machine.made)


def test_a_search_compares_servers_in_several_sizes(machine):
    told = as_json(*FEW, "--budget=1h")
    assert {one.spec.server.server for one in machine.made} == {"gunicorn-gthread", "gunicorn-sync"}
    assert told["answer"]["pick"]["server"] in ("gunicorn-gthread", "gunicorn-sync")


def test_what_is_stored_is_the_notebook_of_the_search():
    told = as_json(*ONE)
    notebook = read_notebook(Tuning.objects.get())
    assert plain(notebook.question) == told["question"]
    assert [plain(one.seen) for one in notebook.entries] == [
        one["observation"] for one in told["trials"]
    ]
    assert notebook.end == told["answer"]["end"]


def test_ctrl_c_in_any_phase_answers_with_what_is_known_and_is_gone_on_with(machine, capsys):
    whole = as_json(*FEW)
    phases = [one["phase"] for one in whole["trials"]]
    every = ["probe", "screen", "bisect", "confirm", "strain", "diagnose", "vary"]
    assert list(dict.fromkeys(phases)) == every
    machine.made.clear()
    words = (*FEW, "--label=mine")
    for before, place in enumerate(map(phases.index, dict.fromkeys(phases))):
        machine.instead = {before + place + 1: interrupted}
        status, said = ended(*words)
        row = Tuning.objects.get(label="mine")
        assert (status, row.status, row.owner) == (130, "interrupted", ""), phases[place]
        resume = f"--resume={row.id.hex[:8]}"
        assert said == f"Interrupted. Go on with: python manage.py tunebench {resume}"
        assert row.trials.count() == place
        assert capsys.readouterr().out.rstrip().endswith(f"/tune/{row.pk}/"), phases[place]
        assert len(machine.made) == before + place + 1, "nothing else is made again"
        words = (resume,)
    assert _without_times(as_json(*words)) == _without_times(whole)
    made = [one.spec for one in machine.made]
    for before, place in enumerate(map(phases.index, dict.fromkeys(phases))):
        assert made[before + place] == made[before + place + 1], "it is made again"


def _without_times(told):
    made = [[one["candidate"], one["load"], one["seed"]] for one in told["trials"]]
    return [told["answer"]["pick"], told["answer"]["rate"], made]


@pytest.mark.parametrize("late", [False, True])
def test_ctrl_c_before_the_first_trial_or_after_the_last_leaves_nothing_to_go_on_with(
    monkeypatch, *, late
):
    @contextmanager
    def ctrl_c(on_wait):
        if late:
            yield
        raise KeyboardInterrupt

    monkeypatch.setattr(management_session, "alone", ctrl_c)
    assert ended(*ONE) == (130, "Interrupted.")
    assert [one.status for one in Tuning.objects.all()] == ["finished"] * late


def test_a_second_ctrl_c_between_two_runs_answers_too(machine, capsys):
    def ctrl_c(plan):
        raise KeyboardInterrupt

    machine.instead[3] = ctrl_c
    assert ended(*ONE)[0] == 130
    assert Tuning.objects.get().trials.count() == 2
    assert {one.status for one in Run.objects.all()} == {"finished", "interrupted"}


@pytest.fixture
def half_done(machine):
    machine.instead[3] = interrupted
    ended(*ONE)
    return Tuning.objects.get()


def test_without_its_database_it_says_how_it_goes_on(machine, monkeypatch):
    def gone(*about):
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(tunebench, "_tell", gone)
    machine.instead[3] = interrupted
    status, said = ended(*ONE)
    resume = f"--resume={Tuning.objects.get().short_id}"
    assert (status, said) == (130, f"Interrupted. Go on with: python manage.py tunebench {resume}")


def refused(*words):
    status, said = ended("--resume", *words)
    assert status == 2, said
    return said


def test_one_of_another_revision_does_not_go_on(half_done, monkeypatch):
    monkeypatch.setattr(resuming, "untracked_code", lambda folder: "d1c2aa03")
    assert "measured other files of the project, which git does not track" in refused()
    monkeypatch.setattr(resuming, "revision_of", lambda folder: "another")
    assert "measured another revision of the project" in refused()


def test_one_of_other_packages_does_not_go_on(half_done):
    software = half_done.software
    software.data["packages"]["django"] = "1.4"
    software.save()
    assert "had other packages (django 1.4, now " in refused()


def test_one_of_another_machine_does_not_go_on(half_done):
    here = half_done.environment
    here.data["kernel"] = "2.6.32"
    here.save()
    assert "was on another machine, or this one has changed since (kernel 2.6.32 or" in refused()


def test_one_whose_trials_would_be_others_does_not_go_on(half_done):
    first = TuningTrial.objects.get(order=0)
    first.trial["load"]["users"] = 17
    first.save()
    assert "Trial 1 would be another one today" in refused()


def test_one_that_is_under_way_does_not_go_on(half_done):
    Tuning.objects.update(status="running", owner=lock.owner_name())
    assert "is still under way" in refused()


def test_one_that_another_command_continued_first_stays_as_that_left_it(
    half_done, machine, monkeypatch
):
    """Both read it while they waited for the machine."""
    before, (*_, last) = len(machine.made), half_done.trials.all()

    def by_another():
        half_done.trials.create(
            order=last.order + 1, trial=last.trial, observation=last.observation
        )

    monkeypatch.setattr(store, "sweep_executions", by_another)
    status, said = ended("--resume")
    assert status == 1
    assert "was continued by another command meanwhile. Go on with: " in said
    assert len(machine.made) == before
    assert Tuning.objects.get().answer == half_done.answer


def test_one_that_was_killed_goes_on(half_done, machine):
    gone = f"{lock.owner_name().rpartition(':')[0]}:1"
    Tuning.objects.update(status="running", owner=gone)
    assert ended("--resume") == (0, "")
    assert Tuning.objects.get().status == "finished"


def test_one_that_has_its_answer_does_not_go_on():
    assert ended(*ONE)[0] == 0
    assert "There is no tuning to go on with" in refused()
    row = Tuning.objects.get()
    status, said = ended(f"--resume={row.short_id}")
    assert status == 2
    began = f"{row.started_at:%d %b %Y, %H:%M} UTC"
    assert said.startswith(f"The tuning {row.short_id} of {began} has its answer: ")
    assert said.endswith(f"has its answer: leave --resume out, or see {page('tune', row.pk)}")


def test_one_of_another_project_goes_on_there_alone(half_done, settings):
    settings.BENCHSUITE = {**settings.BENCHSUITE, "PROJECT": "/srv/shop"}
    Tuning.objects.update(spec={**half_done.spec, "project": "/srv/blog"})
    assert "There is no tuning to go on with" in refused()
    status, said = ended(f"--resume={half_done.short_id}")
    assert status == 2
    assert "of the project /srv/blog, and this is /srv/shop" in said
    assert "Nothing has been tuned yet" in ended("--paste")[1]
    Tuning.objects.update(spec={**half_done.spec, "project": ""})
    with CaptureQueriesContext(connection) as queries:
        assert executing.unfinished("") == half_done
    assert sum("tuning" in one["sql"] for one in queries) == 1


def test_an_id_that_several_begin_with_is_refused(half_done):
    half_done.pk = UUID(int=half_done.pk.int ^ 1)
    half_done.save(force_insert=True)
    status, said = ended(f"--resume={half_done.short_id}")
    words = f"Several tunings begin with {half_done.short_id}"
    assert (status, said.partition(":")[0]) == (2, words)


@pytest.mark.parametrize("kind", ["gunicorn.conf.py", "command", "systemd"])
def test_a_stored_tuning_is_pasted_without_measuring_anew(kind, machine, capsys):
    told = as_json(*ONE)
    made = len(machine.made)
    capsys.readouterr()
    assert ended(f"--paste={kind}") == (0, "")
    pasted = capsys.readouterr()
    assert pasted.out == told["paste"][kind]
    assert "holds" in pasted.err
    assert "--server=gunicorn-gthread --processes=1 --threads=4" in pasted.out.splitlines()[0]
    assert ended("--paste", f"--of={told['id']}") == (0, "")
    everything = capsys.readouterr().out
    assert all(f"### {name}\n{text}" in everything for name, text in told["paste"].items())
    assert len(machine.made) == made
    assert "; did you mean systemd?" in ended("--paste=systemdd")[1]


def test_the_terminal_says_how_to_start_what_is_confirmed(capsys):
    assert ended(*ONE)[0] == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Paste gunicorn.conf.py first. Start it with: python -m gunicorn" in out
    assert f"tunebench --paste=gunicorn.conf.py --of={Tuning.objects.get().short_id}" in out


def test_what_nothing_holds_has_nothing_to_paste(machine, capsys):
    machine.instead = dict.fromkeys(range(1, 99), slow)
    told = as_json(*ONE, status=3)
    assert told["paste"] == {}
    status, said = ended("--paste")
    assert (status, said) == (2, f"There is nothing to paste. {told['answer']['sentences'][0]}")
    machine.instead = {}
    held = as_json(*ONE)
    machine.instead = dict.fromkeys(range(1, 999), slow)
    as_json(*ONE, status=3)
    capsys.readouterr()
    assert ended("--paste=command") == (0, ""), "the newest answer, not the newest tuning"
    assert capsys.readouterr().out == held["paste"]["command"]


def test_without_an_objective_one_is_proposed_from_one_users_time(capsys):
    told = as_json("--server=gunicorn-gthread", "--processes=1", "--threads=4")
    assert told["question"]["alone_s"] == pytest.approx(0.03, rel=0.01)
    assert [goal["within_s"] for goal in told["question"]["objective"]["goals"]] == [0.2, None]
    said = " ".join(capsys.readouterr().err.split())
    assert 'so "p95 < 200ms, failures < 0.1%" is proposed: one user alone waits 30.0 ms.' in said


@pytest.mark.parametrize(("failure", "why"), [("It died.", ": It died."), ("", " in 3 s.")])
def test_without_an_answer_none_is_proposed(machine, failure, why):
    machine.instead = {1: lambda plan: result(spec=plan.spec, total=None, failure=failure)}
    status, said = ended("--server=gunicorn-gthread")
    assert status == 2
    assert f"one user alone got no right answer{why} Give --objective." in said


def test_what_would_change_a_tuning_is_refused_beside_resume(half_done):
    said = refused("--seed=3", "--servers=uwsgi")
    assert "--servers and --seed would change it" in said


def test_what_goes_on_can_have_its_page_written(half_done, tmp_path):
    page = tmp_path / "page.html"
    assert ended("--resume", f"--html={page}") == (0, "")
    assert "gunicorn-gthread, 1 process × 4 threads holds" in page.read_text()


def test_a_dry_run_starts_nothing_and_says_how_long(machine, capsys):
    with CaptureQueriesContext(connection) as queries:
        assert ended(*FEW, "--dry-run")[0] == 0
    assert not queries.captured_queries, "it needs no tables"
    out = capsys.readouterr().out
    assert "Tuning   the highest rate of 2 servers with p95 < 200ms, for plain, in 15 min" in out
    assert "confirm" in out
    assert re.search(r"diagnose +1 run ", out)
    assert re.search(r"Compared: .*gunicorn-gthread 1×", out)
    assert "Not tried: gunicorn-sync 1 (1 request at a time, " in out
    assert "holds" not in out, "nothing has been measured"
    assert not machine.made
    assert not Tuning.objects.exists()


@pytest.mark.parametrize(
    ("words", "budget"),
    [
        ((), "15 min"),
        (("--thorough",), "45 min"),
        (("--thorough", "--current=gunicorn-sync:3"), "45 min"),
        (("--window=30s",), "45 min"),
        (("--thorough", "--budget=12m"), "12 min"),
        (("--budget=3m",), "3 min"),
    ],
)
def test_windows_that_are_longer_have_a_budget_that_still_bisects(words, budget, capsys):
    many = "--servers=gunicorn-gthread,gunicorn-sync,waitress"
    assert ended(OBJECTIVE, many, *words, "--dry-run")[0] == 0
    out = capsys.readouterr().out
    assert f", for plain, in {budget} · " in out
    assert re.search(r"\n  bisect +\d\d? runs", out), out
    assert re.search(r"\n  confirm +\d\d? runs", out), out


def test_a_server_that_can_not_start_ends_the_search_with_its_reason(machine, capsys):
    def broken(plan):
        how = {"status": Status.FAILED, "failure": "gunicorn ended with status 3"}
        none = {"total": None, "verdict": None, "summaries": (), "findings": ()}
        return result(spec=plan.spec, **how, **none)

    machine.instead = dict.fromkeys(range(1, 99), broken)
    status, said = ended(*ONE)
    assert status == 3
    assert "gunicorn ended with status 3" in said + capsys.readouterr().out
    assert len(machine.made) <= 2


def slow(plan):
    return _result(plan, figures(10, 5.0, in_time=0.0), ())


def test_what_nothing_holds_ends_with_3(machine):
    machine.instead = dict.fromkeys(range(1, 99), slow)
    told = as_json(*ONE, status=3)
    assert told["answer"]["end"] == "nothing holds it"
    assert told["answer"]["rate"] is None


def test_what_is_as_late_at_any_rate_ends_with_3_too(machine):
    def flat(plan):
        if not plan.spec.load.is_open:
            return simulated(plan)
        stages = [
            replace(figures(rate * 5.0, 5.0, in_time=0.945), scope="stage", level=rate, order=order)
            for order, rate in enumerate(plan.spec.load.stages, start=1)
        ]
        return _result(plan, replace(stages[0], scope="all", order=0), tuple(stages))

    machine.instead = dict.fromkeys(range(1, 999), flat)
    told = as_json(*ONE, status=3)
    assert told["answer"]["end"] == "unstable"


def test_the_help_shows_an_objective():
    parser = load_command_class("benchsuite", "tunebench").create_parser("manage.py", "tunebench")
    assert "failures < 0.1%, memory <=" in " ".join(parser.format_help().split())


@pytest.mark.usefixtures("four_cpus")
def test_bad_input_gets_one_sentence(machine, golden):
    def case(*words):
        status, said = ended(*words)
        assert status == 2
        assert "\n" not in said
        return said

    golden.words(case, replace={r"\b(all|are|1 and) \d+": r"\1 <n>"})
    assert not machine.made


def test_where_nothing_can_run_it_says_what_would_help(monkeypatch):
    monkeypatch.setattr(OWN_CHECK, missing)
    status, said = ended(OBJECTIVE, "--servers=uvicorn,uwsgi")
    none = "None of uvicorn and uwsgi can run here. uvicorn is missing."
    assert (status, said) == (2, f"{none} See listbench for what the others need.")
    assert ended(OBJECTIVE, "--servers=uwsgi") == (2, "uwsgi is missing.")


def test_what_can_not_run_is_told_as_not_tried(monkeypatch):
    sound = preflight.check

    def check(plan):
        (missing if plan.spec.server.server == "gunicorn-sync" else sound)(plan)

    monkeypatch.setattr(OWN_CHECK, check)
    assert as_json(*FEW)["answer"]["not_tried"][0] == ["gunicorn-sync", "gunicorn-sync is missing."]


def test_a_current_server_that_can_not_run_is_no_candidate(monkeypatch, tmp_path):
    """It would have to be in the race, whatever happens."""
    status, said = ended(OBJECTIVE, "--current=peer-ws:1")
    assert (status, said.startswith("--current=peer-ws can't be compared: ")) == (2, True)


def test_one_user_alone_is_asked_where_all_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    places, own = [], tunebench.session

    def session(*given: Any, **more: Any) -> Any:
        places.append(more["place"])
        return own(*given, **more)

    monkeypatch.setattr(tunebench, "session", session)
    ended(*ONE[:-1], "--port=8123", "--start-timeout=5m")
    assert [(place.port, place.start_timeout_s) for place in places] == [(8123, 300.0)] * 2


def test_a_place_that_makes_no_sense_is_told_before_one_user_is_asked(machine: Machine) -> None:
    status, said = ended(*ONE[:-1], "--bind=10.0.0.1", "--delay-to-clients=100ms")
    assert (status, said.partition(",")[0]) == (2, "--bind lets other hosts reach the server")
    assert not machine.made


def test_a_tuning_that_ctrl_c_ended_in_its_first_trial_has_no_files_elsewhere(machine):
    machine.instead[1] = interrupted
    assert ended(*ONE)[0] == 130
    tunebench._write_of(Run.objects.all(), {"json": "-", "html": None})
