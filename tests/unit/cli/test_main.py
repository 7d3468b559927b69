"""What the program adds to a command, and where it is."""

import importlib
import io
import os
import sys
from pathlib import Path

import pytest
from django.conf.urls.i18n import i18n_patterns
from django.core.management import get_commands, load_command_class
from django.urls import include, path
from django.urls.resolvers import RegexPattern, URLResolver
from django.utils.translation import override

from benchsuite.cli import probe
from benchsuite.cli import project as projects
from benchsuite.cli.main import COMMANDS, OTHERS, VERBS, _serve, main, project_options
from benchsuite.cli.places import as_typed, local_zone
from benchsuite.cli.project import Project, find
from benchsuite.core.exceptions import UnavailableError, UsageError
from benchsuite.views.access import TOKEN_VARIABLE

PYTHON = "/shop/.venv/bin/python"
KNOWN = {"settings": "shop.settings", "django": "5.2", "environment": {}, "folders": []}


def added(verb, *words, python=PYTHON):
    """What a command is told of the project's Python and name."""
    return project_options(Project(folder=Path("/shop"), python=Path(python), **KNOWN), verb, words)


def test_values(golden, capsys):
    golden.values()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("verb", ["run", "tune", "study"])
def test_a_verb_is_told_nothing_that_it_does_not_know(verb):
    parser = load_command_class("benchsuite", COMMANDS[verb]).create_parser("manage.py", verb)
    flags = {word.partition("=")[0] for word in added(verb)}
    assert "--label" in flags
    assert flags <= {*parser._option_string_actions}


def test_a_zone_that_nobody_knows_is_utc(monkeypatch):
    zones = {"Europe/Berlin": "Europe/Berlin", ":/etc/localtime": "UTC", "X/Y": "UTC"}
    for name, zone in zones.items():
        monkeypatch.setenv("TZ", name)
        assert local_zone() == zone


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--pyth=3.13", "run"], "--pyth=3.13; did you mean --python?"),
        (["serve", "--addr=127.0.0.1:9"], "--addr=127.0.0.1:9; did you mean --address?"),
    ],
)
def test_an_abbreviated_option_of_the_program_is_refused(words, refusal, monkeypatch, capsys):
    monkeypatch.setattr("benchsuite.cli.main._execute", lambda asked, program: _serve(asked.words))
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert f"unrecognized arguments: {refusal}" in capsys.readouterr().err


def test_every_command_is_a_verb_but_what_fills_a_projects_own_database():
    commands = {name for name, app in get_commands().items() if app == "benchsuite"}
    verbs = {COMMANDS.get(verb, verb) for verb in (*VERBS, *OTHERS)}
    assert verbs - {"serve"} == commands - {"seedbench"}


def test_files_are_those_of_the_folder_where_a_command_is_typed(golden, tmp_path):
    for name in ("goods.json", "pins.txt", "before"):
        (tmp_path / name).touch()
    parser = load_command_class("benchsuite", "runbench").create_parser("manage.py", "runbench")
    golden.words(
        lambda *words: " ".join(as_typed(words, parser, tmp_path)), replace={str(tmp_path): "HERE"}
    )


@pytest.fixture
def conda(tmp_path, monkeypatch):
    """A folder with a manage.py, and an active environment of conda's."""
    (tmp_path / "manage.py").touch()
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    return tmp_path / "conda"


@pytest.mark.parametrize("lacks", [True, False])
def test_where_a_python_lacks_what_the_project_imports_others_are_tried(
    tmp_path, conda, monkeypatch, *, lacks
):
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.touch(mode=0o755)
    own = f"{Path(sys.prefix, 'bin')}"
    monkeypatch.setenv("PATH", os.pathsep.join([own, str(other.parent)]))
    fault = "ModuleNotFoundError: No module named 'rest_framework'" * lacks
    reports = {sys.executable: {**KNOWN, "fault": fault}, str(other): KNOWN}
    monkeypatch.setattr(
        projects, "_asked", lambda python, *about: reports.get(str(python), {"fault": "no Django"})
    )
    assert find(tmp_path).python == (other if lacks else Path(sys.executable))
    reports[str(other)] = {"fault": "no Django"}
    assert find(tmp_path).fault == fault
    reports[str(conda)] = KNOWN
    assert find(tmp_path).python == conda
    reports[sys.executable], reports[str(conda)] = KNOWN, {**KNOWN, "fault": "of another project"}
    assert find(tmp_path).python == Path(sys.executable)


def test_the_active_environment_comes_first_though_it_is_ours(tmp_path, conda, monkeypatch):
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").touch()
    monkeypatch.setattr(projects, "_asked", lambda python, *about: KNOWN)
    assert find(tmp_path).python == tmp_path / ".venv/bin/python"
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert find(tmp_path).python == Path(sys.executable)


