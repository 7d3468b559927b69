"""Every option of the table: parsed, stored, repeated, shown and documented."""

import math
import shlex
from operator import attrgetter
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from benchmarks.options import markdown
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import (
    DatabaseSpec,
    DelaySpec,
    LayerSpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    VisitorSpec,
)
from benchsuite.core.specs.spec import table
from benchsuite.management.commands.checkbench import Examination
from benchsuite.management.commands.completesurvey import Filling
from benchsuite.management.commands.seedbench import Seed
from benchsuite.management.options import run, tune
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.studies.options import Takes
from benchsuite.system import cpus
from tests.factories import make_run

DOCS = Path(__file__).parents[4] / "docs" / "options.md"
COMMANDS = [name for name, app in get_commands().items() if app == "benchsuite"]

VALUES = {
    "server": "uvicorn",
    "workload": "cpu",
    "workload-option": "size=1000",
    "application": "shop.wsgi:application",
    "path": "/shop/",
    "target": "http://127.0.0.1:8000",
    "locustfile": __file__,
    "login": "eve:staff",
    "host": "shop.example:8000",
    "header": "Authorization: Bearer t0p",
    "cookie": "sid=s3",
    "status": "301",
    "python": "3.13",
    "env": f"new={__file__}",
    "front": "nginx",
    "stages": "5:10x2s",
    "database": "postgres://ann:s3cr3t@host/shop",
    "layer-url": "redis://:s3cr3t@host:6379/0",
    "setting": "CONN_HEALTH_CHECKS=true",
    "variable": "MALLOC_ARENA_MAX=2",
    "show-value": "SEARCH",
    "cpus-target": "0",
    "cpus-load": "0",
    "twin": "async",
}
"""Of options that don't take any text."""

BESIDE = {
    "workload-option": ["--workload=cpu"],
    "target": ["--path=/"],
    "expect": ["--path=/"],
    "status": ["--path=/"],
    "no-shape": ["--path=/"],
    "instances": ["--front=nginx"],
    "front-option": ["--front=nginx"],
    "arrivals": ["--rate=5"],
    "max-in-flight": ["--rate=5"],
    "in-turn": ["--rate=5"],
    "connections": ["--workload=ws_echo"],
    "messages": ["--workload=ws_echo"],
    "max-connections": ["--database=postgresql"],
    "no-fsync": ["--database=postgresql"],
    "layer-by": ["--layer=redis"],
    "layer-url": ["--layer=redis"],
    "iterations": ["--users=2"],
    "show-value": ["--setting=SEARCH=elastic"],
    "twin": ["--workload=io_read"],
    "load-processes": ["--users=64"],
}
"""What an option needs, or is about."""


def value_of(entry):
    """One that it may have, and does not have by default."""
    if entry.kind is bool:
        return not entry.default
    if bounds := entry.within or entry.above:
        return entry.kind(min(bounds[1], 7))
    return "anything" if not entry.words else entry.words[-1]


def form(entry):
    """How it is given."""
    if entry.kind is bool:
        return f"--{'no-' * bool(entry.default)}{entry.name}"
    text = VALUES.get(entry.name, "name=anything" if entry.is_pairs else str(value_of(entry)))
    return f"--{entry.name}={text}"


def spec(*words):
    *_, last = run.of_words(*words)
    return last


def words_of(entry):
    given = form(entry)
    return [given, *BESIDE.get(given.partition("=")[0][2:], [])]


SPECS = [
    *(VisitorSpec, ServerSpec, LoadProfile, DatabaseSpec, DelaySpec, LayerSpec),
    *(run.Shorthand, run.Output, tune.Wanted, Examination, Filling, Seed),
]
NEEDED = {ServerSpec: {"server": "daphne"}, Filling: {"url": "http://127.0.0.1/"}}


def each(condition=lambda entry: True):
    """For a test of each option of a run, or of those of which this holds."""
    chosen = filter(condition, run.OF_A_RUN)
    return pytest.mark.parametrize(
        "entry", [pytest.param(entry, id=entry.name) for entry in chosen]
    )


@pytest.fixture(autouse=True)
def own_cache_and_three_cpus(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2))
    monkeypatch.setattr(cpus, "siblings", lambda cpu: frozenset({cpu}))
    monkeypatch.setattr(run.environments, "interpreter", lambda spec, recipe: OWN)


@pytest.mark.django_db
@each()
def test_an_option_is_parsed_stored_and_repeated(entry):
    given, *others = words_of(entry)
    first = spec(given, *others)
    assert first != spec(*others), "the option changes the run"
    if entry in table(RunSpec) and entry.name not in VALUES and not entry.is_pairs:
        value = attrgetter(entry.path)(first)
        assert value == ((value_of(entry),) if entry.is_list else value_of(entry))
    stored = make_run("daphne")
    stored.spec = first.to_json()
    stored.save()
    again = spec("--again", stored.pk.hex, *[given] * entry.secret)
    assert again.key == first.key
    assert again.to_json() == {**first.to_json(), "repetition": 1, "seed": again.seed}
    assert (again.database, again.layer) == (first.database, first.layer)


@pytest.mark.django_db
@each(lambda entry: not entry.again)
def test_beside_again_nothing_stands_that_changes_the_run(entry):
    stored = make_run("daphne")
    with pytest.raises(UsageError, match=rf"as it was, and --(no-)?{entry.name} would change it"):
        spec("--again", stored.pk.hex, form(entry))


