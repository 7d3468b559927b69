"""Where runs are made: what `--load-hosts` needs, and what contradicts it."""

import pytest
from django.test import override_settings

from benchsuite.core.specs import DelaySpec, LoadProfile, RunSpec, ServerSpec
from benchsuite.load.hosts import keys
from benchsuite.management import delegating
from benchsuite.management.options.place import with_places

LISTENING = {"listen": "127.0.0.1:5557", "key_file": "key"}


def a_run(delay=DelaySpec(), **load):  # noqa: B008 - it is frozen
    return RunSpec(server=ServerSpec(server="uvicorn"), load=LoadProfile(**load), delay=delay)


def test_values(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys.write_new(tmp_path / "key")
    golden.values()


AGENT = {"agent": "10.0.0.1:5558", "key-file": "bench.key"}
HOSTS = {"load-hosts": 2, "listen": "10.0.0.1:5557", "key-file": "bench.key", "bind": "10.0.0.1"}
OPTIONS = dict.fromkeys(("agent", "key_file", "load_hosts", "listen", "bind", "resume", "target"))


@pytest.mark.parametrize(
    ("place", "given", "wanted"),
    [
        (AGENT, {}, {"agent": "10.0.0.1:5558", "key_file": "bench.key"}),
        (AGENT, {"agent": "10.0.0.2:1"}, {"agent": "10.0.0.2:1", "key_file": "bench.key"}),
        (AGENT, {"agent": "none"}, {"agent": "none"}),
        (AGENT, {"resume": ""}, {"resume": ""}),
        (
            HOSTS,
            {"bind": "10.0.0.9"},
            {
                "load_hosts": 2,
                "listen": "10.0.0.1:5557",
                "key_file": "bench.key",
                "bind": "10.0.0.9",
            },
        ),
    ],
)
def test_what_the_settings_say_of_places_holds_where_options_say_nothing(place, given, wanted):
    with override_settings(BENCHSUITE={"PLACE": place}):
        placed = with_places({**OPTIONS, **given})
        assert placed == {**OPTIONS, **wanted}
        assert with_places(placed) == placed


def test_a_command_without_places_reads_none():
    with override_settings(BENCHSUITE={"PLACE": AGENT}):
        assert with_places({"key_file": None}) == {"key_file": None}


@pytest.mark.parametrize(
    ("given", "is_elsewhere"),
    [
        ({}, True),
        ({"agent": "none"}, False),
        ({"agent": None, "key_file": None}, False),
        ({"target": "http://127.0.0.1:8000"}, False),
        ({"resume": ""}, False),
    ],
)
def test_an_agent_starts_what_is_new_and_does_not_run_yet(
    given, is_elsewhere, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    keys.write_new(tmp_path / "key")
    options = {**OPTIONS, "agent": "10.0.0.1:5558", "key_file": "key", **given}
    if options["agent"] == "none":
        options["key_file"] = None
    assert delegating.is_elsewhere(options) is is_elsewhere
