"""From the command line's words to specs, and the sentences for nonsense."""

import argparse
import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command, load_command_class

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec, VisitorSpec
from benchsuite.management.options import run as run_options
from benchsuite.management.options.table import add_to
from benchsuite.report.terminal import plan
from benchsuite.runner import planning
from benchsuite.system import cpus
from tests.factories import make_run
from tests.golden import Golden


def specs(*words: str) -> tuple[RunSpec, ...]:
    parser = argparse.ArgumentParser()
    add_to(parser, run_options.EVERY)
    options: dict[str, Any] = vars(parser.parse_args(words))
    return run_options.specs(options)


@pytest.mark.django_db
def test_again_asks_for_the_secrets_that_are_not_stored() -> None:
    visitor = VisitorSpec(
        headers=("Authorization: Bearer t0p", "Accept-Language: de"), cookies=("sid=s3",)
    )
    run_id = make_run("uvicorn", visitor=visitor).pk.hex
    with pytest.raises(
        UsageError, match="give --cookie sid=… and --header 'Authorization: …' again"
    ):
        specs("--again", run_id)
    given = ["--header=authorization: Bearer t0p", "--cookie=sid=s3"]
    with pytest.raises(UsageError, match="--cookie lang=… would change it"):
        specs("--again", run_id, *given, "--cookie=lang=de")
    (run,) = specs("--again", run_id, *given)
    assert run.visitor.header_values == {"authorization": "Bearer t0p", "Accept-Language": "de"}
    assert run.visitor.cookie_values == {"sid": "s3"}


def test_server_and_load_run_apart_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2))
    monkeypatch.setattr(cpus, "siblings", lambda cpu: frozenset({cpu}))
    for words, for_target, for_load in (
        (["--no-pin"], None, None),
        (["--cpus-load=0"], (1, 2), (0,)),
        (["--cpus-target=0,1"], (0, 1), (2,)),
        (["--cpus-target=0", "--cpus-load=0"], (0,), (0,)),
    ):
        (run,) = specs(*words)
        assert (run.server.cpus, run.load.cpus) == (for_target, for_load)


@pytest.mark.django_db
@pytest.mark.parametrize("run_id", ["nonsense", "abcdef", "0" * 32, ""])
def test_again_wants_a_stored_run(run_id: str) -> None:
    if not run_id:
        assert specs("--again", "")  # as if it weren't given
        return
    with pytest.raises(UsageError, match=f"--again {run_id}: no stored run begins with that id"):
        specs("--again", run_id)


@pytest.mark.django_db
def test_several_of_one_command_are_continued_and_others_are_not() -> None:
    batch = uuid4()
    first, second = (make_run(name, batch=batch, repetition=3) for name in ("uwsgi", "uvicorn"))
    again = f"{first.pk.hex[:8]},{second.pk}"
    made = specs("--again", again, "--repeat=2")
    assert run_options.continued(again) == (batch, 3)
    assert {(one.server.server, one.repetition) for one in made} == {
        *(("uwsgi", turn) for turn in (4, 5)),
        *(("uvicorn", turn) for turn in (4, 5)),
    }
    earlier = planning.blocks([made[0], made[1]], 3, 0)
    assert not {one.seed for one in made} & {one.seed for one in earlier}, "starts of their own"
    apart = f"{first.pk},{make_run().pk}"
    assert {one.repetition for one in specs("--again", apart)} == {1}
    assert run_options.continued(apart)[0] not in (batch, run_options.continued(apart)[0])
    assert run_options.continued(str(first.pk))[1] == 0
    with pytest.raises(UsageError, match="has a name that is empty"):
        specs("--again", f"{first.pk},")


@pytest.mark.django_db
def test_again_takes_nothing_that_would_change_the_run() -> None:
    stored = make_run("uvicorn", users=7, label="first")
    (run,) = specs("--again", stored.pk.hex[:8], "--port=8123", "--seed=3")
    assert (run.load.users, run.label) == (7, "first")
    assert specs("--again", stored.pk.hex, "--label=second")[0].label == "second"
    for words, flags in (
        (["--users=50"], "--users"),
        (["--no-keep-alive", "--stages=5:10x2s"], "--no-keep-alive and --stages"),
    ):
        with pytest.raises(UsageError, match=f"as it was, and {flags} would change it"):
            specs("--again", stored.pk.hex, *words)


