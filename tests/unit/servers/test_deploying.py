"""What is shown to paste says what was measured; that it starts is seen in tests/integration."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.core.specs import DatabaseSpec, ServerSpec
from benchsuite.pythons.interpreter import OWN
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.servers.deploying import KINDS, databases
from benchsuite.servers.heritage import BUILTIN as HERITAGE
from tests.samples import MEASURED, spec
from tests.unit.servers.test_builtin import adapter_class

SHOP = Application.dotted("shop.wsgi.application", "shop.asgi.application")
OURS = ("benchsuite.isolation", "BENCHSUITE_", "GUNICORN_CMD_ARGS")
LOADED = ("worker_class = ", "class worker_class")


def made(name, **sizes):
    module, _, attribute = {**BUILTIN, **HERITAGE}[name].rpartition(".")
    found: type[ServerAdapter] = getattr(import_module(module), attribute)
    return found(ServerSpec(server=name, **sizes), SHOP)


def pasted(name, **sizes):
    return dict(made(name, **sizes).deployment("127.0.0.1:8000"))


@pytest.fixture(autouse=True)
def in_a_project(monkeypatch, tmp_path):
    """Apache's program and module need not be here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("benchsuite.servers.apache.program", lambda: Path("/usr/sbin/apache2"))


@pytest.mark.parametrize("name", [name for name in BUILTIN if adapter_class(name).for_production])
def test_each_text_begins_with_the_run_that_measures_it(name):
    one = made(name)
    sizes = {
        "processes": 2 if one.max_processes is None else 1,
        "threads": 3 if one.threads_word else None,
        "options": {"env": "MALLOC_ARENA_MAX=2 TZ='Europe/Rome x'"},
    }
    texts = pasted(name, **sizes)
    assert {"command", "systemd", "Procfile"} <= set(texts)
    assert all("." in name for name in set(texts) - {*KINDS}), "--help names all but files"
    for kind, text in texts.items():
        (measured,) = MEASURED.findall(text.splitlines()[0])
        again = spec(measured).server
        assert made(name, **sizes).argv("h", 1) == type(one)(again, SHOP).argv("h", 1), kind
        assert again.options == sizes["options"]
        assert not [word for word in OURS if word in text], kind
    told = " ".join(texts.values())
    assert ("install django-benchsuite beside the project" in told) == ("benchsuite." in told)


@pytest.mark.parametrize("name", ["runserver", *HERITAGE])
def test_what_serves_no_project_or_not_in_production_is_not_shown(name):
    assert pasted(name) == {}


def test_what_is_pasted(golden, monkeypatch, tmp_path):
    """Units escape what systemd would replace; what names its address in a file has no step for a
    container; a configuration of one's own is named and not written anew.
    """
    monkeypatch.setattr("benchsuite.servers.apache.modules", lambda: Path("/modules"))
    monkeypatch.setattr("benchsuite.servers.apache.wsgi_module", lambda python: None)
    folder = tmp_path / "a 100% $HOME"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def texts(name, *kinds, **sizes):
        pasted_texts = pasted(name, **sizes)
        shown = [f"{kind}:\n{pasted_texts[kind]}" for kind in kinds]
        lines = "\n".join([*shown, f"all: {', '.join(pasted_texts)}"]).splitlines()
        return "\n".join(filter(None, lines))

    own = {re.escape(str(tmp_path)): "TMP", re.escape(sys.executable): "PYTHON"}
    golden.cases(texts, replace={**own, re.escape(OWN.script("uwsgi")): "UWSGI"})


@pytest.mark.parametrize("name", [name for name in BUILTIN if name.startswith("gunicorn")])
def test_gunicorns_file_is_python_that_names_each_setting_once(name):
    text = pasted(name, processes=2)["gunicorn.conf.py"]
    compile(text, "gunicorn.conf.py", "exec")
    assert sum(text.count(one) for one in LOADED) == 1


def test_databases_are_reached_as_was_measured(golden):
    def entry(**asked):
        text = databases(DatabaseSpec(**asked))
        default = {"ENGINE": "postgresql", "OPTIONS": {"sslmode": "require"}}
        names = {"DATABASES": {"default": default}}
        exec(text, names)
        return text, names["DATABASES"]["default"]

    golden.cases(entry)


def test_a_pool_is_for_postgresql_alone():
    names = {"DATABASES": {"logs": {"ENGINE": "django.db.backends.sqlite3"}}}
    exec(databases(DatabaseSpec(pool=8)), names)
    assert names["DATABASES"] == {"logs": {"ENGINE": "django.db.backends.sqlite3"}}


def test_uvicorns_worker_is_told_its_loop_where_it_is_pasted():
    chosen = {"loop": "asyncio"}
    assert "UVICORN_LOOP=asyncio" in pasted("circus-gunicorn-uvicorn", options=chosen)["systemd"]
    own = pasted("gunicorn-uvicorn", options={**chosen, "config": "/srv/own.py"})
    assert "UVICORN_LOOP=asyncio" in own["command"]


def test_docker_replaces_nothing_in_a_variable():
    text = pasted("waitress", options={"env": "'KEY=é$b'"})["Dockerfile"]
    assert r'ENV KEY="é\$b"' in text


def test_apache_writes_no_log_to_what_a_unit_can_not_open():
    assert "/dev/stderr" not in pasted("apache-event")["apache.conf"]


def test_a_project_that_can_not_be_loaded_does_not_end_a_pasted_apache_for_good():
    script = pasted("apache-event")["application.wsgi"].strip()
    assert script.splitlines()[-1].startswith("from ")


def test_what_is_pasted_names_its_python_and_what_its_front_was_told():
    front = {"front": "nginx", "instances": 2, "front_options": {"processes": 2}}
    text = pasted("daphne", python="3.14t", **front)["command"]
    assert "--python=3.14t" in text
    assert "--front-option processes=2" in text
