"""Where runs are made: what `--load-hosts` needs, and what contradicts it."""

from django.test import override_settings

from benchsuite.core.specs import DelaySpec, LoadProfile, RunSpec, ServerSpec
from benchsuite.load.hosts import keys
from benchsuite.management import delegating
from benchsuite.management.options.parsing import with_places

LISTENING = {"listen": "127.0.0.1:5557", "key_file": "key"}


def a_run(delay=DelaySpec(), **load):  # noqa: B008 - it is frozen
    return RunSpec(server=ServerSpec(server="uvicorn"), load=LoadProfile(**load), delay=delay)


AGENT = {"agent": "10.0.0.1:5558", "key-file": "bench.key"}
HOSTS = {"load-hosts": 2, "listen": "10.0.0.1:5557", "key-file": "bench.key", "bind": "10.0.0.1"}
OPTIONS = dict.fromkeys(("agent", "key_file", "load_hosts", "listen", "bind", "resume", "target"))


def placed(place, **given):
    """What the settings make of options that are not given, and of those that are."""
    with override_settings(BENCHSUITE={"PLACE": place}):
        options = with_places({**OPTIONS, **given})
        assert with_places(options) == options
    return {name: value for name, value in options.items() if OPTIONS.get(name) != value}


def is_elsewhere(**given):
    """Whether an agent makes it: what is new, and does not run yet."""
    asked = {"agent": "10.0.0.1:5558", "key_file": "key", **given}
    return delegating.delegated("runbench", (), {**OPTIONS, **asked})


def test_values(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys.write_new(tmp_path / "key")
    monkeypatch.setattr(delegating, "_made", lambda *asked: (0, ""))
    golden.values()


def test_a_command_without_places_reads_none():
    with override_settings(BENCHSUITE={"PLACE": AGENT}):
        assert with_places({"key_file": None}) == {"key_file": None}