USE, LAYER_URL = "postgres://ann@host/shop", "redis://host:6379/0"
WITH_SECRETS = ["postgres://ann:s3cr3t@host/shop", "redis://:s3cr3t@host:6379/0"]


@pytest.mark.django_db
def test_again_takes_a_password_from_where_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    database, layer = WITH_SECRETS
    stored = make_run("daphne")
    secret = [f"--database={database}", f"--layer-url={layer}"]
    (spec,) = specs("--server=daphne", "--layer=redis", *secret)
    stored.spec = spec.to_json()
    stored.save()
    assert "s3cr3t" not in repr(stored.spec)
    again = ["--again", stored.pk.hex]
    (bare,) = specs(*again)
    assert (bare.database.use, bare.layer.url) == (USE, LAYER_URL)
    (given,) = specs(*again, *secret)
    assert [given.database.use, given.layer.url] == WITH_SECRETS
    with pytest.raises(UsageError, match=r"--database=postgres://ann@other/shop would change it"):
        specs(*again, "--database=postgres://ann:s3cr3t@other/shop")
    monkeypatch.setenv("DATABASE_URL", database)
    monkeypatch.setenv("REDIS_URL", layer)
    (found,) = specs(*again)
    assert [found.database.use, found.layer.url] == WITH_SECRETS
    assert {bare.key, given.key, found.key} == {spec.key}


@pytest.mark.django_db
def test_again_refuses_a_run_of_which_an_option_is_not_stored() -> None:
    stored = make_run("daphne")
    (spec,) = specs("--server=daphne", "--path=/login/?password=s3cr3t")
    stored.spec = spec.to_json()
    stored.save()
    with pytest.raises(UsageError, match="values that are hidden, and so were not stored"):
        specs("--again", stored.pk.hex)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["runbench", "--rate=abc"], "argument --rate: 'abc' is not a number; write one such as"),
        (["runbench", "--users=2.5"], "argument --users: '2.5' is not a whole number; write"),
        (["runbench", "--warmup=soon"], "argument --warmup: 'soon' is not a time; write seconds"),
        (["runbench", "--cpus-target=first"], "argument --cpus-target: 'first' is no list of CPUs"),
        (["runbench", "--userz=3"], "unrecognized arguments: --userz=3"),
        (["comparebench", "--foo"], "unrecognized arguments: --foo"),
        (["checkbench", "--load-processes=two"], "'two' is not a whole number"),
        (["runbench", "--databse=postgres://a:s3cr3t@b/c"], "--databse=postgres://a@b/c"),
    ],
)
def test_what_cannot_be_read_is_not_buried_under_all_options(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = load_command_class("benchsuite", words[0])
    with pytest.raises(SystemExit) as ended:
        command.run_from_argv(["manage.py", *words])
    assert ended.value.code == 2
    usage, said = capsys.readouterr().err.splitlines()
    assert usage == f"usage: manage.py {words[0]} [options]"
    assert message in said


@pytest.mark.parametrize("name", ["", "no/such/folder/results.json"])
def test_json_that_cannot_be_written_is_told_before_anything_runs(name: str, tmp_path) -> None:
    with pytest.raises(
        CommandError, match=r"is a folder; name a file|create it, or name"
    ) as refused:
        call_command("runbench", "--server=uvicorn", "--json", str(tmp_path / name))
    assert refused.value.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db  # the estimate asks for past runs
def test_a_dry_run_shows_the_plan_and_starts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    call_command(
        "runbench",
        "--dry-run",
        "--server=uvicorn,daphne",
        "--repeat=2",
        "--users=100",
        "--warmup=5",
    )
    shown = capsys.readouterr().out
    assert "Plan     2 servers × 2 repeats, plain, 100 users, 5 s warm-up + 10 s each" in shown
    assert len([line for line in shown.splitlines() if "repetition" in line]) == 4


def test_two_environments_of_one_name_are_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "one.txt").write_text("django\n")
    (tmp_path / "two.txt").write_text("django<6\n")
    with pytest.raises(UsageError, match="--env names new twice"):
        specs(f"--env=new={tmp_path}/one.txt", f"--env=new={tmp_path}/two.txt")


