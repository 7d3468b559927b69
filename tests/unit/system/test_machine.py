"""What this machine has: its fingerprint, Pythons, programs, ports, calibration."""

import json
import re
import runpy
import sys

import pytest

from benchsuite.pythons.interpreter import Interpreter
from benchsuite.system import cpus, installed, network, programs
from benchsuite.system import fingerprint as environment
from benchsuite.system.cpus import size_for
from benchsuite.system.fingerprint import VOLATILE, digest, fingerprint
from benchsuite.system.folders import cache_folder


def test_fingerprint_is_flat_json_of_many_fields():
    data = fingerprint()
    assert len(data) >= 40
    assert json.loads(json.dumps(data)) == data
    assert all(value is None or isinstance(value, (str, int, float)) for value in data.values())
    for name in ("hostname", "kernel", "machine", "cpu_logical", "cpu_usable", "python_version"):
        assert data[name], name
    assert re.fullmatch(r"\d+\.\d+.*", data["version_locust"])
    assert data["huge_pages"] in (None, "always", "madvise", "never")
    assert data["memory_total_bytes"] > data["memory_available_bytes"] > 2**20


def test_no_secret_of_the_environment_gets_in(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://me:hunter2@db/shop")
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    monkeypatch.setenv("PYTHON_BUILD_MIRROR_URL", "https://me:hunter2@mirror.example/pythons")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    data = fingerprint()
    assert "hunter2" not in json.dumps(data)
    assert data["env_MALLOC_ARENA_MAX"] == "2"


def test_what_cannot_be_read_is_missing(monkeypatch):
    monkeypatch.setattr(environment, "_text", lambda path: None)
    data = fingerprint()
    for name in ("cpu_model", "memory_total_bytes", "somaxconn", "clocksource", "distribution"):
        assert data[name] is None, name


def test_digest_sees_what_matters_and_not_what_changes_between_boots_or_the_order():
    data = fingerprint()
    assert data.keys() >= VOLATILE
    later = data | dict.fromkeys(VOLATILE, "something else")
    assert digest(dict(reversed(later.items()))) == digest(data)
    assert re.fullmatch("[0-9a-f]{64}", digest(data))
    for name in ("kernel", "cpu_model", "version_locust", "nofile_soft"):
        assert digest(data | {name: "something else"}) != digest(data)


def distribution(folder, name, version):
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def test_of_two_of_a_name_the_one_that_is_imported_counts(tmp_path, monkeypatch):
    distribution(tmp_path / "first", "Shop.Cart", "2.0")
    distribution(tmp_path / "second", "shop-cart", "1.0")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second")])
    assert installed.distributions() == {"shop-cart": "2.0"}


def test_run_as_a_program_it_prints_what_it_tells(capsys):
    runpy.run_path(installed.__file__, run_name="__main__")
    said = json.loads(capsys.readouterr().out)
    assert said["facts"] == installed.facts()
    assert said["installed"]["django"] == Interpreter().installed("django")


@pytest.fixture
def work(monkeypatch, tmp_path):
    """Takes 50 ns for each of its size, by the clock that is read, and 1 ms at once."""
    now = 0.0

    def work(size):
        nonlocal now
        now += 0.001 + size * 50e-9

    monkeypatch.setenv("BENCHSUITE_CACHE", str(tmp_path))
    monkeypatch.setattr(cpus, "thread_time", lambda: now)
    return work


def broken(size):
    raise AssertionError("it is known")


@pytest.mark.parametrize(("seconds", "size"), [(0.67, 13_400_000), (0.01, 180_000), (2.0, 40e6)])
def test_the_size_takes_as_long_as_it_should(seconds, size, work):
    assert size_for(seconds, work, name="cpu") == pytest.approx(size, rel=0.02)


def test_it_is_remembered_until_something_else_is_wanted_or_runs(work, monkeypatch, tmp_path):
    size = size_for(0.5, work, name="cpu")
    assert size_for(0.5, broken, name="cpu") == size
    (kept,) = (tmp_path / "calibrations").iterdir()
    assert json.loads(kept.read_text())["size"] == size
    for other in ({"seconds": 0.6, "name": "cpu"}, {"seconds": 0.5, "name": "gpu"}):
        with pytest.raises(AssertionError, match="known"):
            size_for(work=broken, **other)
    monkeypatch.setattr(sys, "version", "4.0")
    with pytest.raises(AssertionError, match="known"):
        size_for(0.5, broken, name="cpu")
    assert size_for(0.5, work, name="cpu") == size


def test_a_file_that_makes_no_sense_is_replaced(work, tmp_path):
    size = size_for(0.5, work, name="cpu")
    (kept,) = (tmp_path / "calibrations").iterdir()
    kept.write_text("{")
    assert size_for(0.5, work, name="cpu") == size
    assert size_for(0.5, broken, name="cpu") == size


def test_a_size_that_can_not_be_kept_is_found_each_time(work, tmp_path):
    (tmp_path / "calibrations").write_text("no folder")
    assert size_for(0.5, work, name="cpu") == size_for(0.5, work, name="cpu")


def test_the_folder_is_the_variable_s_then_the_chosen_then_the_user_s(golden, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")

    def case(variable, chosen, xdg):
        monkeypatch.setenv("BENCHSUITE_CACHE", variable)
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
        return str(cache_folder(chosen))

    golden.cases(case)


def program(folder, name):
    path = folder / name
    path.touch(0o755)
    return path


def test_a_program_is_found_on_the_path_and_among_the_servers_of_the_system(tmp_path, monkeypatch):
    path = program(tmp_path, "serverd")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.find_program("serverd") == str(path)
    assert programs.find_program("no-such-program-anywhere") is None
    monkeypatch.setattr(programs, "SBIN", (str(tmp_path),))
    monkeypatch.setenv("PATH", "/nowhere")
    assert programs.find_program("serverd") == str(path)


def test_no_port_is_given_twice_and_none_that_is_spoken_for(monkeypatch):
    ports = iter([8001, 8001, 8000, 8002, 8001, 8003])
    monkeypatch.setattr(network, "free_port", lambda host: next(ports))
    assert network.free_ports("127.0.0.1", 3, besides=[8000]) == [8001, 8002, 8003]
    assert network.free_ports("127.0.0.1", 0, besides=[]) == []
