"""What differs between runs, and which of them may be compared."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchsuite.comparing.cells import Cell, cells, counted
from benchsuite.comparing.contrasts import Pair, deciding, figures_of, metric, standing
from benchsuite.comparing.titles import around, details, load_title, titled, workload_title
from benchsuite.core.units import first_of, gathered, in_words, some_of
from benchsuite.models import Run
from benchsuite.system.fingerprint import VOLATILE
from benchsuite.system.programs import short_revision

PROJECT, REVISION = "project", "revision of the project"
PACKAGE, PYTHON, PROGRAM, SETTING = "package ", "target's python ", "program ", "setting "
OF_THE_QUESTION = (PROJECT, REVISION, PACKAGE, PYTHON, PROGRAM, SETTING)
"""How the names of differences begin that may be the very question of a comparison."""

IMMATERIAL = frozenset(
    (
        *("hostname", "kernel_build", "file_max", "nr_open", "nofile_hard", "nproc_soft"),
        *("cgroup_pids_max", "cpu_affinity", "cpu_bugs", "python_build", f"{PYTHON}build"),
        *("locale", "env_PYTHONDONTWRITEBYTECODE", "env_PYTHONHASHSEED", "env_PYTHONIOENCODING"),
        *("env_PYTHONPATH", "env_PYTHONPYCACHEPREFIX", "env_PYTHONUNBUFFERED"),
        *("env_OMP_NUM_THREADS", f"{SETTING}(completions)"),
    )
)
"""Facts that change nothing measured, or whose effect another has; any other matters."""

ABSENT = {"package": "not installed", "env": "not set"}
"""What it means that there is no value, by how the name begins."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that is not the same everywhere."""

    name: str
    values: tuple[str, ...]  #: One for each run, in order; empty where not known or not there.

    @property
    def matters(self) -> bool:
        """Whether it may change what is measured."""
        return self.name not in IMMATERIAL

    @property
    def absent(self) -> str:
        """What it means that there is no value."""
        return ABSENT.get(self.name.split(" ")[0].partition("_")[0], "not known")

    @property
    def words(self) -> str:
        """ "kernel 6.1.0 or 6.8.0"."""
        values = dict.fromkeys(value or self.absent for value in self.values)
        return f"{self.name} {' or '.join(values)}"


def differences(runs: Sequence[Run]) -> list[Difference]:
    """Between these runs, one of each cell."""
    projects = [{PROJECT: run.project} if run.project else {} for run in runs]
    revisions = [{REVISION: short_revision(run.revision)} if run.revision else {} for run in runs]
    pythons = []  # told where a server has another one than that which drives the load
    if any(around(run.spec)["python"] for run in runs):
        pythons = [_flat(run.software.data["python"]) if run.software else {} for run in runs]
    programs = [
        {
            str(program["name"]): str(program["version"])
            for program in run.programs or ()
            if program.get("version") and program["name"] != run.server
        }
        for run in runs
    ]
    shared = set.intersection(*map(set, programs)) if programs else set()
    programs = [{name: versions[name] for name in shared} for versions in programs]
    return [
        *_differing("", projects),
        *_differing("", revisions),
        *_packages(runs),
        *_differing(PYTHON, pythons),
        *_differing(PROGRAM, programs),
        *of_machines([run.environment.data if run.environment else {} for run in runs]),
        *_differing(SETTING, [_flat(run.settings_changed or {}) for run in runs]),
    ]


def of_machines(fingerprints: Sequence[Mapping[str, Any]]) -> list[Difference]:
    """Between fingerprints of machines, and of what drove the load there."""
    lasting = ({name: one[name] for name in one if name not in VOLATILE} for one in fingerprints)
    return list(_differing("", [_flat(one) for one in lasting]))


def _packages(runs: Sequence[Run]) -> Iterator[Difference]:
    """Every distribution where a server ran; those that all have come first. Where servers had
    Pythons of their own, the others are told in one: ours has many that no server needs.
    """
    differing = list(_differing(PACKAGE, [run.packages for run in runs]))
    elsewhere = [one for one in differing if not all(one.values)]
    yield from (one for one in differing if all(one.values))
    if len({around(run.spec)["python"] for run in runs}) < 2:
        yield from elsewhere
    elif elsewhere:
        having = [
            ", ".join(one.name.removeprefix(PACKAGE) for one in elsewhere if one.values[number])
            for number in range(len(runs))
        ]
        yield Difference(f"{PACKAGE}not everywhere:", tuple(having))


def _flat(data: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else in_words(value)
        for name, value in data.items()
        if value is not None
    }


