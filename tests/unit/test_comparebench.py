"""`comparebench` from stored starts to its table, files and status."""

import json
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from benchsuite.models import Run
from benchsuite.system.fingerprint import fingerprint
from tests.factories import BEGUN, MACHINE
from tests.starts import BATCH, FAST, OTHER_BATCH, SLOW, doubt, starts

pytestmark = pytest.mark.django_db

LATER = BEGUN + timedelta(hours=3)


@pytest.fixture
def two_servers():
    starts("gunicorn-gthread", SLOW)
    starts("granian-wsgi", FAST)


@pytest.fixture
def two_builds():
    starts("gunicorn-gthread", FAST, label="main")
    starts("gunicorn-gthread", SLOW, label="branch", batch=OTHER_BATCH, begun=LATER)


def compared(*arguments: str) -> int:
    """The exit status of the command."""
    try:
        call_command("comparebench", *arguments)
    except CommandError as error:
        return error.returncode
    return 0


def refused(*arguments: str) -> str:
    """What is said to something that can't be compared."""
    with pytest.raises(CommandError) as found:
        call_command("comparebench", *arguments)
    assert found.value.returncode == 2
    return str(found.value)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    compared(*arguments, "--json=-")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.usefixtures("two_servers")
def test_two_servers_by_name(capsys):
    assert compared("gunicorn-gthread", "granian-wsgi") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Take granian-wsgi; it answers 1.30 × gunicorn-gthread [1.27, 1.33].")
    lines = [line.strip() for line in shown.splitlines()]
    table = [line.split() for line in lines if line.startswith(("goodput", "p95"))]
    assert table[0][:3] == ["goodput", "granian-wsgi", "5:5"]
    assert [line[-1] for line in table] == ["better", "better"]


@pytest.mark.usefixtures("two_servers")
def test_the_baseline_can_be_any_of_them(capsys):
    for words in (
        ["granian-wsgi", "gunicorn-gthread"],
        ["--baseline=granian-wsgi"],
        ["--baseline=granian-wsgi", "gunicorn-gthread"],
        [BATCH.hex[:8], "--baseline=granian-wsgi"],
    ):
        (found,) = as_json(capsys, *words, "--metric=p50")["comparisons"]
        assert found["baseline"]["title"] == "granian-wsgi"
        assert found["value"] == pytest.approx(1.302, rel=1e-3)
        assert found["better"] is False


@pytest.mark.usefixtures("two_servers")
def test_without_a_name_it_is_the_newest_batch(capsys):
    starts("uvicorn", SLOW, batch=OTHER_BATCH, begun=LATER)
    starts("daphne", [value / 2 for value in SLOW], batch=OTHER_BATCH, begun=LATER)
    (found,) = as_json(capsys, "--metric=goodput")["comparisons"]
    assert {found["baseline"]["title"], found["candidate"]["title"]} == {"uvicorn", "daphne"}


@pytest.mark.usefixtures("two_servers")
def test_servers_are_taken_from_a_batch_that_holds_both(capsys):
    starts("granian-wsgi", SLOW, batch=OTHER_BATCH, begun=LATER)
    (found,) = as_json(capsys, "gunicorn-gthread", "granian-wsgi", "--metric=goodput")[
        "comparisons"
    ]
    assert found["value"] == pytest.approx(1.302)


@pytest.mark.usefixtures("two_builds")
def test_labels_and_what_to_beware_of(capsys):
    assert compared("main", "branch") == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "Take gunicorn-gthread · main; gunicorn-gthread · branch answers 0.77 × "
    )
    assert "were not measured in turns, but 3 h apart on average" in shown


@pytest.mark.usefixtures("two_builds")
def test_labels_with_several_servers_are_paired_by_server(capsys):
    starts("uvicorn", SLOW, label="main")
    starts("uvicorn", FAST, label="branch", batch=OTHER_BATCH, begun=LATER)
    starts("daphne", FAST, label="branch", batch=OTHER_BATCH, begun=LATER)
    found = as_json(capsys, "branch", "--baseline=main", "--metric=goodput")
    assert [
        (one["candidate"]["title"], one["baseline"]["title"]) for one in found["comparisons"]
    ] == [
        ("gunicorn-gthread · branch", "gunicorn-gthread · main"),
        ("uvicorn · branch", "uvicorn · main"),
    ]
    assert found["comparisons"][0]["p_corrected"] == pytest.approx(4 / 252)
    assert "daphne has no counterpart in main and is excluded." in found["notes"]


@pytest.mark.usefixtures("two_builds")
def test_what_only_the_baseline_has_is_told(capsys):
    starts("uvicorn", SLOW, label="main")
    found = as_json(capsys, "branch", "--baseline=main", "--fail-if=goodput < -50%")
    assert "uvicorn has no counterpart in branch and is excluded." in found["notes"]


