"""What is shown to paste says what was measured; that it starts is seen in tests/integration."""

import json
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from benchsuite.core.specs import DatabaseSpec, ServerSpec
from benchsuite.servers import BUILTIN
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.servers.deploying import KINDS, databases
from benchsuite.servers.heritage import BUILTIN as HERITAGE
from tests.samples import MEASURED, spec
from tests.unit.servers.test_builtin import adapter_class

SHOP = Application.dotted("shop.wsgi.application", "shop.asgi.application")
OURS = ("benchsuite.isolation", "BENCHSUITE_", "GUNICORN_CMD_ARGS")
LOADED = ("worker_class = ", "class worker_class")


def made(name: str, **sizes: object) -> ServerAdapter:
    module, _, attribute = {**BUILTIN, **HERITAGE}[name].rpartition(".")
    found: type[ServerAdapter] = getattr(import_module(module), attribute)
    return found(ServerSpec(server=name, **sizes), SHOP)  # type: ignore[arg-type]


def pasted(name: str, **sizes: object) -> dict[str, str]:
    return dict(made(name, **sizes).deployment("127.0.0.1:8000"))


@pytest.fixture(autouse=True)
def in_a_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Apache's program and module need not be here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("benchsuite.servers.apache.program", lambda: Path("/usr/sbin/apache2"))


@pytest.mark.parametrize("name", [name for name in BUILTIN if adapter_class(name).for_production])
def test_each_text_begins_with_the_run_that_measures_it(name: str) -> None:
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
def test_what_serves_no_project_or_not_in_production_is_not_shown(name: str) -> None:
    assert pasted(name) == {}


def test_gunicorns_file_says_what_its_command_line_says() -> None:
    options = {"connections": 8, "preload": "yes", "freeze": "yes", "reuse_port": "yes"}
    texts = pasted("gunicorn-gthread", processes=3, threads=8, options=options)
    assert texts["gunicorn.conf.py"] == (
        "# Measured by: python manage.py runbench --server=gunicorn-gthread --processes=3"
        " --threads=8 --option connections=8 --option preload=yes --option freeze=yes"
        " --option reuse_port=yes\n"
        "control_socket_disable = True\n"
        "workers = 3\n"
        'worker_class = "gthread"\n'
        "threads = 8\n"
        "worker_connections = 8\n"
        "keepalive = 5\n"
        "backlog = 2048\n"
        "timeout = 30\n"
        "preload_app = True\n"
        "reuse_port = True\n"
        "import gc\n\n\n"
        "def when_ready(server):  # before the processes are forked\n"
        "    gc.freeze()\n"
    )
    command = "python -m gunicorn shop.wsgi:application --config gunicorn.conf.py --bind"
    assert texts["command"].splitlines()[-1] == f"{command} 127.0.0.1:8000"
    assert texts["Procfile"].splitlines()[-1] == f"web: {command} 127.0.0.1:8000"
    *_, copied, exposed, started = texts["Dockerfile"].splitlines()
    assert (copied, exposed) == ("COPY gunicorn.conf.py ./", "EXPOSE 8000")
    assert json.loads(started.removeprefix("CMD ")) == [*command.split(), "0.0.0.0:8000"]


@pytest.mark.parametrize("name", [name for name in BUILTIN if name.startswith("gunicorn")])
def test_gunicorns_file_is_python_that_names_each_setting_once(name: str) -> None:
    text = pasted(name, processes=2)["gunicorn.conf.py"]
    compile(text, "gunicorn.conf.py", "exec")
    assert sum(text.count(one) for one in LOADED) == 1


def test_a_configuration_of_ones_own_is_named_and_not_written_anew() -> None:
    texts = pasted("gunicorn-sync", options={"config": "/srv/own.py"})
    assert "gunicorn.conf.py" not in texts
    assert " --config /srv/own.py --workers 1 " in texts["command"]


def test_uwsgis_file_says_what_its_command_line_says() -> None:
    texts = pasted("uwsgi-http", processes=2, threads=4, options={"buffer_bytes": 65_536})
    assert texts["uwsgi.ini"].splitlines()[1:] == [
        "[uwsgi]",
        "http-timeout = 60",
        "http-buffer-size = 65536",
        "module = shop.wsgi:application",
        "need-app = true",
        "master = true",
        "processes = 2",
        "threads = 4",
        "listen = 2048",
        "disable-logging = true",
        "die-on-term = true",
        "no-orphans = true",
        "add-header = Connection: close",
    ]
    assert texts["command"].splitlines()[-1] == "uwsgi --http 127.0.0.1:8000 --ini uwsgi.ini"


def test_a_unit_escapes_what_systemd_would_replace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "a 100% $HOME"
    folder.mkdir()
    monkeypatch.chdir(folder)
    unit = pasted("apache-event", options={"env": "'A=1 \"%'"})["systemd"]
    lines = dict(line.split("=", 1) for line in unit.splitlines() if "=" in line)
    assert lines["ExecStart"].endswith('a 100%% $$HOME/apache.conf" -DFOREGROUND')
    assert lines["WorkingDirectory"].endswith("a 100%% $HOME")
    assert lines["Environment"] == r'"A=1 \"%%"'
    assert lines["KillSignal"] == "SIGWINCH"


def test_what_names_its_address_in_a_file_has_no_step_for_a_container() -> None:
    assert "Dockerfile" not in pasted("circus-daphne")
    assert "host = 127.0.0.1" in pasted("circus-daphne")["circus.ini"]


def test_a_front_is_named_by_the_run_that_measures_it() -> None:
    texts = pasted("daphne", front="nginx", instances=4)
    assert "--front=nginx --instances=4" in texts["command"].splitlines()[0]


def test_words_of_a_shell_are_quoted() -> None:
    command = pasted("waitress", options={"env": "'A=x y'"})["command"].splitlines()[-1]
    assert shlex.split(command)[:3] == ["env", "A=x y", "python"]


@pytest.mark.parametrize(
    ("asked", "entry"),
    [
        ({}, {"OPTIONS": {"sslmode": "require"}}),
        (
            {"conn_max_age_s": 60.0},
            {"OPTIONS": {"sslmode": "require"}, "CONN_MAX_AGE": 60},
        ),
        (
            {"pool": 8},
            {
                "OPTIONS": {"sslmode": "require", "pool": {"min_size": 4, "max_size": 8}},
                "CONN_MAX_AGE": 0,
            },
        ),
        (
            {"pool": 2},
            {
                "OPTIONS": {"sslmode": "require", "pool": {"min_size": 2, "max_size": 2}},
                "CONN_MAX_AGE": 0,
            },
        ),
    ],
)
def test_databases_are_reached_as_was_measured(
    asked: dict[str, float], entry: dict[str, object]
) -> None:
    text = databases(DatabaseSpec(**asked))  # type: ignore[arg-type]
    names = {"DATABASES": {"default": {"OPTIONS": {"sslmode": "require"}}}}
    exec(text, names)
    assert names["DATABASES"]["default"] == entry
    assert (text == "") == (not asked)
