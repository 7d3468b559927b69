"""`runbench` with a stub for the measuring and real faults of the database that takes results."""

import io
import json
import signal
import sqlite3
import tempfile
from contextlib import closing
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings
from rich.console import Console

from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.core.specs import RunSpec, ServerSpec, WorkloadSpec
from benchsuite.management import session
from benchsuite.management.options import run as run_options
from benchsuite.models import Interval, Measurement, Run
from benchsuite.pythons import building
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.report.terminal.progress import Progress
from benchsuite.runner import environments, preflight
from benchsuite.runner.planning import Estimate, resolve
from benchsuite.system.journal import Journal
from tests.unit.results_file import results_in
from tests.unit.test_store import SPEC, result

WAITRESS = "benchsuite.servers.launched.Waitress"


class AtWork:
    """A session whose runs end as told: with a result, by raising, or after something was done."""

    def __init__(self, folder, *ends):
        self.folder = folder
        self.ends = list(ends)

    def keep_for(self, later):
        """There are no databases."""

    def run(self, plan, watcher):
        watcher.stage("starting")
        end = self.ends.pop(0)
        if isinstance(end, BaseException):
            raise end
        if callable(end):
            end(self.folder / "results.sqlite3")
            return result(spec=plan.spec, log_tail="a line of the log\n" * 10_000)
        return end


@pytest.fixture
def folder(tmp_path, tmp_path_factory, django_db_blocker, django_db_setup, monkeypatch):
    """The current directory, with the results in a file of it."""
    template = tmp_path_factory.getbasetemp() / "migrated.sqlite3"
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(session, "PAUSE_S", 0.0)
    with django_db_blocker.unblock(), results_in(here / "results.sqlite3", template):
        yield here
        let_go()


@pytest.fixture
def runbench(folder, run_by, monkeypatch):
    """A function that makes runs which end as told."""

    def made(*ends, options=()):
        specs = [RunSpec(server=ServerSpec(server=f"server-{n}")) for n in range(len(ends))]
        run_by(AtWork(folder, *ends))
        monkeypatch.setattr(run_options, "specs", lambda options: specs)
        servers = dict.fromkeys([spec.server.server for spec in specs], WAITRESS)
        with override_settings(BENCHSUITE={**settings.BENCHSUITE, "SERVERS": servers}):
            call_command("runbench", *options)

    return made


def nothing(file):
    """The run simply ends."""


HELD = []


def locked(file):
    """Another program takes the database for itself, and keeps it."""
    HELD.append(sqlite3.connect(file, isolation_level=None))
    HELD[-1].execute("BEGIN EXCLUSIVE")


def let_go(*_):
    while HELD:
        HELD.pop().close()


def full(file):
    pages = connection.cursor().execute("PRAGMA page_count").fetchone()[0]
    monkey = connection.get_new_connection

    def small(params):
        made = monkey(params)
        made.execute(f"PRAGMA max_page_count = {pages}")
        return made

    connection.get_new_connection = small


def gone(file):
    file.unlink()


def a_folder_instead(file):
    file.unlink()
    file.mkdir()


def no_database(file):
    file.write_bytes(b"This is no database at all. " * 400)


def without_tables(file):
    other = sqlite3.connect(file)
    other.execute("DROP TABLE benchsuite_interval")
    other.commit()
    other.close()


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (KeyboardInterrupt(), "it was interrupted."),
        (RuntimeError("no memory left"), "no memory left"),
        (SystemExit(3), "3"),
    ],
)
def test_whatever_ends_the_command_leaves_no_row_running(runbench, end, said):
    """The process lives on, as in a notebook: nothing else would say that the run is over."""
    with pytest.raises((type(end), CommandError)):
        runbench(end)
    run = Run.objects.get()
    assert (run.status, run.owner) == ("interrupted", "")
    assert run.failure == f"The command ended before its run had: {said}"


def test_a_row_says_from_its_start_what_its_figures_will_be_of(folder):
    """Where the command is killed nothing else does: its connections would be called users."""
    work = WorkloadSpec(workload="ws_echo")
    plan = resolve(RunSpec(server=ServerSpec(server="uvicorn"), workload=work))
    with session.Results(lambda line: None).run(plan):
        assert Run.objects.get().unit == "message"