@pytest.mark.usefixtures("two_builds")
def test_labels_without_anything_in_common():
    starts("uvicorn", SLOW, label="main")
    starts("daphne", SLOW, label="other", users=7)
    message = refused("main", "other")
    assert message.startswith("main and other have nothing in common: ")
    assert "Measure both alike, or name one run of each" in message


def test_a_label_of_every_build_stands_for_the_last(capsys):
    starts("gunicorn-sync", SLOW, label="main", columns={"server_version": "22.0"})
    starts("gunicorn-sync", FAST, label="main", begun=LATER)
    starts("gunicorn-sync", FAST, label="branch", begun=LATER)
    found = as_json(capsys, "main", "branch", "--metric=goodput")
    assert found["comparisons"][0]["value"] == 1
    assert found["notes"][0].startswith("main: 5 older runs with other software")


def test_single_runs_are_shown_but_prove_nothing(capsys):
    first, second = starts("uvicorn", SLOW[:2])
    assert compared(first.pk.hex[:12], str(second.pk), "--metric=goodput") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Too close to call: uvicorn (2) answers 1.01 × uvicorn (1).")
    assert shown.count("proves nothing") == 1
    assert "4 more runs each, about 1 min 40 s, would tell: python manage.py runbench" in shown


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        (["goodput < -5%"], 1),
        (["goodput < -30%"], 0),
        (["goodput < -23%"], 3),
        (["goodput < -30%", "memory > +1%", "failures > 0%"], 0),
        (["goodput < -30%", "p95 > +30%"], 3),
        (["goodput < -30%", "p95 > +30%", "p50 > +10%"], 1),
    ],
)
@pytest.mark.usefixtures("two_builds")
def test_the_gate_ends_with_its_status(conditions, status):
    flags = [f"--fail-if={condition}" for condition in conditions]
    assert compared("--baseline=main", *flags) == status


@pytest.mark.usefixtures("two_builds")
def test_too_few_starts_are_undecided():
    Run.objects.filter(label="branch", goodput__lt=590).delete()
    assert compared("main", "branch", "--fail-if=goodput < -30%") == 3


@pytest.mark.usefixtures("two_builds")
def test_what_is_excluded_by_the_targets_fault_does_not_pass(capsys):
    (died,) = starts("gunicorn-gthread", [600.0], label="branch", begun=LATER)
    doubt(died, "B203 target-died")
    assert compared("main", "branch", "--fail-if=goodput < -30%") == 3
    shown = capsys.readouterr().out
    assert "is undecided: −23.2 % [" in shown
    assert "], but 1 of 6 runs failed (B203)." in shown
    assert "Note: gunicorn-gthread · branch: 1 of 6 runs failed (B203)." in shown


@pytest.mark.usefixtures("two_builds")
def test_what_is_excluded_by_the_machines_fault_does(capsys):
    (noisy,) = starts("gunicorn-gthread", [300.0], label="branch", begun=LATER)
    doubt(noisy, "B401 noisy-host")
    assert compared("main", "branch", "--fail-if=goodput < -30%") == 0
    assert "branch: 5 of 6 runs; 1 excluded (B401)." in capsys.readouterr().out


@pytest.mark.usefixtures("two_builds")
def test_weak_starts_take_part_and_are_told(capsys):
    run = Run.objects.filter(label="main").first()
    assert run is not None
    doubt(run, "B101 generator-cpu", "weak")
    found = as_json(capsys, "main", "branch")
    assert len(found["comparisons"][0]["baseline"]["runs"]) == 5
    assert any("1 of 5 runs are weak (B101 generator-cpu)" in note for note in found["notes"])


@pytest.mark.usefixtures("two_builds")
def test_where_nothing_can_be_concluded_the_figures_are_shown_with_the_reason(capsys, golden):
    for run in Run.objects.filter(label="main"):
        doubt(run, "B201 failures")
    assert compared("main", "branch") == 0
    golden(capsys.readouterr().out, "baseline failed")
    for run in Run.objects.filter(label="branch"):
        doubt(run, "B401 noisy-host")
    assert compared("main", "branch", "--fail-if=goodput < -30%") == 3
    golden(capsys.readouterr().out, "all in doubt")


@pytest.mark.usefixtures("two_builds")
def test_an_invalid_candidate_is_neither_better_nor_worse(capsys):
    for run in Run.objects.filter(label="branch")[:3]:
        doubt(run, "B201 failures")
    (found,) = as_json(capsys, "main", "branch", "--metric=goodput")["comparisons"]
    assert (found["better"], found["candidate"]["verdict"]) == (None, "invalid")
    assert len(found["candidate"]["runs"]) == 5
    assert found["doubt"] == "gunicorn-gthread · branch is invalid: 3 of 5 runs failed (B201)"
    assert found["sentence"].endswith(f": {found['doubt']}.")


