"""Instructions survive their file, and nobody else may read it."""

import json
import stat
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE, Instructions

INSTRUCTIONS = Instructions(
    settings_module="shop.settings",
    token="feed",
    folder="/tmp/run",
    databases={"default": "bench_feed_0default"},
    mirrors={"replica": "default"},
    database_url="postgres://me:secret@host/name",
    database_host="127.0.0.1",
    database_port=5433,
    conn_max_age_s=60.0,
    pool=None,
    layer="channels_redis.core.RedisChannelLayer",
    layer_url="unix:///tmp/run/redis.sock",
    needs_target_app=True,
    mounts_target=True,
)


def test_instructions_come_back_as_they_were_written(tmp_path: Path) -> None:
    INSTRUCTIONS.write(tmp_path / "instructions.json")
    assert Instructions.read(tmp_path / "instructions.json") == INSTRUCTIONS


def test_its_file_is_the_owners_alone(tmp_path: Path) -> None:
    INSTRUCTIONS.write(tmp_path / "instructions.json")
    assert stat.S_IMODE((tmp_path / "instructions.json").stat().st_mode) == 0o600


def test_instructions_of_another_format_are_refused(tmp_path: Path) -> None:
    INSTRUCTIONS.write(tmp_path / "instructions.json")
    data = json.loads((tmp_path / "instructions.json").read_text())
    (tmp_path / "instructions.json").write_text(json.dumps({**data, "instructions_version": 99}))
    with pytest.raises(UsageError, match="format 99"):
        Instructions.read(tmp_path / "instructions.json")


def test_settings_without_instructions_say_whose_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INSTRUCTIONS_VARIABLE, raising=False)
    with pytest.raises(UsageError, match="made for the servers that runbench starts"):
        Instructions.of_this_process()
