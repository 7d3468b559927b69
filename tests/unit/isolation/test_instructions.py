"""A plan survives its file, and nobody else may read it."""

import json
import stat
from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.isolation.instructions import PLAN_VARIABLE, Plan

PLAN = Plan(
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


def test_a_plan_comes_back_as_it_was_written(tmp_path: Path) -> None:
    PLAN.write(tmp_path / "plan.json")
    assert Plan.read(tmp_path / "plan.json") == PLAN


def test_its_file_is_the_owners_alone(tmp_path: Path) -> None:
    PLAN.write(tmp_path / "plan.json")
    assert stat.S_IMODE((tmp_path / "plan.json").stat().st_mode) == 0o600


def test_a_plan_of_another_format_is_refused(tmp_path: Path) -> None:
    PLAN.write(tmp_path / "plan.json")
    data = json.loads((tmp_path / "plan.json").read_text())
    (tmp_path / "plan.json").write_text(json.dumps({**data, "plan_version": 99}))
    with pytest.raises(UsageError, match="format 99"):
        Plan.read(tmp_path / "plan.json")


def test_settings_without_a_plan_say_whose_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLAN_VARIABLE, raising=False)
    with pytest.raises(UsageError, match="made for the servers that runbench starts"):
        Plan.of_this_process()