MEMORY = [188_743_680 * (1 + share) for share in (-4e-4, -2e-4, 0, 2e-4, 4e-4, 0)]
"""Of six starts, with the noise that an A/A had; times 1.0015 it was told as worse."""


def test_a_tiny_difference_is_too_small_to_matter_until_told_otherwise(capsys):
    for label, factor in (("a", 1.0), ("b", 1.0015)):
        for row, amount in zip(starts("uwsgi", [600.0] * 6, label=label), MEMORY, strict=True):
            row.memory_bytes = round(amount * factor)
            row.save()
    asked = ("a", "b", "--metric=memory")
    (found,) = as_json(capsys, *asked)["comparisons"]
    assert found["low"] > 1
    assert found["p"] < 0.01
    assert (found["outcome"], found["better"]) == ("too small to matter", None)
    assert found["margin"] == 0.01
    assert found["sentence"].endswith("too small to matter (less than 1 %).")
    compared(*asked)
    assert "below 1 % in memory (--margin)" in capsys.readouterr().out
    for margin in ("--margin=0.1%", "--margin=memory=0.1", "--margin=5%"):
        (found,) = as_json(capsys, *asked, margin)["comparisons"]
        assert found["better"] is (None if "5" in margin else False)
    with override_settings(BENCHSUITE={"MARGINS_PERCENT": {"memory": 0.1}}):
        (found,) = as_json(capsys, *asked)["comparisons"]
    assert found["better"] is False


@pytest.mark.parametrize("margin", ["p95", "100%", "-1%", "rps=2%", "1e3%"])
@pytest.mark.usefixtures("two_servers")
def test_a_margin_that_is_none(margin):
    message = refused(f"--margin={margin}")
    assert "is not a margin; write" in message or "no metric 'rps'" in message


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"users": 50}, "Not the same load: "),
        ({"workload": "cpu"}, "Not the same workload: "),
        ({"rows": 7}, "Not the same data: "),
        ({"machine": {**MACHINE, "cpu_model": "Another"}}, "Not the same environment: cpu_model"),
    ],
)
@pytest.mark.usefixtures("two_servers")
def test_unlike_things_are_refused_unless_forced(spec, reason, capsys):
    starts("uvicorn", FAST, label="unlike", **spec)
    message = refused("gunicorn-gthread", "unlike")
    assert reason in message
    assert "--force" in message
    capsys.readouterr()
    found = as_json(capsys, "gunicorn-gthread", "unlike", "--force")
    assert reason in found["unlike"][0]
    assert compared("gunicorn-gthread", "unlike", "--force") == 0
    assert f"Forced. {reason}" in capsys.readouterr().out


@pytest.mark.usefixtures("two_servers")
def test_what_does_not_matter_is_listed_only(capsys):
    starts("uvicorn", FAST, machine={**MACHINE, "hostname": "runner-2"})
    assert compared("gunicorn-gthread", "uvicorn") == 0
    assert "What differs: hostname runner-2 or bench-1." in capsys.readouterr().out
    (found,) = as_json(capsys, "gunicorn-gthread", "uvicorn")["differences"]
    assert found == {
        "name": "hostname",
        "values": {"uvicorn": "runner-2", "gunicorn-gthread": "bench-1"},
        "matters": False,
    }


@pytest.mark.usefixtures("two_servers")
def test_another_revision_of_the_project_is_no_reason_to_refuse_and_is_told(capsys):
    starts("uvicorn", SLOW, label="before", columns={"revision": "1" * 40})
    starts("uvicorn", FAST, label="after", columns={"revision": "2" * 40 + "+0a1b2c3d"})
    assert compared("before", "after") == 0
    said = capsys.readouterr().out
    assert "What differs: revision of the project" in said
    assert "11111111" in said
    assert "22222222 with changes 0a1b2c3d" in said
    (found,) = as_json(capsys, "before", "after")["differences"]
    assert found["matters"]


PACKAGES = {"django": "5.2.9", "sqlparse": "0.5.3", "whitenoise": "6.9"}


def upgraded(**columns: Any) -> None:
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
    names = [one["name"] for one in as_json(capsys, "main", "branch")["differences"]]
    assert names == ["package sqlparse", "package uvloop", "package whitenoise"]


def test_the_same_packages_are_no_difference(capsys):
    for label, begun in (("main", BEGUN), ("branch", LATER)):
        starts("uvicorn", SLOW, label=label, packages=PACKAGES, begun=begun)
    assert compared("main", "branch") == 0
    assert "What differs" not in capsys.readouterr().out


def test_a_label_stands_for_its_newest_packages(capsys):
    starts("uvicorn", FAST, label="branch", packages=PACKAGES)
    upgraded()
    found = as_json(capsys, "main", "branch", "--metric=goodput")
    assert found["comparisons"][0]["value"] == 1
    assert found["notes"][0].startswith("branch: 5 older runs with other software")


