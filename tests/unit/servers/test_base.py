"""What every adapter has from the contract: defaults, options, refusals, availability."""

from importlib import metadata

import pytest

from benchsuite.core.specs import Option, ServerSpec
from benchsuite.servers.base import Application, Available, ServerAdapter
from tests.golden import Golden

APPLICATION = Application(wsgi="shop.wsgi:application", asgi="shop.asgi:application")


class Plain(ServerAdapter):
    name = "plain-server"
    interface = "wsgi"
    distribution = "plainserver"
    companions = ("plainloop",)
    max_processes = 2
    options = {"backlog": 10, "loop": "auto", "preload": False, "wait_s": 1.5}

    def argv(self, host: str, port: int) -> list[str]:
        return ["plain", f"{host}:{port}"]


class Threaded(Plain):
    threads_word = "threads"
    default_threads = 4
    max_processes = None


def plain(**options: Option) -> Plain:
    return Plain(ServerSpec(server="plain-server", options=options), APPLICATION)


def installed(monkeypatch, **versions: str) -> None:
    """Makes just these distributions installed."""

    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("backlog", "64", 64),
        ("backlog", 64, 64),
        ("wait_s", "0.25", 0.25),
        ("wait_s", "2", 2.0),
        ("preload", "yes", True),
        ("preload", "False", False),
        ("preload", True, True),
        ("loop", "uvloop", "uvloop"),
    ],
)
def test_options_take_the_type_of_their_default(name, given, expected):
    value = plain(**{name: given}).settings[name]
    assert value == expected
    assert type(value) is type(expected)


def test_is_available_with_all_it_needs(monkeypatch):
    installed(monkeypatch, plainserver="1.2", plainloop="3")
    assert Plain.available() == Available(True)
    assert Plain.version() == "1.2"


def test_names_what_is_missing_and_the_command(monkeypatch):
    installed(monkeypatch, plainserver="1.2")
    assert Plain.available() == Available(
        False, "plainloop is not installed", "pip install plainloop"
    )
    installed(monkeypatch)
    assert Plain.version() is None
    assert Plain.available() == Available(
        False, "plainserver and plainloop are not installed", "pip install plainserver plainloop"
    )


def test_values(golden: Golden) -> None:
    golden.values()
