"""The program `benchsuite`: a project is measured from its folder, and nothing in it changes."""

import hashlib
import json
import re
import signal
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from benchsuite.system.network import free_port
from tests.integration.command import SHORT, wait_for
from tests.integration.program import Program, environment
from tests.integration.stubs_http import Responder

MANAGE = """
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
os.write(1, b"\\xe9")  # which is no UTF-8
for line in open(os.path.join(os.path.dirname(__file__), "..", ".env")):
    name, _, value = line.strip().partition("=")
    os.environ.setdefault(name, value)
if __name__ == "__main__":
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
"""
SETTINGS = """
import os
SECRET_KEY = os.environ["SHOP_KEY"]
DEBUG = True
ROOT_URLCONF = "shop.urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.sqlite3"}}
"""
URLS = """
from django.http import HttpResponse
from django.urls import include, path, re_path

def page(request, *parts, **names):
    return HttpResponse("shop")

inner = [path("new/", page), path("<int:pk>/", page)]
urlpatterns = [
    path("shop/", page),
    path("goods/", include((inner, "goods"))),
    re_path(r"^((?:[a-z]+/)*)$", page),
]
"""


def sums(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def program(tmp_path):
    """In a subfolder of a project in a src layout, whose variables stand in a file."""
    source = tmp_path / "checkout/src"
    files = {"shop/__init__.py": "", "shop/settings.py": SETTINGS, "shop/urls.py": URLS}
    for name, text in {**files, "manage.py": MANAGE, "../.env": "SHOP_KEY=abc\n"}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    (tmp_path / "checkout/.git").mkdir()
    environment(tmp_path / "checkout/.venv", "waitress")
    return Program(tmp_path / "checkout", tmp_path / "data")


def test_a_project_is_measured_from_its_folder_and_stays_as_it_was(program, tmp_path):
    before = sums(program.folder)
    told = program.run("run", status=0)
    python = program.folder / ".venv/bin/python"
    lines = dict(line.split(maxsplit=1) for line in told.out.splitlines()[:5])
    assert lines["Project"] == f"checkout in {program.folder / 'src'}"
    assert lines["Settings"].startswith("shop.settings (Django ")
    assert lines["Python"] == str(python)
    assert lines["Servers"] == "waitress"
    assert lines["Pages"] == "/, /shop/, /goods/new/"
    proposed = "python -m benchsuite run --path=/ --server=waitress"
    assert f"  {proposed}\n" in told.out

    ended = program.run(*proposed.split()[3:], *SHORT, "--json=-", status=0)
    (run,) = json.loads(ended.out)
    assert run["spec"]["server"]["python"] == str(python)
    assert run["label"] == "checkout"
    assert run["project"] == run["spec"]["project"] == str(program.folder / "src")
    assert run["requests"] > 0
    assert "python -m benchsuite run --again" in ended.err or "benchsuite check" in ended.err
    assert sums(program.folder) == before
    assert_shown(program, run)


def assert_shown(program, run):
    """The pages have the run, for whoever has the address."""
    with program.start("serve", f"--address=127.0.0.1:{free_port()}") as process:
        try:
            line = process.stdout.readline()
            url = re.search(r"http://\S+", line)
            assert url is not None, line
            jar = urllib.request.HTTPCookieProcessor(CookieJar())
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
            wait_for("the pages", lambda: _answers(opener, url[0]))
            text = opener.open(url[0], timeout=10).read().decode()
            assert run["id"] in text
            assert "waitress" in text
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
    assert process.returncode == 0


def _answers(opener, url):
    try:
        return bool(opener.open(url, timeout=10).status == 200)
    except OSError:
        return False


@pytest.mark.parametrize(
    ("words", "change", "status", "sentence"),
    [
        ("frobnicate", {}, 2, r"There is no verb 'frobnicate'; there are: run, tune"),
        ("--project /nowhere run", {}, 2, r"/nowhere is no folder"),
        ("run --settings=shop.settings --path=/", {}, 2, r"--settings stands before the verb: "),
        ("run", {"src/manage.py": None}, 2, r"There is no manage\.py in "),
        ("run", {"other/manage.py": ""}, 2, r"several projects below .*other and .*src"),
        ("run", {"src/manage.py": "import sys"}, 2, r"ends without Django's command line"),
        ("run", {".env": "NO=thing"}, 2, r"can't be loaded with shop\.settings: KeyError: 'SHOP_"),
        ("--python /bin/true run", {}, 2, r"No Python can load .*\n  /bin/true: it ended without"),
        (
            "--results /proc/no/x.sqlite3 run --path=/",
            {},
            2,
            r"can't be kept in /proc/no/x\.sqlite3: unable",
        ),
        (
            "--results no/x.sqlite3 run --path=/",
            {},
            2,
            r"can't be kept in \S*/checkout/no/x\.sqlite3: unable",
        ),
        ("--settings shop.nowhere run", {}, 2, r"can't be loaded with shop\.nowhere: ModuleNotFo"),
    ],
)
def test_what_is_missing_is_a_sentence(program, words, change, status, sentence):
    for name, text in change.items():
        file = program.folder / name
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
    ended = program.run(*words.split())
    assert (ended.status, ended.out) == (status, "")
    assert re.search(sentence, ended.err), ended.err
    assert "Traceback" not in ended.err
    assert ended.err.startswith("benchsuite: ")


def test_folders_in_which_manage_py_finds_the_project_are_those_of_pythonpath(program):
    """A manage.py above its package, which the environment says where to find."""
    (program.folder / "src/manage.py").rename(program.folder / "manage.py")
    manage = (program.folder / "manage.py").read_text().replace('"..", ', "")
    (program.folder / "manage.py").write_text(manage)
    program.env["PYTHONPATH"] += f":{program.folder / 'src'}"
    words = ("--path=/shop/", "--server=waitress", *SHORT, "--json=-")
    (run,) = json.loads(program.run("run", *words, status=0).out)
    assert run["requests"] > 0


def test_what_already_runs_needs_no_project_that_loads(program):
    (program.folder / ".env").write_text("NO=thing")
    with Responder() as responder:
        words = (f"--target={responder.base_url}", "--path=/", *SHORT, "--json=-")
        ended = program.run("run", *words, status=0)
    assert json.loads(ended.out)[0]["requests"] > 0


def test_its_help_is_that_of_its_verbs(program):
    program.folder = Path("/")
    assert "run      measure a page on real servers" in program.run().out
    ended = program.run("tune", "--help", status=0)
    assert "usage: python -m benchsuite tune [options]" in ended.out
    assert "\n  python -m benchsuite tune --" in ended.out


@pytest.mark.parametrize("words", ["run --help", "compare --help-all", "list", "run"])
def test_what_uses_no_results_makes_none(program, words):
    program.run(*words.split(), status=0)
    assert not list(program.data.rglob("*.sqlite3*"))


def test_servers_are_looked_for_in_the_projects_python(program, tmp_path):
    assert usable(program)["waitress"] == "yes"
    assert usable(program)["daphne"] == "no: daphne is not installed"
    program.folder = tmp_path / "nothing"
    program.folder.mkdir()
    assert usable(program)["daphne"] == "yes", "without a project, where benchsuite is"


def usable(program):
    """Name → what `list` says of it."""
    lines = program.run("list", status=0).out.splitlines()
    return {words[0]: " ".join(words[3:]) for line in lines if len(words := line.split()) > 3}


def test_a_robot_needs_no_project(program, tmp_path):
    program.folder = tmp_path / "nothing"
    program.folder.mkdir()
    assert "is not the URL of a page" in program.run("completesurvey", "nowhere", status=2).err