def test_the_pages_are_shown_at_the_address_that_they_are_served_at(monkeypatch, settings):
    monkeypatch.setattr("django.core.management.call_command", lambda *words, **how: None)
    monkeypatch.setenv(TOKEN_VARIABLE, "")
    settings.ALLOWED_HOSTS = ["localhost"]
    _serve(["--address=10.0.0.5:8765"])
    assert settings.ALLOWED_HOSTS == ["localhost", "10.0.0.5"]
    _serve(["--address=0.0.0.0:8765"])
    assert settings.ALLOWED_HOSTS[-1] == "*"


def test_a_python_too_old_to_serve_can_tell_of_its_project(monkeypatch):
    """Else another one would be taken in its place."""
    monkeypatch.delattr("typing.Never")
    importlib.reload(probe)


def test_settings_that_are_asked_for_win_over_those_that_manage_py_assigns(monkeypatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "x")
    assigned = {"DJANGO_SETTINGS_MODULE": "of.manage"}
    monkeypatch.setattr(probe, "_manage", lambda path: os.environ.update(assigned))
    monkeypatch.setattr("django.setup", lambda: None)
    report: dict[str, object] = {}
    probe._look("manage.py", "asked.for", report)
    assert report["settings"] == "asked.for"
    assert report["python"] == sys.executable


def test_pages_below_namespaces_are_paths_and_no_patterns():
    inner = [path("new/", print)]
    urls = [path("v1.0/api-auth/", include((inner, "a"))), path("<int:n>/", include((inner, "b")))]
    resolver = URLResolver(RegexPattern(r"^/"), urls)
    assert [*probe._pages(resolver)] == ["/v1.0/api-auth/new/"]


def test_pages_are_those_of_the_language_that_visitors_get(settings, monkeypatch):
    urls = {"urlpatterns": i18n_patterns(path("shop/", print))}
    settings.LANGUAGE_CODE, settings.ROOT_URLCONF = "en-us", type("urls", (), urls)
    monkeypatch.setattr(probe, "_manage", lambda path: None)
    monkeypatch.setattr("django.setup", lambda: None)
    report: dict[str, object] = {}
    with override("en-us"):
        probe._look("manage.py", "", report)
    assert report["pages"] == ["/en/shop/"]


def test_ctrl_c_before_a_command_begins_is_a_word(monkeypatch, capsys):
    def struck(asked, program):
        raise KeyboardInterrupt

    monkeypatch.setattr("benchsuite.cli.main._execute", struck)
    assert main(["run"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_a_shim_is_the_python_that_it_chooses_in_the_projects_folder(tmp_path, conda, monkeypatch):
    chosen = "/pyenv/versions/shop/bin/python3"
    monkeypatch.setattr(projects, "_asked", lambda python, *about: {**KNOWN, "python": chosen})
    assert find(tmp_path).python == Path(chosen)


def test_a_value_too_long_for_the_name_of_a_file_is_none(tmp_path):
    parser = load_command_class("benchsuite", "runbench").create_parser("manage.py", "runbench")
    words = [f"--cookie=token={'x' * 300}"]
    assert list(as_typed(words, parser, tmp_path)) == words


def test_results_that_can_not_be_kept_are_no_broken_condition(monkeypatch):
    def refused(asked, program):
        raise UnavailableError("Results can't be kept in x.")

    monkeypatch.setattr("benchsuite.cli.main._execute", refused)
    assert main(["compare", "before", "after", "--fail-if=p95 > +10%"]) == 2


@pytest.mark.parametrize("folder", ["~nobody-of-that-name", f"/{'x' * 300}"])
def test_a_folder_that_can_be_nowhere_is_told(folder, monkeypatch, tmp_path, capsys):
    for name in ("BENCHSUITE_PROGRAM", "BENCHSUITE_RESULTS"):
        monkeypatch.setenv(name, "")
    assert main([f"--project={folder}", f"--results={tmp_path}/r", "run"]) == 2
    assert "is no folder; name that of manage.py" in capsys.readouterr().err


def test_a_terminal_that_lacks_a_letter_is_told_all_the_same(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1"))
    assert main([]) == 0


def test_a_project_in_the_root_has_no_name_and_no_label():
    project = Project(folder=Path("/"), python=Path(sys.executable), **KNOWN)
    assert project_options(project, "run", ["--path=/"]) == []


def test_a_python_is_that_of_the_folder_where_a_command_is_typed(tmp_path):
    (tmp_path / "mine/bin").mkdir(parents=True)
    (tmp_path / "mine/bin/python").touch()
    parser = load_command_class("benchsuite", "runbench").create_parser("manage.py", "runbench")
    typed = as_typed(["--python=3.13,mine", "--expect=mine"], parser, tmp_path)
    assert list(typed) == [f"--python=3.13,{tmp_path}/mine", "--expect=mine"]


def test_a_closed_folder_is_told(monkeypatch, tmp_path):
    def closed(path, **_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", closed)
    with pytest.raises(UsageError, match=r"There is no manage\.py in"):
        projects._manage(tmp_path)
