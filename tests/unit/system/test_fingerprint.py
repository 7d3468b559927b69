import json
import re
from pathlib import Path

import pytest

from benchsuite.system import fingerprint as environment
from benchsuite.system.fingerprint import VOLATILE, digest, fingerprint


def test_fingerprint_is_flat_json_of_many_fields():
    data = fingerprint()
    assert len(data) >= 40
    assert json.loads(json.dumps(data)) == data
    assert all(value is None or isinstance(value, (str, int, float)) for value in data.values())
    for name in ("hostname", "kernel", "machine", "cpu_logical", "cpu_usable", "python_version"):
        assert data[name], name
    assert re.fullmatch(r"\d+\.\d+.*", data["version_locust"])
    assert data["memory_total_bytes"] > data["memory_available_bytes"] > 2**20


def test_no_secret_of_the_environment_gets_in(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://me:hunter2@db/shop")
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    data = fingerprint()
    assert "hunter2" not in json.dumps(data)
    assert data["env_MALLOC_ARENA_MAX"] == "2"


def test_what_cannot_be_read_is_missing(monkeypatch):
    monkeypatch.setattr(environment, "_text", lambda path: None)
    data = fingerprint()
    for name in ("cpu_model", "memory_total_bytes", "somaxconn", "clocksource", "distribution"):
        assert data[name] is None, name
    assert data["psi"] is False


def test_digest_ignores_what_changes_between_boots():
    data = fingerprint()
    assert data.keys() >= VOLATILE
    later = data | dict.fromkeys(VOLATILE, "something else")
    assert digest(later) == digest(data)
    assert re.fullmatch("[0-9a-f]{64}", digest(data))


@pytest.mark.parametrize("name", ["kernel", "cpu_model", "version_locust", "nofile_soft"])
def test_digest_sees_what_matters(name):
    data = fingerprint()
    assert digest(data | {name: "something else"}) != digest(data)


def test_digest_does_not_depend_on_the_order():
    data = fingerprint()
    assert digest(dict(reversed(data.items()))) == digest(data)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [({0}, "0"), ({0, 1, 2}, "0-2"), ({0, 2, 3, 7}, "0,2-3,7"), (set(), "")],
)
def test_cpu_numbers_as_the_kernel_writes_them(numbers, expected):
    assert environment._ranges(numbers) == expected


def test_word_in_brackets(tmp_path: Path):
    setting = tmp_path / "enabled"
    setting.write_text("always [madvise] never\n")
    assert environment._chosen(str(setting)) == "madvise"
    assert environment._chosen(str(tmp_path / "none")) is None