@pytest.mark.parametrize("spec", SPECS)
def test_an_option_is_held_to_its_bounds(spec):
    for entry in table(spec):
        if "." in entry.path or not (bounds := entry.within or entry.above):
            continue
        low, high = map(entry.kind, bounds)
        outside = [low - 1, high + 1, *[low] * bool(entry.above)]
        outside += [math.nan, math.inf] if entry.kind is float else []
        for value in outside:
            refusal = f"^--{entry.name} must be (between|above) {low:.0f}"
            with pytest.raises(UsageError, match=refusal):
                spec(**{**NEEDED.get(spec, {}), entry.field: value})


@each(lambda entry: entry.words)
def test_an_option_of_a_few_words_names_them(entry):
    listed = ", ".join(entry.words)
    refusal = rf"--{entry.name}=other is not known; there are: {listed}"
    with pytest.raises(UsageError, match=refusal):
        spec(f"--{entry.name}=other", *BESIDE.get(entry.name, []))


@each(lambda entry: entry.needs and entry.name != "rate")
def test_an_option_without_what_it_needs_names_it(entry):
    lacking = {"is_closed": ["--rate=5"], "is_throwaway": ["--database=keep"]}
    where, what = entry.needs
    with pytest.raises(UsageError) as refused:
        spec(form(entry), *lacking.get(where, []))
    assert str(refused.value).startswith(f"{form(entry).partition('=')[0]} needs {what}: ")


@each()
def test_a_cell_of_a_study_says_it_in_the_same_words(entry):
    name, known = form(entry).partition("=")[0].removeprefix("--"), run.known()
    assert (name in known) is (entry.path != "label")
    if name in known:
        assert (known[name] is Takes.FLAG) is (entry.kind is bool)
        assert (known[name] is Takes.PAIRS) is (entry.metavar == "NAME=VALUE")
    if entry.name in ("diagnose", "flame"):
        with pytest.raises(UsageError, match="are 2 runs, and a configuration of a study is one"):
            run.of_cell(words_of(entry))
        return
    assert run.of_cell(words_of(entry)) == spec(*words_of(entry))


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_a_dozen_options_with_examples_and_help_all_every_one(name):
    parser = load_command_class("benchsuite", name).create_parser("manage.py", name)
    brief, whole = parser.format_help(), parser.format_help_all()
    every = {option for option in parser._option_string_actions if option.startswith("--")}
    shown = {option for option in every if f"  {option}" in brief}
    assert len(shown - {"--help", "--help-all"}) <= 12
    assert not shown & {"--settings", "--traceback"}
    assert brief.count(f"python manage.py {name}") == len(parser.examples)
    assert 1 <= len(parser.examples) <= 3
    assert all(option in whole for option in every)
    for example in parser.examples:
        parser.parse_args(shlex.split(example))


def test_the_docs_have_every_option():
    """Printed by python -m benchmarks.options."""
    text = DOCS.read_text()
    assert markdown(run.EVERY) in text
    assert markdown(tune.OWN) in text


@each(lambda entry: entry.is_axis and entry in table(RunSpec))
def test_several_values_make_an_axis(entry, tmp_path):
    given, *others = words_of(entry)
    more = {"server": "daphne", "python": "3.12", "front": "haproxy"}.get(entry.name, "5")
    if entry.name == "env":
        others += [f"--env=other={__file__}"]
    else:
        given += f",{more}"
    runs = run.of_words(given, *others)
    assert len({attrgetter(entry.path)(one) for one in runs}) == len(runs) == 2
    if entry.kind is str and entry.commas:
        with pytest.raises(UsageError, match=f"--{entry.name}: 'a,,b' has an empty name"):
            spec(f"--{entry.name}=a,,b")


def test_values(golden):
    golden.values(replace={r"lists all \d+": "lists all <n>"})


@pytest.mark.django_db
def test_a_run_is_of_the_project_that_the_settings_name_and_repeated_there(settings):
    unnamed = spec("--path=/")
    settings.BENCHSUITE = {**settings.BENCHSUITE, "PROJECT": "/srv/shop"}
    named = spec("--path=/")
    assert (unnamed.project, named.project) == ("", "/srv/shop")
    assert unnamed.key != named.key
    for project in ("", "/srv/shop"):
        assert spec("--again", make_run("daphne", project=project).pk.hex).project == project
    other = make_run("daphne", project="/srv/blog")
    with pytest.raises(UsageError, match="of the project /srv/blog, and this is /srv/shop"):
        spec("--again", other.pk.hex)


def test_the_usual_server_is_one_that_the_named_python_has(monkeypatch):
    """The program names the project's Python, which need not have what ours has."""
    bare = Interpreter("/bare/bin/python", "/bare/bin/python")
    monkeypatch.setattr(
        Interpreter, "installed", lambda python, name: "1" if python == OWN else None
    )
    monkeypatch.setattr(
        run.environments, "interpreter", lambda spec, recipe: bare if spec.python else OWN
    )
    assert spec("--path=/").server.server == "gunicorn-gthread"
    assert spec("--path=/", "--python=/bare/bin/python").server.server == "runserver"
