"""What every adapter has from the contract: defaults, options, refusals, availability."""

from importlib import metadata

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import Option, ServerSpec
from benchsuite.servers.base import Application, Available, ServerAdapter

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


def test_takes_its_own_sizes_when_none_are_asked_for():
    adapter = Threaded(ServerSpec(server="plain-server"), APPLICATION)
    assert (adapter.processes, adapter.threads) == (1, 4)


def test_takes_the_sizes_asked_for():
    adapter = Threaded(ServerSpec(server="plain-server", processes=3, threads=1), APPLICATION)
    assert (adapter.processes, adapter.threads) == (3, 1)


def test_refuses_more_processes_than_it_can_run():
    with pytest.raises(
        UsageError, match=r"^plain-server runs 2 processes, not the 3 asked for; take "
    ):
        Plain(ServerSpec(server="plain-server", processes=3), APPLICATION)


def test_refuses_threads_when_it_has_none_but_one_is_no_wish():
    assert Plain(ServerSpec(server="plain-server", threads=1), APPLICATION).threads == 1
    with pytest.raises(UsageError, match="can't set its number of threads to 2"):
        Plain(ServerSpec(server="plain-server", threads=2), APPLICATION)


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


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("backlog", "many", "a whole number"),
        ("backlog", "1.5", "a whole number"),
        ("backlog", True, "a whole number"),
        ("wait_s", "soon", "a number"),
        ("preload", "perhaps", "true or false"),
    ],
)
def test_options_of_another_type_are_refused(name, given, kind):
    with pytest.raises(UsageError, match=f"plain-server's option {name} must be {kind}"):
        plain(**{name: given})


def test_an_unknown_option_is_refused_with_the_names_of_the_known():
    with pytest.raises(
        UsageError, match="no option 'colour'; it has: backlog, env, loop, preload, wait_s"
    ):
        plain(colour="red")


def test_every_server_takes_variables_of_the_environment():
    assert plain(env="A=1 B='x y' ").env() == {"A": "1", "B": "x y"}
    assert plain().env() == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("A=1 B", "option env: B can't be a variable; write NAME=VALUE"),
        ("1A=1", "option env: 1A=1 can't be a variable"),
        ("A='1", "option env can't be read .*; write NAME=VALUE, several with blanks between"),
        ("PYTHONPATH=/srv", "option env: PYTHONPATH=/srv is set by the run itself; leave it out"),
        ("BENCHSUITE_RUN=1", "is set by the run itself"),
    ],
)
def test_what_is_no_variable_is_refused(given, said):
    with pytest.raises(UsageError, match=said):
        plain(env=given)


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
