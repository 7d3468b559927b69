"""Apache: its configuration in each mode, and which mod_wsgi is taken."""

import re
from pathlib import Path

import pytest

from benchsuite.core.specs import ServerSpec
from benchsuite.pythons.interpreter import OWN, Interpreter
from benchsuite.servers import apache
from benchsuite.servers.apache import ApacheDaemon, ApacheEvent, WsgiModule
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


def conf(cls, folder=Path("/run/1"), **spec):
    return made(cls, folder, **spec).config_files("127.0.0.1", 8123)["apache.conf"].splitlines()


def said(lines, *directives):
    """What each of these directives is given; each stands there once at most."""
    found = [line.split(None, 1) for line in lines if line.partition(" ")[0] in directives]
    assert len({name for name, _ in found}) == len(found)
    return dict(found)


SIZES = ("StartServers", "ServerLimit", "ThreadsPerChild", "MaxRequestWorkers")


def test_any_path_can_be_its_folder_or_the_projects(monkeypatch):
    path = r"""/it's ä "b" 100% $x ${HOME} \y"""
    written = r"/it's ä \"b\" 100% $x ${benchsuite_dollar}{HOME} \\y"
    monkeypatch.setattr("os.getcwd", lambda: path)
    lines = conf(ApacheDaemon, Path(path))
    assert f'PidFile "{written}/apache.pid"' in lines
    assert f'home="{written}"' in said(lines, "WSGIDaemonProcess")["WSGIDaemonProcess"]
    assert said(lines, "Define") == {"Define": "benchsuite_dollar $"}


def test_root_seems_to_be_nobody(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    argv = made(ApacheEvent).argv("127.0.0.1", 8123)
    assert argv[:5] == ["unshare", "--user", "--map-user=33", "--map-group=33", "--"]
    assert argv[5:] == ["/usr/sbin/apache2", "-f", "/run/1/apache.conf", "-DFOREGROUND"]


def test_says_what_is_missing_and_the_command(monkeypatch, golden):
    def told(missing, value=lambda *_: None):
        with monkeypatch.context() as patched:
            patched.setattr("os.geteuid", lambda: 0)
            patched.setattr(apache, "wsgi_module", lambda python: MODULE)
            patched.setattr(apache, "made_for", lambda: None)
            patched.setattr(apache, "_may_unshare", lambda: True)
            if missing != "_may_unshare":
                patched.setattr(apache, "wsgi_module", lambda python: None)
            patched.setattr(apache, missing, value)
            available = ApacheEvent.available()
            return f"{available.reason}\n{available.command}"

    own = {re.escape(OWN.executable): "PYTHON", re.escape(OWN.version): "3"}
    golden.cases(told, replace=own)


@pytest.mark.parametrize(
    ("home", "taken"),
    [
        (("3.11.2", "/home/shop/venv", "/usr"), True),
        (("3.11.2", "/usr", "/usr"), True),
        (("3.11.2", "/home/shop/venv", "/opt/python"), False),
        (("3.12.0", "/home/shop/venv", "/usr"), False),
    ],
)
def test_the_system_s_module_is_for_the_system_s_python(monkeypatch, tmp_path, home, taken):
    file = tmp_path / "mod_wsgi.so"
    file.write_bytes(b"\0libpython3.11.so.1.0\0\0mod_wsgi/\x004.9.4\0")
    monkeypatch.undo()
    monkeypatch.setattr(apache, "_system_file", lambda: file)
    version, prefix, base = home
    itself = {"facts": {"version": version}, "prefix": prefix, "base": base, "compiled": ""}
    monkeypatch.setattr("benchsuite.pythons.interpreter._told", lambda executable: itself)
    monkeypatch.setattr(Interpreter, "installed", lambda self, name: None)
    monkeypatch.setattr(apache, "made_for", apache.made_for.__wrapped__)
    found = apache.wsgi_module.__wrapped__(OWN)
    assert found == (WsgiModule(file, "4.9.4", prefix) if taken else None)


def test_values(golden):
    golden.values()
