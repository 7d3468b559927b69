"""meinheld: told as impossible where it is, and with what would help where it isn't."""

from benchsuite.pythons.interpreter import Interpreter
from tests.unit.servers.test_builtin import adapter_class


def test_availability(monkeypatch, golden):
    """Under another interpreter: its version, and what is installed there."""

    def available(server, version, **installed):
        told = {
            "facts": {"version": version},
            "scripts": "/no/bin",
            "installed": {name: (one, "") for name, one in installed.items()},
        }
        monkeypatch.setattr("benchsuite.pythons.interpreter._told", lambda executable: told)
        return adapter_class(server).available(Interpreter("/some/python"))

    golden.cases(available)