FAULTS = [full, gone, a_folder_instead, no_database, without_tables]


@pytest.mark.parametrize("fault", [locked, *FAULTS], ids=lambda fault: fault.__name__)
def test_what_the_database_refuses_is_printed_and_kept_in_a_file(runbench, folder, capsys, fault):
    """At the second of four; the others are made all the same."""
    with pytest.raises(CommandError) as raised:
        runbench(nothing, fault, nothing, nothing)
    said, out = str(raised.value), capsys.readouterr().out
    assert raised.value.returncode == 1
    (file,) = folder.glob("benchsuite-*.json")
    assert "3 of 4 runs could not be stored (" in said
    assert said.endswith(f"python manage.py loadbench {file}")
    table = out[out.index("goodput") :]
    assert [f"server-{number}" in table for number in range(4)] == [True] * 4
    assert table.count("100") >= 4, "the figures themselves"
    kept = json.loads(file.read_text())
    assert [one["server"] for one in kept] == ["server-1", "server-2", "server-3"]
    assert not list(folder.glob("*.part"))


def test_a_lock_that_is_let_go_is_waited_for(runbench, folder, monkeypatch):
    monkeypatch.setattr(session, "time", SimpleNamespace(sleep=let_go))
    runbench(locked)
    assert Run.objects.get().goodput == 100.0
    assert not list(folder.glob("benchsuite-*"))


@pytest.mark.parametrize("ended", [True, False])
def test_a_kept_run_is_loaded_in_place_of_its_empty_row(runbench, folder, capsys, ended):
    with pytest.raises(CommandError):
        runbench(locked)
    let_go()
    (file,) = folder.glob("benchsuite-*.json")
    if ended:
        Run.objects.update(owner="")
    capsys.readouterr()
    call_command("loadbench", str(file))
    assert capsys.readouterr().out == f"{file}: 1 run loaded.\n"
    run = Run.objects.get()
    assert (run.status, run.goodput, run.verdict) == ("finished", 100.0, "weak")
    assert run.intervals.count() == 6
    call_command("loadbench", str(file))
    assert f"1 run skipped, already stored: {run.pk.hex[:8]}." in capsys.readouterr().out
    assert (Measurement.objects.count(), Interval.objects.count()) == (2, 6)


def test_what_an_earlier_command_of_the_batch_kept_stays(runbench, folder, monkeypatch):
    """As where `--again` adds to a batch of which runs wait to be loaded."""
    batch = uuid4()
    monkeypatch.setattr(run_options, "continued", lambda again: (batch, 0))
    for _ in range(2):
        with pytest.raises(CommandError, match="could not be stored"):
            runbench(locked)
        let_go()
    files = [json.loads(file.read_text()) for file in folder.glob("benchsuite-*.json")]
    kept = {run["id"] for runs in files for run in runs}
    assert kept == {str(pk) for pk in Run.objects.values_list("pk", flat=True)}
    assert len(kept) == 2


@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.__name__)
def test_nothing_is_measured_for_a_database_that_takes_nothing(runbench, folder, fault):
    connection.close()
    if fault is full:
        full(folder)
        connection.close()
    else:
        fault(folder / "results.sqlite3")
    if fault is without_tables:
        with sqlite3.connect(folder / "results.sqlite3") as other:
            other.execute("DROP TABLE benchsuite_run")
        other.close()
    with pytest.raises(CommandError, match=r"^The database .+/results\.sqlite3 ") as it:
        runbench(AssertionError("nothing may be measured"))
    assert it.value.returncode == 1


def test_where_no_file_can_be_in_the_folder_it_goes_elsewhere(
    runbench, folder, tmp_path, monkeypatch
):
    temporary = tmp_path / "with blanks"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def end(file):
        file.unlink()
        folder.rmdir()

    with pytest.raises(CommandError) as raised:
        runbench(end)
    (file,) = temporary.glob("benchsuite-*.json")
    assert str(file) in str(raised.value)


