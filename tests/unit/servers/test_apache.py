"""Apache: its configuration in each mode, and which mod_wsgi is taken."""

from pathlib import Path

import pytest

from benchsuite.core.specs import ServerSpec
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers import apache
from benchsuite.servers.apache import (
    ApacheDaemon,
    ApacheEvent,
    ApachePrefork,
    ApacheWorker,
    WsgiModule,
)
from benchsuite.servers.base import Application, Place

APPLICATION = Application(wsgi="shop.wsgi:application")
MODULE = WsgiModule(Path("/modules/mod_wsgi.so"), "4.9.4", "/home/shop/venv")


@pytest.fixture(autouse=True)
def some_machine(monkeypatch):
    monkeypatch.setattr(apache, "wsgi_module", lambda python: MODULE)
    monkeypatch.setattr(apache, "apache_version", lambda: "2.4.71")
    monkeypatch.setattr(apache, "program", lambda: Path("/usr/sbin/apache2"))
    monkeypatch.setattr(apache, "modules", lambda: Path("/modules"))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("os.getcwd", lambda: "/home/shop")


def made(cls, folder=Path("/run/1"), **spec):
    return cls(ServerSpec(server=cls.name, **spec), APPLICATION, Place(folder=folder))


def conf(cls, folder=Path("/run/1"), **spec) -> list[str]:
    return made(cls, folder, **spec).config_files("127.0.0.1", 8123)["apache.conf"].splitlines()


def said(lines: list[str], *directives: str) -> dict[str, str]:
    """What each of these directives is given; each stands there once at most."""
    found = [line.split(None, 1) for line in lines if line.partition(" ")[0] in directives]
    assert len({name for name, _ in found}) == len(found)
    return dict(found)


SIZES = ("StartServers", "ServerLimit", "ThreadsPerChild", "MaxRequestWorkers")


def test_sizes_can_be_set():
    assert said(conf(ApacheEvent, processes=2, threads=4), *SIZES) == {
        "StartServers": "2",
        "ServerLimit": "2",
        "ThreadsPerChild": "4",
        "MaxRequestWorkers": "8",
    }
    assert "StartServers 1" in conf(ApacheEvent, processes=2, options={"start_processes": 1})


def test_daemon_has_its_processes_behind_one_of_apache():
    lines = conf(ApacheDaemon)
    (daemon,) = [line for line in lines if line.startswith("WSGIDaemonProcess ")]
    assert 'processes="9" threads="25" python-home="/home/shop/venv" home="/home/shop"' in daemon
    assert said(lines, *SIZES) == {
        "StartServers": "1",
        "ServerLimit": "1",
        "ThreadsPerChild": "225",
        "MaxRequestWorkers": "225",
    }
    assert "WSGIRestrictEmbedded On" in lines


def test_daemon_s_front_can_be_set():
    assert "ThreadsPerChild 7" in conf(ApacheDaemon, options={"front_threads": 7})


def test_worker_alone_has_an_interpreter_of_its_own_as_in_the_study_unless_told():
    groups = {
        cls.name: said(conf(cls), "WSGIApplicationGroup")["WSGIApplicationGroup"]
        for cls in (ApachePrefork, ApacheWorker, ApacheEvent, ApacheDaemon)
    }
    assert groups == {
        "apache-prefork": "%{GLOBAL}",
        "apache-worker": "benchsuite",
        "apache-event": "%{GLOBAL}",
        "apache-daemon": "%{GLOBAL}",
    }
    assert "WSGIApplicationGroup %{GLOBAL}" in conf(
        ApacheWorker, options={"main_interpreter": "yes"}
    )
    for cls in (ApachePrefork, ApacheEvent, ApacheDaemon):
        own = conf(cls, options={"main_interpreter": "no"})
        assert "WSGIApplicationGroup benchsuite" in own


def test_any_path_can_be_its_folder_or_the_projects(monkeypatch):
    path = r"""/it's ä "b" 100% $x ${HOME} \y"""
    written = r"/it's ä \"b\" 100% $x ${benchsuite_dollar}{HOME} \\y"
    monkeypatch.setattr("os.getcwd", lambda: path)
    lines = conf(ApacheDaemon, Path(path))
    assert f'PidFile "{written}/apache.pid"' in lines
    assert f'home="{written}"' in said(lines, "WSGIDaemonProcess")["WSGIDaemonProcess"]
    assert said(lines, "Define") == {"Define": "benchsuite_dollar $"}


def test_the_script_serves_the_application():
    script = made(ApacheEvent).config_files("127.0.0.1", 8123)["application.wsgi"]
    assert "from shop.wsgi import application as application" in script
    assert "os.chdir('/home/shop')" in script


def test_root_seems_to_be_nobody(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    argv = made(ApacheEvent).argv("127.0.0.1", 8123)
    assert argv[:5] == ["unshare", "--user", "--map-user=33", "--map-group=33", "--"]
    assert argv[5:] == ["/usr/sbin/apache2", "-f", "/run/1/apache.conf", "-DFOREGROUND"]


@pytest.mark.parametrize(
    ("missing", "reason", "command"),
    [
        ("program", "apache2 is not installed", "apt install apache2-bin libapache2-mod-wsgi-py3"),
        ("made_for", "mod_wsgi is not installed", "apt install libapache2-mod-wsgi-py3 (for "),
    ],
)
def test_says_what_is_missing_and_the_command(monkeypatch, missing, reason, command):
    monkeypatch.setattr(apache, "wsgi_module", lambda python: None)
    monkeypatch.setattr(apache, missing, lambda: None)
    available = ApacheEvent.available()
    assert (available.ok, available.reason) == (False, reason)
    assert available.command.startswith(command)


def test_a_module_of_another_python_is_told(monkeypatch):
    monkeypatch.setattr(apache, "wsgi_module", lambda python: None)
    monkeypatch.setattr(apache, "made_for", lambda: (3, 2))
    available = ApacheEvent.available()
    assert available.reason.startswith(
        f"the system's mod_wsgi is built for /usr/bin/python3.2, and this is {OWN.executable} ("
    )
    assert available.command.endswith("&& pip install mod_wsgi")


def test_root_without_user_namespaces_is_sent_away(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(apache, "_may_unshare", lambda: False)
    available = ApacheEvent.available()
    assert "must not run as root" in available.reason
    assert available.command == "run benchsuite as an ordinary user"


@pytest.mark.parametrize(
    ("home", "taken"),
    [
        (((3, 11), "/home/shop/venv", "/usr", ""), True),
        (((3, 11), "/usr", "/usr", ""), True),
        (((3, 11), "/home/shop/venv", "/opt/python", ""), False),
        (((3, 12), "/home/shop/venv", "/usr", ""), False),
    ],
)
def test_the_system_s_module_is_for_the_system_s_python(monkeypatch, tmp_path, home, taken):
    file = tmp_path / "mod_wsgi.so"
    file.write_bytes(b"\0libpython3.11.so.1.0\0\0mod_wsgi/\x004.9.4\0")
    monkeypatch.undo()
    monkeypatch.setattr(apache, "_system_file", lambda: file)
    monkeypatch.setattr(apache, "_home", lambda python: home)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: None)
    monkeypatch.setattr(apache, "made_for", apache.made_for.__wrapped__)
    found = apache.wsgi_module.__wrapped__(OWN)
    assert found == (WsgiModule(file, "4.9.4", home[1]) if taken else None)


def test_values(golden):
    golden.values()
