"""Where runs are made: what `--load-hosts` needs, and what contradicts it."""

from benchsuite.core.specs import DelaySpec, LoadProfile, RunSpec, ServerSpec
from benchsuite.load.hosts import keys

LISTENING = {"listen": "127.0.0.1:5557", "key_file": "key"}


def a_run(delay=DelaySpec(), **load):  # noqa: B008 - it is frozen
    return RunSpec(server=ServerSpec(server="uvicorn"), load=LoadProfile(**load), delay=delay)


def test_values(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys.write_new(tmp_path / "key")
    golden.values()
