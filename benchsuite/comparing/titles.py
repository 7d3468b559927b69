"""How runs and cells are called on pages and in sentences, and what stood around their servers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import LoadProfile
from benchsuite.core.specs.run import COLLECT, PARTS, SKIP
from benchsuite.core.units import in_words
from benchsuite.models import Run
from benchsuite.system.cpus import words
from benchsuite.system.programs import short_revision

STATIC = {COLLECT: "static files collected", SKIP: "static files not collected"}  #: By --static.

AROUND = ("server", "database", "layer", "delay", "visitor", "target")
"""Parts of a run that say what stands around its server."""


def around(spec: Mapping[str, Any]) -> dict[str, str]:
    """What stands around a server, in words by what it is, of any stored spec, "" for nothing."""
    stored = {"server": {"server": ""}, **{name: part for name, part in spec.items() if part}}
    parts: dict[str, Any] = {name: PARTS[name].from_json(stored.get(name, {})) for name in AROUND}
    server = parts.pop("server")
    return {
        **{name: part.words for name, part in parts.items()},
        "python": server.python_words,
        "application": server.application,
        "front": server.front_words,
        "static": STATIC.get(stored.get("static", ""), ""),
    }


NO_DETAILS = ("format version", "label", "repetition", "seed")
"""Fields of a spec in which the starts of a cell differ, or that title it by themselves."""


def workload_title(run: Run) -> str:
    """The workload with the options it was given: "io_read", "url /shop/", "cpu size=1000"."""
    return workload_words(run.workload, run.part("workload").get("options", {}))


def workload_words(name: str, options: Mapping[str, object]) -> str:
    options = dict(options)
    path = options.pop("path", "")
    return " ".join([name, *([str(path)] if path else []), *_settings(options)])


def _settings(options: Mapping[str, object]) -> list[str]:
    """An option that was given several times has a line for each value."""
    lines = {name: in_words(value).replace("\n", ", ") for name, value in sorted(options.items())}
    return [f"{name}={line}" for name, line in lines.items()]


def load_title(run: Run) -> str:
    """How much load: "100 users", "200 /s", "50, 100, 200 users", "100 connections"."""
    load, who = run.part("load"), who_of(run)
    if run.arrival_rate is not None or load.get("stages") or load.get("iterations"):
        return LoadProfile.from_json(load).words_of(who)
    return run.model if run.users is None else f"{run.users} {who}{'s' * (run.users != 1)}"


def level_title(run: Run) -> str:
    """Which of its levels the figures of a run with stages are of: "50 users"; empty for others."""
    if run.level is None:
        return ""
    return LoadProfile.from_json(run.part("load")).level_words(run.level, who_of(run))


def levels_title(cell: Cell) -> str:
    """The same of all starts of a cell, which need not agree: "50 users or 100 users"."""
    names = {run.level: level_title(run) for run in cell.shown if run.level is not None}
    return " or ".join(names[level] for level in sorted(names))


def keeps_alive(run: Run) -> bool:
    """Whether the load kept connections; most do, also where the spec can't be read."""
    return run.part("load").get("keep_alive", True) is not False


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
    sizes = ["—" if size is None else str(size) for size in (run.processes, run.threads)]
    return "—" if sizes == ["—", "—"] else " × ".join(sizes)


def cpus_title(run: Run) -> str:
    """Where server and load ran: "server on CPU 0, load on CPU 1", or that they shared all."""
    server, load = run.part("server").get("cpus"), run.part("load").get("cpus")
    if not run.server_facts.get("starts", True):
        return f"load on {'all CPUs' if load is None else words(load)}"
    if server is None or load is None:
        return "server and load shared all CPUs"
    return f"server on {words(server)}, load on {words(load)}"


def options_title(run: Run) -> str:
    """The server's own options: "backlog=4096, http=h11"; empty without any."""
    return ", ".join(_settings(run.part("server").get("options", {})))


def cell_titles(cells: Sequence[Cell], *, apart_from: Collection[str] = ()) -> list[str]:
    """The server of each cell and, where servers repeat, what tells its cells apart, but nothing
    `apart_from`: the first words of what is said of a run, such as "load".
    """
    every = (_facets(cell.first).items() for cell in cells)
    facets = [
        {name: words for name, words in one if name.split()[0] not in apart_from} for one in every
    ]
    titles = []
    for mine in facets:
        telling = _telling([other for other in facets if other["server"] == mine["server"]])
        apart = [mine.get(name) or f"no {name}" for name in telling]
        titles.append(" · ".join([mine["server"], *apart]))
    return [
        f"{title} ({titles[: index + 1].count(title)})" if titles.count(title) > 1 else title
        for index, title in enumerate(titles)
    ]


def titled(cells: Sequence[Cell]) -> list[Cell]:
    """The same cells, each with its title among these."""
    named = zip(cells, cell_titles(cells), strict=True)
    return [replace(cell, title=title) for cell, title in named]


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
    beside = around(run.spec)
    return {
        "server": run.server,
        "size": size_title(run),
        "options": options_title(run),
        "python": beside["python"] or "own environment",
        "application": beside["application"] or "the project",
        **{name: beside[name] for name in ("front", "database", "layer", "delay", "target")},
        "label": run.label,
        "version": run.server_version,
        "workload": workload_title(run),
        "visitor": beside["visitor"] or "nobody in particular",
        "cookies": "cookies kept" if run.part("load").get("keep_cookies") else "",
        "static": beside["static"] or "static files as found",
        "load": load_title(run),
        "Python": f"Python {run.python_version}" if run.python_version else "",
        "revision": short_revision(run.revision),
        "environment": f"environment {run.environment.fingerprint[:6]}" if run.environment else "",
        "packages": f"packages {run.software.fingerprint[:6]}" if run.software else "",
        **dict(details(run.spec)),
    }


def details(spec: Mapping[str, Any], of: str = "") -> Iterator[tuple[str, str]]:
    """Every field of a spec that makes it another cell, in words: "load timeout 5 s"."""
    for field, value in spec.items():
        name = f"{of} {field.removesuffix('_s').replace('_', ' ')}".strip()
        if isinstance(value, Mapping):
            yield from details(value, name)
        elif name in NO_DETAILS:
            continue
        elif isinstance(value, bool):
            yield name, name if value else f"no {name}"
        else:
            unit = " s" * field.endswith("_s")
            yield name, "" if value in (None, "", [], ()) else f"{name} {in_words(value)}{unit}"
