"""From the command line's words to specs, and the sentences for nonsense."""

import json
import resource

import pytest
from django.core.management import CommandError, call_command

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.management.options import run as run_options
from benchsuite.management.options.run import of_words as specs
from benchsuite.report.terminal import plan
from benchsuite.runner import planning, preflight
from benchsuite.servers.base import Available
from benchsuite.system import cpus
from tests.factories import make_run


def test_server_and_load_run_apart_unless_told_otherwise(golden, monkeypatch):
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2))
    monkeypatch.setattr(cpus, "siblings", lambda cpu: frozenset({cpu}))
    golden.words(lambda *words: [(run.server.cpus, run.load.cpus) for run in specs(*words)])


USE, LAYER_URL = "postgres://ann@host/shop", "redis://host:6379/0"
WITH_SECRETS = ["postgres://ann:s3cr3t@host/shop", "redis://:s3cr3t@host:6379/0"]


@pytest.mark.django_db
def test_again_takes_a_password_from_where_it_is_given(monkeypatch):
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


@pytest.mark.parametrize("name", ["", "no/such/folder/results.json"])
def test_json_that_cannot_be_written_is_told_before_anything_runs(name, tmp_path):
    refusal = r"is a folder; name a file|in a folder that is there"
    with pytest.raises(CommandError, match=refusal) as refused:
        call_command("runbench", "--server=uvicorn", "--json", str(tmp_path / name))
    assert refused.value.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db  # the estimate asks for past runs
def test_a_dry_run_shows_the_plan_and_starts_nothing(capsys):
    words = ("--server=uvicorn,daphne", "--repeat=2", "--users=100", "--warmup=5")
    call_command("runbench", "--dry-run", *words)
    shown = capsys.readouterr().out
    assert "Plan     2 servers × 2 repeats, plain, 100 users, 5 s warm-up + 10 s each" in shown
    assert len([line for line in shown.splitlines() if "repetition" in line]) == 4


def test_two_environments_of_one_name_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "one.txt").write_text("django\n")
    (tmp_path / "two.txt").write_text("django<6\n")
    with pytest.raises(UsageError, match="--env names new twice"):
        specs(f"--env=new={tmp_path}/one.txt", f"--env=new={tmp_path}/two.txt")


def test_a_value_that_may_be_secret_is_neither_stored_nor_shown(golden):
    def case(words):
        (run,) = specs(words)
        stored = RunSpec.from_json(json.loads(json.dumps(run.to_json())))
        everything = f"{run.to_json()} {run.target.words} {stored.target.words}"
        assert "hunter2" not in everything
        assert "2718281" not in everything
        assert stored.key == run.key
        assert run.key != specs(words.replace("hunter2", "swordfish").replace("8281", "8"))[0].key
        with pytest.raises(UsageError, match="values that are hidden"):
            run_options.with_secrets(stored, {})
        return run.target.words

    golden.words(case)


def checked(*words: str) -> RunSpec:
    (run,) = specs(*words)
    preflight.check(planned := planning.resolve(run))
    return planned.spec


def line(*words: str) -> str:
    """The plan of these runs, without the CPUs of this machine."""
    return plan.line([planning.resolve(spec) for spec in specs(*words)], 60.0).partition(" · ")[0]


def test_connections(golden):
    golden.values()


def test_more_connections_than_open_files_are_refused(golden, monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1024, 2048))
    golden.values()


@pytest.mark.django_db
def test_again(golden):
    golden.values(replace={r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": "<id>"})


def test_values(golden):
    here = {r"this machine has CPUs [\d, –]+": "this machine has <CPUs>", r"all \d+\.": "all <n>."}
    golden.values(raises=CommandError, replace=here)


def test_the_usual_server_of_an_environment_is_not_chosen_by_this_python(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    for name in ("gunicorn-gthread", "gunicorn-sync"):
        lacking = Available(False, "gunicorn is not installed", "pip install gunicorn")
        monkeypatch.setattr(conf.servers()[name], "available", lambda python, why=lacking: why)
    (tmp_path / "six.txt").write_text("django\ngunicorn\n")
    (run,) = specs(f"--env=six={tmp_path}/six.txt")
    assert run.server.server == "gunicorn-gthread"
