"""`comparebench` from stored starts to its table, files and status."""

import contextlib
import io
import json
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.core.management import BaseCommand, CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from benchsuite.comparing import pairing
from benchsuite.models import Run, begin_of_id
from benchsuite.report import queries
from tests.factories import BEGUN
from tests.starts import BATCH, FAST, OTHER_BATCH, SLOW, doubt, starts

pytestmark = pytest.mark.django_db

LATER = BEGUN + timedelta(hours=3)


def two_servers():
    emptied()
    starts("gunicorn-gthread", SLOW)
    starts("granian-wsgi", FAST)


def two_builds():
    emptied()
    starts("gunicorn-gthread", FAST, label="main")
    starts("gunicorn-gthread", SLOW, label="branch", batch=OTHER_BATCH, begun=LATER)


def emptied():
    Run.objects.all().delete()


def compared(*arguments):
    """The exit status of the command."""
    try:
        call_command("comparebench", *arguments)
    except CommandError as error:
        return error.returncode
    return 0


def answer(*arguments):
    """The exit status of the command, and what it prints, without empty lines."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        status = compared(*arguments)
    return "\n".join([f"status {status}", *filter(str.strip, out.getvalue().splitlines())])


def as_json(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        compared(*arguments, "--json=-")
    return json.loads(out.getvalue())


def ratios(*arguments):
    """What is compared with what, how many runs of both, the ratio and whether it is better."""
    return [
        (
            *(one[side]["title"] for side in ("candidate", "baseline")),
            *(len(one[side]["runs"]) for side in ("candidate", "baseline")),
            one["value"],
            one["better"],
        )
        for one in as_json(*arguments)["comparisons"]
    ]


def unlike(**changes):
    two_servers()
    starts("uvicorn", FAST, label="unlike", **changes)


def doubt_first(count, label, code, level="invalid"):
    two_builds()
    for run in Run.objects.filter(label=label)[:count]:
        doubt(run, code, level)


def test_answers(golden):
    replace = {r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "<id>"}
    golden.values(raises=CommandError, replace={**replace, r"\b[0-9a-f]{8}\b": "<id>"})


def test_where_nothing_can_be_concluded_the_figures_are_shown_with_the_reason(capsys, golden):
    two_builds()
    for run in Run.objects.filter(label="main"):
        doubt(run, "B201 failures")
    assert compared("main", "branch") == 0
    golden(capsys.readouterr().out, "baseline failed")
    for run in Run.objects.filter(label="branch"):
        doubt(run, "B401 noisy-host")
    assert compared("main", "branch", "--fail-if=goodput < -30%") == 3
    golden(capsys.readouterr().out, "all in doubt")


def test_all_rows_are_shown_where_that_is_asked_for(capsys):
    emptied()
    names = [f"build {number}" for number in range(10)]
    for name in names:
        starts("gunicorn-gthread", FAST, label=name)
    assert compared(*names, "--metric=goodput") == 0
    assert ": -v2 shows all." in capsys.readouterr().out
    assert compared(*names, "--metric=goodput", "-v2") == 0
    shown = capsys.readouterr().out
    assert "shows all" not in shown
    assert all(name in shown for name in names)


MEMORY = [188_743_680 * (1 + share) for share in (-4e-4, -2e-4, 0, 2e-4, 4e-4, 0)]
"""Of six starts, with the noise that an A/A had; times 1.0015 it was told as worse."""


def test_a_tiny_difference_is_too_small_to_matter_until_told_otherwise(capsys):
    for label, factor in (("a", 1.0), ("b", 1.0015)):
        for row, amount in zip(starts("uwsgi", [600.0] * 6, label=label), MEMORY, strict=True):
            row.memory_bytes = round(amount * factor)
            row.save()
    asked = ("a", "b", "--metric=memory")
    (found,) = as_json(*asked)["comparisons"]
    assert found["low"] > 1
    assert found["p"] < 0.01
    assert (found["outcome"], found["better"]) == ("too small to matter", None)
    assert found["margin"] == 0.01
    assert found["sentence"].endswith("too small to matter (less than 1 %).")
    compared(*asked)
    assert "below 1 % in memory (--margin)" in capsys.readouterr().out
    for margin in ("--margin=0.1%", "--margin=memory=0.1", "--margin=5%"):
        (found,) = as_json(*asked, margin)["comparisons"]
        assert found["better"] is (None if "5" in margin else False)
    with override_settings(BENCHSUITE={"MARGINS_PERCENT": {"memory": 0.1}}):
        (found,) = as_json(*asked)["comparisons"]
    assert found["better"] is False


PACKAGES = {"django": "5.2.9", "sqlparse": "0.5.3", "whitenoise": "6.9"}


def upgraded(**columns):
    """Two builds, of which the later has other packages."""
    later = {"django": "5.2.9", "sqlparse": "0.5.4", "uvloop": "0.22"}
    starts("uvicorn", SLOW, label="main", packages=PACKAGES)
    starts("uvicorn", SLOW, label="branch", packages=later, columns=columns, begun=LATER)


def test_every_distribution_that_differs_is_said_before_any_figure(tmp_path, capsys):
    upgraded()
    files = [tmp_path / "j.xml", tmp_path / "m.md"]
    given = ["main", "branch", "--fail-if=goodput < -30%"]
    assert compared(*given, f"--junit={files[0]}", f"--markdown={files[1]}") == 0
    said = (
        "What differs: package sqlparse 0.5.3 or 0.5.4; package uvloop not installed or 0.22; "
        "package whitenoise 6.9 or not installed."
    )
    shown = capsys.readouterr().out
    assert shown.startswith(said)
    assert said in files[0].read_text()
    assert f"> {said}" in files[1].read_text()
    names = [one["name"] for one in as_json("main", "branch")["differences"]]
    assert names == ["package sqlparse", "package uvloop", "package whitenoise"]


def test_diagnostic_runs_never_take_part():
    seen = {"pages": [], "paused_s": 0.0, "longest_pause_s": 0.0, "cpu_s": 0.0}
    given = {"users": 1, "diagnoses": "queries", "columns": {"diagnosis": seen}}
    two_servers()
    for server in ("gunicorn-gthread", "granian-wsgi"):
        starts(server, [50.0], begun=LATER, **given)
    for words in (("gunicorn-gthread", "granian-wsgi"), (BATCH.hex[:8],), ()):
        found = ratios(*words, "--metric=goodput")
        assert found == [("granian-wsgi", "gunicorn-gthread", 5, 5, pytest.approx(1.302), True)]
    two_builds()
    starts("gunicorn-gthread", [50.0], label="main", begun=LATER + timedelta(hours=1), **given)
    for words in (("main", "branch"), ("--baseline=main",)):
        ((candidate, base, *_),) = ratios(*words, "--metric=goodput")
        assert (candidate, base) == ("gunicorn-gthread · branch", "gunicorn-gthread · main")


def test_ids_are_found_whatever_the_order_that_a_database_gives_them():
    """MariaDB has a type for ids, whose text has dashes, and orders them by their end."""
    two_servers()
    run = Run.objects.filter(server="gunicorn-gthread")[0]
    for begin in (run.pk.hex[:9], str(run.pk)[:14], run.pk.hex.upper()):
        with CaptureQueriesContext(connection) as asked:
            ((base, _),), _ = pairing.pairs([begin, "granian-wsgi"], None)
        assert base.runs == (run,)
        assert not [one["sql"] for one in asked if "BETWEEN" in one["sql"]]
    whole = str(run.pk)
    assert [begin_of_id(whole[:8]), begin_of_id(run.pk.hex)] == [whole[:8], whole]
    assert begin_of_id(whole[:5]) == begin_of_id("main") == ""


def test_a_project_that_fails_its_checks_breaks_no_condition(monkeypatch):
    def refused(*arguments, **options):
        raise SystemCheckError("There is no SITE_ID.")

    monkeypatch.setattr(BaseCommand, "check", refused)
    two_builds()
    with pytest.raises(CommandError, match="SITE_ID") as raised:
        call_command("comparebench", "main", "branch", skip_checks=False)
    assert raised.value.returncode == 2


def test_files_for_a_build(tmp_path):
    two_builds()
    junit, markdown, plain = (tmp_path / name for name in ("j.xml", "m.md", "c.json"))
    given = ("main", "branch", "--fail-if=goodput < -5%", "--fail-if=memory > +1%")
    files = (f"--junit={junit}", f"--markdown={markdown}", f"--json={plain}")
    assert compared(*given, *files) == 1
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    text = markdown.read_text()
    assert r"gunicorn-gthread · main: goodput \< -5% is broken: −23.2 %" in text
    assert "| goodput | gunicorn-gthread · branch | 5:5 |" in text
    decisions = [one["decision"] for one in json.loads(plain.read_text())["conditions"]]
    assert decisions == ["broken", "held"]


@pytest.mark.parametrize("flag", ["--markdown", "--junit"])
def test_a_file_on_standard_output_stands_there_alone(tmp_path, capsys, flag):
    two_builds()
    asked = ("main", "branch", "--fail-if=goodput < -5%")
    compared(*asked, f"{flag}={tmp_path / 'file'}")
    shown = capsys.readouterr().out
    compared(*asked, f"{flag}=-")
    printed = capsys.readouterr()
    assert printed.out == (tmp_path / "file").read_text()
    assert printed.err == shown


def test_too_many_runs_for_a_page_are_refused_before_anything_is_shown(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(queries, "MOST_COMPARED", 9)
    two_servers()
    page, junit = tmp_path / "c.html", tmp_path / "j.xml"
    given = (f"--html={page}", f"--junit={junit}", "--fail-if=goodput < -5%")
    with pytest.raises(CommandError, match="10 runs are too many for one page"):
        call_command("comparebench", BATCH.hex[:8], *given)
    assert capsys.readouterr().out == ""
    assert not page.exists()
    assert not junit.exists()


def test_the_number_of_queries_does_not_grow(django_assert_max_num_queries):
    two_servers()
    starts("uvicorn", SLOW * 6)
    starts("daphne", SLOW * 6)
    with django_assert_max_num_queries(20):
        assert compared(BATCH.hex[:8]) == 0


def test_two_servers_under_two_loads_are_compared_load_by_load():
    emptied()
    for users in (20, 50):
        starts("gunicorn-gthread", SLOW, users=users)
        starts("granian-wsgi", FAST, users=users)
    pairs = ratios("gunicorn-gthread", "granian-wsgi", "--metric=goodput")
    assert sorted(titles for *titles, _, _, _, _ in pairs) == [
        [f"granian-wsgi · {users} users", f"gunicorn-gthread · {users} users"] for users in (20, 50)
    ]
