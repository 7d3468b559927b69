"""What differs between runs: first of what was measured, then of the machines and what drove the
load, then of the settings.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchsuite.comparing.setup import Around
from benchsuite.models import Run
from benchsuite.system.fingerprint import VOLATILE
from benchsuite.system.programs import short_revision

REVISION = "revision of the project"
PACKAGE = "package "
PYTHON = "target's python "
PROGRAM = "program "
SETTING = "setting "
"""How the names of differences begin that may be the very question of a comparison."""

OF_THE_QUESTION = (REVISION, PACKAGE, PYTHON, PROGRAM, SETTING)

IMMATERIAL = frozenset(
    {
        "hostname",
        "kernel_build",
        "file_max",
        "nr_open",
        "nofile_hard",
        "nproc_soft",
        "cgroup_pids_max",
        "cpu_affinity",
        "cpu_bugs",
        "python_build",
        f"{PYTHON}build",
        "locale",
        "env_PYTHONDONTWRITEBYTECODE",
        "env_PYTHONHASHSEED",
        "env_PYTHONIOENCODING",
        "env_PYTHONPATH",
        "env_PYTHONPYCACHEPREFIX",
        "env_PYTHONUNBUFFERED",
        "env_OMP_NUM_THREADS",
        f"{SETTING}(completions)",
    }
)
"""Facts that don't change what is measured, or whose effect another one has: the name of a machine,
limits that are never near, where packages were looked for. Every other fact matters, so one that is
added matters until it is known not to."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is not the same everywhere."""

    name: str
    values: tuple[str, ...]
    """One for each run, in their order; empty where it is not known or not there."""

    @property
    def matters(self) -> bool:
        """Whether it may change what is measured."""
        return self.name not in IMMATERIAL

    @property
    def may_be_the_question(self) -> bool:
        """Whether it is of what is measured, and not of the place where or the means by which."""
        return self.name.startswith(OF_THE_QUESTION)

    @property
    def words(self) -> str:
        """ "kernel 6.1.0 or 6.8.0"."""
        values = dict.fromkeys(one or self.absent for one in self.values)
        return f"{self.name} {' or '.join(values)}"

    @property
    def absent(self) -> str:
        """What it means that there is no value."""
        return ABSENT.get(self.name.split(" ")[0].partition("_")[0], "not known")


ABSENT = {"package": "not installed", "env": "not set"}
"""What it means that there is no value, by how the name begins."""


def differences(runs: Sequence[Run]) -> list[Difference]:
    """Between these runs, one of each cell."""
    return [
        *_differing(
            "", [{REVISION: short_revision(run.revision)} if run.revision else {} for run in runs]
        ),
        *_packages(runs),
        *_pythons(runs),
        *_differing(PROGRAM, _programs(runs)),
        *of_machines([run.environment.data if run.environment else {} for run in runs]),
        *_differing(SETTING, [_flat(run.settings_changed or {}) for run in runs]),
    ]


def of_machines(found: Sequence[Mapping[str, Any]]) -> list[Difference]:
    """Between fingerprints of machines, and of what drove the load there."""
    lasting = ({name: one[name] for name in one if name not in VOLATILE} for one in found)
    return list(_differing("", [_flat(one) for one in lasting]))


def _packages(runs: Sequence[Run]) -> Iterator[Difference]:
    """Every distribution that was installed where a server ran; those that all have come first.

    Where servers had Pythons of their own, what is not in all of them is told in one: ours has many
    that no server needs.
    """
    found = list(_differing(PACKAGE, [run.packages for run in runs]))
    everywhere = [one for one in found if all(one.values)]
    elsewhere = [one for one in found if not all(one.values)]
    yield from everywhere
    if len({Around.of(run).python for run in runs}) < 2:
        yield from elsewhere
    elif elsewhere:
        having = [
            [one.name.removeprefix(PACKAGE) for one in elsewhere if one.values[number]]
            for number in range(len(runs))
        ]
        yield Difference(f"{PACKAGE}not everywhere:", tuple(", ".join(one) for one in having))


def _pythons(runs: Sequence[Run]) -> Iterator[Difference]:
    """Facts of the servers' Pythons, where one is another than that which drives the load."""
    if any(Around.of(run).python for run in runs):
        facts = [run.software.data["python"] if run.software else {} for run in runs]
        yield from _differing(PYTHON, [_flat(one) for one in facts])


def _programs(runs: Sequence[Run]) -> list[dict[str, str]]:
    """The versions of what ran beside the server, as far as all runs had it."""
    found = [
        {
            str(one["name"]): str(one["version"])
            for one in run.programs or ()
            if one.get("version") and one["name"] != run.server
        }
        for run in runs
    ]
    shared = set.intersection(*map(set, found)) if found else set()
    return [{name: one[name] for name in shared} for one in found]


def _flat(data: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in data.items()
        if value is not None
    }


def _differing(prefix: str, facts: Sequence[Mapping[str, str]]) -> Iterator[Difference]:
    """The names that some have otherwise; a run without any facts takes no part."""
    known = [one for one in facts if one]
    for name in sorted({name for one in known for name in one}):
        if len({one.get(name) for one in known}) > 1:
            yield Difference(prefix + name, tuple(one.get(name, "") for one in facts))