def test_where_all_no_longer_fit_into_the_folder_they_go_elsewhere(
    runbench, folder, tmp_path, monkeypatch
):
    write, temporary = session.output.write_whole, tmp_path / "elsewhere"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))

    def of_one(path, pieces):
        if path.parent == folder and list(folder.glob("benchsuite-*")):
            raise OSError(28, "No space left on device")
        write(path, pieces)

    monkeypatch.setattr("benchsuite.management.output.write_whole", of_one)
    with pytest.raises(CommandError) as raised:
        runbench(locked, nothing)
    (file,) = temporary.glob("benchsuite-*.json")
    assert str(file) in str(raised.value)
    assert len(json.loads(file.read_text())) == 2


def test_ctrl_c_while_a_run_is_stored_takes_nothing_from_it(runbench, tmp_path, monkeypatch):
    write, file = session.store.write, tmp_path / "runs.json"

    def struck(run):
        write(run)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(session.store, "write", struck)
    with pytest.raises(CommandError) as raised:
        runbench(nothing, options=(f"--json={file}",))
    assert raised.value.returncode == 130
    (run,) = json.loads(file.read_text())
    assert run["status"] == Run.objects.get().status == "finished"


def test_where_nothing_can_be_written_the_figures_are_printed(runbench, capsys, monkeypatch):
    def refuse(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("benchsuite.management.output.write_whole", refuse)
    with pytest.raises(CommandError, match="the figures above are all there is"):
        runbench(gone)
    assert "100" in capsys.readouterr().out.split("goodput", 1)[1]


def test_ctrl_c_after_a_refusal_says_where_the_runs_are(runbench, folder):
    with pytest.raises(CommandError) as raised:
        runbench(gone, KeyboardInterrupt())
    assert raised.value.returncode == 130
    (file,) = folder.glob("benchsuite-*.json")
    assert str(file) in str(raised.value)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), BenchsuiteError("the tenth port is taken")])
def test_json_is_written_also_when_a_batch_ends_early(runbench, tmp_path, end):
    file = tmp_path / "runs.json"
    with pytest.raises(CommandError):
        runbench(result(spec=SPEC), end, options=(f"--json={file}",))
    first, second = json.loads(file.read_text())
    assert first["status"] == "finished"
    assert second["status"] == "interrupted"
    assert "The command ended before its run had" in second["failure"]


def test_what_one_database_does_not_take_is_written_so_that_all_do(runbench):
    """PostgreSQL takes no NUL, and none of them half a character; a name may be too long."""
    made = result(spec=SPEC, log_tail="a\0b \udcff", server_version="v" * 300)
    runbench(made)
    run = Run.objects.get()
    assert run.log_tail == "a\\x00b \\udcff"
    assert len(run.server_version) == 100


def test_a_run_whose_environment_is_unbuilt_gets_it_first(folder, tmp_path, monkeypatch):
    """Who makes runs one at a time needs to know nothing of environments."""
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    (tmp_path / "new.txt").write_text("django==5.2.1\n")
    environment = environments.environment(f"new={tmp_path / 'new.txt'}")
    told = []
    there = Interpreter("/new/bin/python", "new")

    def build(recipe, root, say):
        say(f"{recipe.name}: making it")
        return there

    monkeypatch.setattr(building, "build", build)
    monkeypatch.setattr(building, "build_of", str)
    monkeypatch.setattr(
        preflight, "check_installed", lambda plan: told.append(f"looked at {plan.python.name}")
    )
    unbuilt = resolve(RunSpec(server=ServerSpec(server="waitress", environment=environment)))
    assert unbuilt.python is None

    def measured(file):
        told.append("measured")

    watcher = Progress(Console(file=io.StringIO()), ["waitress"], lambda done: [1.0])
    with closing(Journal(uuid4())) as opened:
        results, shown = session.Results(lambda line: None), SimpleNamespace(building=told.append)
        about = (results, watcher, shown, opened, Estimate())
        made = session.Session(AtWork(folder, measured), *about)
        row, found = made.make(unbuilt)
    assert told == ["new: making it", "looked at new", "measured"]
    assert found.spec == unbuilt.spec
    assert Run.objects.get() == row
