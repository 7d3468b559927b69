"""What control groups allow, from files as the kernel writes them."""

from pathlib import Path

import pytest

from benchsuite.system import cpus


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        pytest.param("0::/\n", {}, None, id="nothing is said"),
        pytest.param("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5, id="a container"),
        pytest.param("0::/\n", {"cpu.max": "max 100000\n"}, None, id="no limit"),
        pytest.param(
            "0::/box/run\n",
            {"box/cpu.max": "50000 100000\n", "box/run/cpu.max": "max 100000\n"},
            0.5,
            id="the group around it",
        ),
        pytest.param(
            "0::/box/run\n",
            {"box/cpu.max": "400000 100000\n", "box/run/cpu.max": "200000 100000\n"},
            2.0,
            id="the least of all",
        ),
        pytest.param(
            "4:memory:/x\n1:cpu,cpuacct:/box\n0::/\n",
            {"cpu/box/cpu.cfs_quota_us": "250000\n", "cpu/box/cpu.cfs_period_us": "100000\n"},
            2.5,
            id="version 1",
        ),
        pytest.param(
            "1:cpu:/\n",
            {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
            None,
            id="version 1 without a limit",
        ),
        pytest.param("0::/\n", {"cpu.max": "150000\n"}, None, id="half a line"),
    ],
)
def test_a_quota_is_the_least_of_all_groups_around_a_process(
    tmp_path: Path, groups: str, files: dict[str, str], quota: float | None
) -> None:
    for path, text in {
        "proc/self/cgroup": groups,
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert cpus.cpu_quota(tmp_path) == quota


def test_a_machine_without_control_groups_has_no_quota(tmp_path: Path) -> None:
    assert cpus.cpu_quota(tmp_path) is None


@pytest.mark.parametrize(
    ("quota", "on", "count", "share"),
    [
        (None, None, 4, "4 of 4 CPUs"),
        (None, (0,), 1, "1 of 4 CPUs"),
        (1.5, None, 2, "4 of 4 CPUs, limited to 1.5 together with the load"),
        (0.25, (0, 1), 1, "2 of 4 CPUs, limited to 0.25 together with the load"),
        (3.0, (0, 1), 2, "2 of 4 CPUs"),
        (16.0, None, 4, "4 of 4 CPUs"),
    ],
)
def test_usable_are_no_more_cpus_than_the_quota_lets_run(
    monkeypatch: pytest.MonkeyPatch,
    quota: float | None,
    on: tuple[int, ...] | None,
    count: int,
    share: str,
) -> None:
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2, 3))
    monkeypatch.setattr(cpus, "cpu_quota", lambda: quota)
    assert cpus.usable(on) == count
    assert cpus.share(on) == share


@pytest.mark.parametrize("load", [None, (1, 2)])
def test_cpus_that_the_load_may_use_are_said_to_be_shared(
    monkeypatch: pytest.MonkeyPatch, load: tuple[int, ...] | None
) -> None:
    monkeypatch.setattr(cpus, "available", lambda: (0, 1, 2))
    monkeypatch.setattr(cpus, "cpu_quota", lambda: None)
    assert cpus.share((0, 1), load) == "2 of 3 CPUs, shared with the load"
    assert cpus.share((0,), (1, 2)) == "1 of 3 CPUs"