def test_the_plan_says_what_varies_and_only_that() -> None:
    words = ("--server=gunicorn-gthread,waitress", "--threads=2,8", "--users=5,10,20,50")
    plans = [planning.resolve(spec) for spec in specs(*words, "--front=none,nginx")]
    line = plan.line(plans, 60.0)
    assert line.startswith("2 servers × 2 sizes × 2 fronts × 4 loads, plain, 5 users … 50 users, ")
    assert len(set(plan.titles(plans))) == len(plans) == 32
    assert "waitress, 8 threads, 1 instance behind nginx, 20 users" in plan.titles(plans)
    assert (
        "waitress, 8 threads"
        in plan.rows(plans)[plan.titles(plans).index("waitress, 8 threads, no front, 5 users")]
    )
    uneven = [planning.resolve(spec) for spec in specs("--front=none,nginx", "--instances=1,2")]
    assert plan.line(uneven, 60.0).startswith("1 server × 3 fronts, plain, 10 users, ")
    assert plan.titles(plans[:1]) == [plans[0].spec.server.server]


SECRETS = {
    "--setting=SHOP.PASSWORD=hunter2": "a name in a dotted path",
    "--setting=DB_PASS=hunter2": "a name that Django hides, too",
    "--setting=EMAIL_HOST_PASSWORD=hunter2": "one of Django's",
    '--setting=CACHES={"default": {"OPTIONS": {"passwd": "hunter2"}}}': "a name within a value",
    '--setting=SHOP=[{"gate": "hunter2"}]': "text in an unknown setting",
    "--setting=API_TOKEN=2718281": "a number",
    "--setting=SLACK_HOOK=hunter2": "a name that says nothing",
    "--variable=STRIPE=hunter2": "a variable that says nothing",
    "--variable=STRIPE_KEY=2718281": "a number in a variable",
}


@pytest.mark.parametrize("words", SECRETS, ids=SECRETS.values())
def test_a_value_that_may_be_secret_is_neither_stored_nor_shown(words: str) -> None:
    (run,) = specs(words)
    stored = RunSpec.from_json(json.loads(json.dumps(run.to_json())))
    everything = f"{run.to_json()} {run.target.words} {stored.target.words}"
    assert "hunter2" not in everything
    assert "2718281" not in everything
    assert stored.key == run.key
    assert run.key != specs(words.replace("hunter2", "swordfish").replace("8281", "8"))[0].key
    with pytest.raises(UsageError, match="values that are hidden"):
        run_options.with_secrets(stored, {})


def test_diagnostic_starts_come_last_one_for_each_cell_but_for_its_load() -> None:
    words = ("--server=uvicorn,daphne", "--users=5,50", "--repeat=2", "--diagnose")
    made = specs(*words, "--duration=20")
    assert [one.diagnoses for one in made] == [""] * 8 + ["queries"] * 2
    assert {one.server.server for one in made[8:]} == {"uvicorn", "daphne"}
    assert {(one.load.users, one.load.duration_s) for one in made[8:]} == {(1, 5.0)}
    plans = [planning.resolve(spec) for spec in made]
    assert plan.line(plans, 60.0).startswith(
        "2 servers × 2 loads × 2 repeats, plain, 5 users and 50 users, "
    )
    assert "2 diagnostic runs · " in plan.line(plans, 60.0)
    assert plan.titles(plans)[-1].endswith(", diagnostic run")


def test_values(golden: Golden) -> None:
    golden.values(
        raises=CommandError, replace={r"this machine has [\d, -]+": "this machine has <n>"}
    )