def _differing(prefix: str, facts: Sequence[Mapping[str, str]]) -> Iterator[Difference]:
    """The names that some have otherwise; a run without any facts takes no part."""
    known = [one for one in facts if one]
    for name in sorted({name for one in known for name in one}):
        if len({one.get(name) for one in known}) > 1:
            yield Difference(prefix + name, tuple(one.get(name, "") for one in facts))


class Comparison:
    """Runs that count, grouped into cells; one of these is what the others are divided by."""

    def __init__(self, runs: Sequence[Run], *, baseline: str = "") -> None:
        """`baseline` is the id of a run of the cell that was chosen."""
        self.runs = counted(runs)
        self.cells = titled(cells(self.runs))
        self.titles = [cell.title for cell in self.cells]
        self.baseline = self._baseline(baseline)

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs between the cells, what was measured first."""
        return differences([cell.first for cell in self.cells])

    @property
    def pairs(self) -> list[Pair]:
        """The baseline with each other cell that has figures; none without a baseline."""
        base = self.baseline
        if base is None:
            return []
        return [(base, cell) for cell in self.cells if cell is not base and cell.measured]

    def _baseline(self, wanted: str) -> Cell | None:
        """The cell with the wanted run, else the nearest behind the best; None if none is sound."""
        sound = [cell for cell in self.cells if cell.is_sound]
        for cell in sound:
            if wanted.replace("-", "") in {run.pk.hex for run in cell.runs}:
                return cell
        ranks = standing(sound, deciding(sound, [metric(name) for name in figures_of(self.cells)]))
        return ranks.nearest.candidate if ranks else next(iter(sound), None)


TITLED = {
    "load": ("model", "users", "arrival rate", "arrivals", "stages", "iterations"),
    "data": (
        *("use", "fixtures", "fill", "fill from", "fsync", "pool"),
        *("max connections", "conn max age"),
    ),
}
"""Fields of a part of the spec of which its title tells."""

NAMED = 3  #: Cells that are named where several have the same.
MOST_TOLD = 6  #: Differences of a kind that a sentence tells.
LISTED = 12  #: Differences named before any figure; the JSON has all.


@dataclass(frozen=True, slots=True)
class Unlike:
    """Of what kind some differences are, for which cells should not be compared."""

    kind: str
    differences: Sequence[Difference]

    def sentence(self, titles: Sequence[str]) -> str:
        """Not the same environment: kernel 6.1.0 (a, b, c and 2 more) or 6.8.0 (d)."""
        parts = []
        for difference in self.differences:
            had = [value or difference.absent for value in difference.values]
            having = gathered(zip(had, titles, strict=True))
            values = [f"{value} ({some_of(each, NAMED)})" for value, each in having.items()]
            name = f"{difference.name} " * (difference.name != self.kind)
            parts.append(f"{name}{' or '.join(values)}")
        return f"Not the same {self.kind}: {'; '.join(first_of(parts, MOST_TOLD))}."


def unlike(comparison: Comparison) -> list[Unlike]:
    """Why these runs should not be compared, by kind; empty when they may."""
    firsts = [cell.first for cell in comparison.cells]
    databases = [around(run.spec)["database"] for run in firsts]
    material = [difference for difference in comparison.differences if difference.matters]
    kinds = {
        "workload": _differing("", [{"workload": workload_title(run)} for run in firsts]),
        "load": _parts("load", map(load_title, firsts), [run.part("load") for run in firsts]),
        "data": _parts("data", databases, [run.part("database") for run in firsts]),
        "environment": (one for one in material if not one.name.startswith(OF_THE_QUESTION)),
    }
    every = [Unlike(kind, list(differing)) for kind, differing in kinds.items()]
    return [of_kind for of_kind in every if of_kind.differences]


def said_first(comparison: Comparison) -> list[str]:
    """The sentence about what differs, where something does."""
    words = first_of([difference.words for difference in comparison.differences], LISTED)
    return [f"What differs: {'; '.join(words)}."] if words else []


def _parts(
    kind: str, titles: Iterable[str], parts: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    """Between titles of a part of the spec, and between the fields that these don't tell."""
    yield from _differing("", [{kind: title} for title in titles])
    facts = [dict(details(part, kind)) for part in parts]
    for name in dict.fromkeys(name for fields in facts for name in fields):
        values = tuple(fields.get(name) or f"no {name}" for fields in facts)
        if name.removeprefix(f"{kind} ") not in TITLED[kind] and len(set(values)) > 1:
            yield Difference(kind, values)
