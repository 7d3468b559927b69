"""meinheld: told as impossible where it is, and with what would help where it isn't."""

import pytest

from benchsuite.pythons.interpreter import Interpreter
from benchsuite.servers.launched import Meinheld
from tests.unit.servers.test_builtin import adapter_class


@pytest.fixture
def python(monkeypatch):
    """Another interpreter: its version, and what is installed there."""

    def made(version, **installed):
        told = {
            "facts": {"version": version},
            "scripts": "/no/bin",
            "installed": {name: (one, "") for name, one in installed.items()},
        }
        monkeypatch.setattr("benchsuite.pythons.interpreter._told", lambda executable: told)
        return Interpreter("/some/python")

    return made


def test_availability(python, golden):
    golden.cases(lambda version, **installed: Meinheld.available(python(version, **installed)))


@pytest.mark.parametrize("version", ["3.13.0", "3.14.1"])
@pytest.mark.parametrize("server", ["meinheld", "circus-meinheld", "circus-chaussette-meinheld"])
def test_newer_pythons_can_not_have_it(python, server, version):
    found = python(version, meinheld="1.0.2", circus="0.19.0", chaussette="1.3.0")
    available = adapter_class(server).available(found)
    assert not available.ok
    assert f"by Python 3.13 or newer, and this is {version}" in available.reason
    assert available.command == "use Python 3.12 or older"
