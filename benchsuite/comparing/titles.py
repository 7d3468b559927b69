"""How runs and cells are called on pages and in sentences, and what stood around their servers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from benchsuite.comparing.cells import Cell
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import (
    COLLECT,
    SKIP,
    DatabaseSpec,
    DelaySpec,
    LayerSpec,
    LoadProfile,
    RunSpec,
    ServerSpec,
    TargetSpec,
    VisitorSpec,
)
from benchsuite.core.units import in_words
from benchsuite.models import Run
from benchsuite.system.cpus import words
from benchsuite.system.programs import short_revision

STATIC = {COLLECT: "static files collected", SKIP: "static files not collected"}
"""What --static said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Words for each thing; empty where there is nothing to say."""

    python: str
    application: str
    front: str
    database: str
    layer: str
    delay: str
    visitor: str
    static: str
    target: str

    @classmethod
    def of_spec(cls, spec: RunSpec) -> Self:
        return cls(
            python=spec.server.python_words,
            application=spec.server.application,
            front=spec.server.front_words,
            database=spec.database.words,
            layer=spec.layer.words,
            delay=spec.delay.words,
            visitor=spec.visitor.words,
            static=STATIC.get(spec.static, ""),
            target=spec.target.words,
        )

    @classmethod
    def of(cls, run: Run) -> Self:
        """Of a stored run, whichever parts its spec has."""
        spec = run.spec
        server = ServerSpec.from_json(spec.get("server") or {"server": ""})
        return cls(
            python=server.python_words,
            application=server.application,
            front=server.front_words,
            database=DatabaseSpec.from_json(spec.get("database") or {}).words,
            layer=LayerSpec.from_json(spec.get("layer") or {}).words,
            delay=DelaySpec.from_json(spec.get("delay") or {}).words,
            visitor=VisitorSpec.from_json(spec.get("visitor") or {}).words,
            static=STATIC.get(spec.get("static") or "", ""),
            target=TargetSpec.from_json(spec.get("target") or {}).words,
        )


NO_DETAILS = ("format version", "label", "repetition", "seed")
"""Fields of a spec in which the starts of a cell differ, or that title it by themselves."""


def workload_title(run: Run) -> str:
    """The workload with the options it was given: "io_read", "url /shop/", "cpu size=1000"."""
    return workload_words(run.workload, _part(run.spec, "workload").get("options", {}))


def workload_words(name: str, options: Mapping[str, object]) -> str:
    words, options = [name], dict(options)
    if path := options.pop("path", ""):
        words.append(str(path))
    words += [f"{name}={_in_line(value)}" for name, value in sorted(options.items())]
    return " ".join(words)


def _in_line(value: object) -> str:
    """An option that was given several times has a line for each."""
    return in_words(value).replace("\n", ", ")


def load_title(run: Run) -> str:
    """How much load: "100 users", "200 /s", "50, 100, 200 users", "100 connections"."""
    load, who = _part(run.spec, "load"), who_of(run)
    if run.arrival_rate is not None or load.get("stages") or load.get("iterations"):
        return LoadProfile.from_json(load).words_of(who)
    if run.users is None:
        return run.model
    return f"{run.users} {who}" if run.users == 1 else f"{run.users} {who}s"


def level_title(run: Run) -> str:
    """Which of its levels the figures of a run with stages are of: "50 users"; empty for others."""
    if run.level is None:
        return ""
    return LoadProfile.from_json(_part(run.spec, "load")).level_words(run.level, who_of(run))


def levels_title(cell: Cell) -> str:
    """The same of all starts of a cell, which need not agree: "50 users or 100 users"."""
    names = {run.level: level_title(run) for run in cell.shown if run.level is not None}
    return " or ".join(names[level] for level in sorted(names))


def keeps_alive(run: Run) -> bool:
    """Whether the load kept connections; most do, also where the spec can't be read."""
    return _part(run.spec, "load").get("keep_alive", True) is not False


def who_of(run: Run) -> str:
    """Who asks, in the singular: a user or, with WebSockets, a connection."""
    return "user" if run.unit == REQUEST else "connection"