@pytest.mark.parametrize(
    "fact",
    [
        {"env_PYTHONMALLOC": "malloc"},
        {"env_MALLOC_ARENA_MAX": "2"},
        {"python_build_flags": "--enable-optimizations"},
        {"python_jit": True},
        {"python_version": "3.11.8"},
        {"version_gevent": "25.9"},
    ],
)
@pytest.mark.usefixtures("two_servers")
def test_another_python_or_allocator_is_another_environment(fact):
    starts("uvicorn", FAST, label="unlike", machine={**MACHINE, **fact})
    assert f"Not the same environment: {next(iter(fact))} " in refused("gunicorn-gthread", "unlike")


def test_what_ran_beside_the_server_is_compared_too(capsys):
    for label, version in (("main", "15.9"), ("branch", "17.1")):
        beside = [
            {"part": "target", "name": "uvicorn", "argv": [], "version": version},
            {"part": "database", "name": "postgresql", "argv": [], "version": version},
        ]
        starts("uvicorn", SLOW, label=label, columns={"programs": beside})
    assert compared("main", "branch") == 0
    assert "What differs: program postgresql 15.9 or 17.1." in capsys.readouterr().out


def test_a_label_stands_for_the_newest_revision(capsys):
    later = BEGUN + timedelta(hours=1)
    starts("uvicorn", SLOW, label="main", columns={"revision": "1" * 40})
    starts("uvicorn", FAST, label="main", columns={"revision": "2" * 40}, begun=later)
    starts("granian", FAST, label="branch")
    found = as_json(capsys, "main", "branch", "--metric", "goodput")
    assert found["differences"] == [], "of the servers' runs only one revision is known"
    (contrast,) = found["comparisons"]
    assert contrast["value"] == pytest.approx(1.0)


def test_a_real_fingerprint_is_compared_in_at_least_forty_fields():
    assert len(fingerprint()) >= 40


@pytest.mark.usefixtures("two_servers")
def test_unknown_names_list_what_there_is():
    starts("uvicorn", FAST, label="nightly")
    message = refused("gunicorn-gthread", "granain")
    assert "no label, server, run or batch 'granain'" in message
    assert "Labels: nightly. Servers: uvicorn, " in message
    assert f"Batches, newest first: {BATCH.hex[:8]}." in message
    assert "granain" in refused("--baseline=granain")


def test_nothing_measured_yet():
    assert "nothing to compare yet" in refused()
    assert "nothing was measured yet" in refused("main")


@pytest.mark.usefixtures("two_servers")
def test_other_things_that_make_no_sense():
    assert "There is nothing to hold against uvicorn" in refused_alone()
    assert "no metric 'rps'" in refused("--metric=rps")
    assert "is not a condition" in refused("--fail-if=p95")
    assert "add --fail-if" in refused("--junit=x.xml")
    assert "can't be written" in refused(BATCH.hex, "--json=/nowhere/at/all.json")
    assert "several runs or batches" in refused("ba7c00000000", "gunicorn-gthread")


def refused_alone() -> str:
    starts("uvicorn", FAST, batch=OTHER_BATCH, begun=LATER)
    return refused("uvicorn")


@pytest.fixture
def summary(tmp_path, monkeypatch):
    file = tmp_path / "step.md"
    file.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    return file


@pytest.mark.usefixtures("two_builds")
def test_files_for_a_build(tmp_path, summary):
    junit, markdown, plain = (tmp_path / name for name in ("j.xml", "m.md", "c.json"))
    status = compared(
        "main",
        "branch",
        "--fail-if=goodput < -5%",
        "--fail-if=memory > +1%",
        f"--junit={junit}",
        f"--markdown={markdown}",
        f"--json={plain}",
    )
    assert status == 1
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    text = markdown.read_text()
    assert r"gunicorn-gthread · main: goodput \< -5% is broken: −23.2 %" in text
    assert "| goodput | gunicorn-gthread · branch | 5:5 |" in text
    assert summary.read_text() == f"before\n{text}"
    decisions = [one["decision"] for one in json.loads(plain.read_text())["conditions"]]
    assert decisions == ["broken", "held"]


@pytest.mark.usefixtures("two_builds")
def test_the_step_summary_is_left_alone_without_markdown(summary):
    assert compared("main", "branch") == 0
    assert summary.read_text() == "before\n"


@pytest.mark.usefixtures("two_servers")
def test_the_number_of_queries_does_not_grow(django_assert_max_num_queries):
    starts("uvicorn", SLOW * 6)
    starts("daphne", SLOW * 6)
    with django_assert_max_num_queries(20):
        assert compared(BATCH.hex[:8]) == 0