def units_of(run: Run) -> str:
    """What the figures are of, as people count it: "requests", "messages", "handshakes"."""
    return f"{run.unit}s"


def units_beside(run: Run) -> str:
    """The same where it must be told: figures without a unit's name are of requests."""
    return "" if run.unit == REQUEST else units_of(run)


def size_title(run: Run) -> str:
    """Processes × threads: "2 × 4"; "—" for what is not known."""
    if run.processes is None and run.threads is None:
        return "—"
    return f"{_or_dash(run.processes)} × {_or_dash(run.threads)}"


def cpus_title(run: Run) -> str:
    """Where server and load ran: "server on CPU 0, load on CPU 1", or that they shared all."""
    server, load = _part(run.spec, "server").get("cpus"), _part(run.spec, "load").get("cpus")
    if server is None or load is None:
        return "server and load shared all CPUs"
    return f"server on {words(server)}, load on {words(load)}"


def options_title(run: Run) -> str:
    """The server's own options: "backlog=4096, http=h11"; empty without any."""
    options = _part(run.spec, "server").get("options", {})
    return ", ".join(f"{name}={_in_line(value)}" for name, value in sorted(options.items()))


def cell_titles(cells: Sequence[Cell]) -> list[str]:
    """The server of each cell and, where servers repeat, whatever else tells its cells apart."""
    facets = [_facets(cell.first) for cell in cells]
    titles = []
    for mine in facets:
        same = [other for other in facets if other["server"] == mine["server"]]
        telling = _telling(same)
        titles.append(
            " · ".join([mine["server"], *(mine.get(name) or f"no {name}" for name in telling)])
        )
    return _numbered(titles)


def _telling(facets: Sequence[Mapping[str, str]]) -> list[str]:
    """The fewest names, taken in their order, whose values tell all of these apart."""
    telling: list[str] = []
    for name in dict.fromkeys(name for one in facets for name in one):
        apart = {tuple(one.get(known) for known in telling) for one in facets}
        further = {tuple(one.get(known) for known in [*telling, name]) for one in facets}
        if len(further) > len(apart):
            telling.append(name)
        if len(further) == len(facets):
            break
    return telling


def _facets(run: Run) -> dict[str, str]:
    around = Around.of(run)
    return {
        "server": run.server,
        "size": size_title(run),
        "options": options_title(run),
        "python": around.python or "own environment",
        "application": around.application or "the project",
        "front": around.front,
        "database": around.database,
        "layer": around.layer,
        "delay": around.delay,
        "target": around.target,
        "label": run.label,
        "version": run.server_version,
        "workload": workload_title(run),
        "visitor": around.visitor or "nobody in particular",
        "cookies": "cookies kept" if _part(run.spec, "load").get("keep_cookies") else "",
        "static": around.static or "static files as found",
        "load": load_title(run),
        "Python": f"Python {run.python_version}" if run.python_version else "",
        "revision": short_revision(run.revision),
        "environment": f"environment {run.environment.fingerprint[:6]}" if run.environment else "",
        "packages": f"packages {run.software.fingerprint[:6]}" if run.software else "",
        **dict(_details(run.spec)),
    }


def _details(spec: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, str]]:
    """Every field of a spec that makes it another cell, in words: "load timeout 5 s"."""
    for field, value in spec.items():
        name = f"{of} {field.removesuffix('_s').replace('_', ' ')}".strip()
        if isinstance(value, Mapping):
            yield from _details(value, name)
        elif name not in NO_DETAILS:
            yield name, _detail(name, value, " s" if field.endswith("_s") else "")


def _detail(name: str, value: object, unit: str) -> str:
    if isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, list | tuple):
        return f"{name} {', '.join(map(str, value))}" if value else ""
    return "" if value in (None, "") else f"{name} {value}{unit}"


def _numbered(titles: list[str]) -> list[str]:
    """Titles that are still equal get a number."""
    return [
        f"{title} ({titles[: index + 1].count(title)})" if titles.count(title) > 1 else title
        for index, title in enumerate(titles)
    ]


def _part(spec: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part: Mapping[str, Any] = spec.get(name) or {}
    return part


def _or_dash(number: int | None) -> str:
    return "—" if number is None else str(number)
