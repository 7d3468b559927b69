"""What a comparison answers: who is first, by how much, whether that is real, and what to mind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import (
    DEFAULT,
    Contrast,
    Pair,
    Side,
    contrasts,
    corrected,
    margins_sentence,
    metric,
    notes,
    ranked,
    speed_notes,
)
from benchsuite.comparing.differences import Comparison, said_first
from benchsuite.comparing.gate import Judgement
from benchsuite.comparing.titles import cell_titles, levels_title, units_beside
from benchsuite.core.answer import Answer, Shown, Table
from benchsuite.core.metrics.metric import Metric, Scale
from benchsuite.core.results import Verdict
from benchsuite.core.units import MISSING, format_ratio, listed
from benchsuite.stats.compare import Outcome
from benchsuite.stats.ranks import FEWEST_STARTS

CLOSE = 1.05
"""Below this ratio no winner is named: a few percent are within what one start differs by."""

STARTS_WANTED = 5  #: Fresh starts of each side that a comparison needs before it proves anything.

LISTED = 12  #: Differences named before any figure; the JSON has all.

TITLE = "comparebench"

HEADINGS = (
    *("figure", "candidate", "baseline", "starts", "values", "ratio", "95 % interval", "p"),
    "result",
)
FIGURES = HEADINGS[3:-1]

Ranked = Sequence[tuple[str, Cell, float]]  #: Title, cell and figure, the best first.


def of_pairs(
    pairs: Sequence[Pair],
    compared: Sequence[Contrast],
    judgements: Sequence[Judgement],
    comparison: Comparison,
    unlike: Sequence[str],
) -> Answer:
    """Of candidates against their baselines."""
    headline, *further = verdicts(compared)
    metrics = {one.metric.short: one.metric for one in compared}.values()
    by_points = "Failures are compared by difference, in percentage points."
    return Answer(
        title=TITLE,
        premises=[
            *(f"Forced. {reason}" for reason in unlike),
            *said_first(comparison, limit=LISTED),
        ],
        headline=headline,
        reasons=[*further, *(one.sentence for one in judgements)],
        table=replace(table(compared), note=margins_sentence(metrics)),
        cautions=[
            *filter(None, map(corrected, compared)),
            *notes(pairs),
            *speed_notes(pairs),
            *[by_points] * any(one.scale is Scale.DIFFERENCE for one in metrics),
        ],
    )


def of_runs(comparison: Comparison, margins: Mapping[str, float]) -> Answer:
    """Of cells: who is first, and each against the baseline where starts repeat."""
    cells = comparison.cells
    ranks = ranking(cells, margins)
    invalid = [
        title
        for title, cell in zip(comparison.titles, cells, strict=True)
        if cell.verdict is Verdict.INVALID
    ]
    cautions = [
        own_targets((run.server, run.server_facts) for run in comparison.runs),
        *ranks.cautions,
        f"○ Invalid, so shown but never ranked: {', '.join(invalid)}." if invalid else "",
    ]
    pairs = _against_baseline(comparison)
    made = contrasts(pairs, [metric(name, margins) for name in DEFAULT])
    return replace(
        ranks,
        headline=ranks.headline
        or "Nothing can be ranked: a comparison needs two cells with figures that are not invalid.",
        table=replace(table(made), note=margins_sentence(one.metric for one in made))
        if made
        else None,
        cautions=[*filter(None, cautions), *notes(pairs)],
    )


def ranking(cells: Sequence[Cell], margins: Mapping[str, float]) -> Answer:
    """Who is first in each figure, or why nobody is; without a headline for a single cell. Of idle
    connections it is what each takes.
    """
    idle = any(cell.middle("connection_bytes") is not None for cell in cells)
    figures = [metric(name, margins) for name in (("connection",) if idle else DEFAULT)]
    first, *further = (leader(cells, one) for one in figures)
    reasons = [one for one in further if one]
    cautions = [starts_wanted(cells), threads_hop(cells)] if first or reasons else []
    return Answer(
        title=TITLE,
        headline=first or _unranked(cells, figures[0]),
        reasons=reasons,
        cautions=[one for one in cautions if one],
    )


def table(compared: Sequence[Contrast]) -> Table:
    """A row for each contrast; p is the corrected one."""
    return Table(HEADINGS, [_row(one) for one in compared], title="Is it real?", figures=FIGURES)


def _row(contrast: Contrast) -> list[Shown | str]:
    first, second = contrast.found.means
    compared = f"Holm, of {contrast.found.compared}" if contrast.found.compared > 1 else ""
    better = {True: "better", False: "worse", None: ""}[contrast.is_better]
    return [
        *(contrast.metric.short, contrast.candidate.title, contrast.baseline.title),
        f"{contrast.found.starts[1]}:{contrast.found.starts[0]}",
        f"{contrast.metric.show(second)} : {contrast.metric.show(first)}",
        contrast.value_text,
        contrast.interval_text or MISSING,
        Shown(contrast.p_number, compared) if contrast.p_number else MISSING,
        better or contrast.says,
    ]


def verdicts(compared: Sequence[Contrast]) -> list[str]:
    """Each candidate in a sentence: "b against a: better in goodput and p95; ..."."""
    by_pair: dict[tuple[int, int], list[Contrast]] = {}
    for contrast in compared:
        by_pair.setdefault((id(contrast.baseline), id(contrast.candidate)), []).append(contrast)
    return [_verdict(group) for group in by_pair.values()]


def _verdict(compared: Sequence[Contrast]) -> str:
    words: dict[str, list[str]] = {}
    for contrast in compared:
        figure = f"{contrast.metric.short} ({contrast.value_text})"
        words.setdefault(_outcome(contrast), []).append(figure)
    outcomes = "; ".join(f"{word} in {listed(figures)}" for word, figures in words.items())
    return f"{compared[0].candidate.title} against {compared[0].baseline.title}: {outcomes}."


def _outcome(contrast: Contrast) -> str:
    if contrast.is_better is not None:
        return "better" if contrast.is_better else "worse"
    if contrast.doubt:
        return "nothing to conclude"
    unshown = {
        Outcome.TOO_SMALL: "too small a difference",
        Outcome.TOO_FEW: "too few starts",
        Outcome.UNDEFINED: "no ratio",
    }
    return unshown.get(contrast.found.outcome, "no difference shown")


def _against_baseline(comparison: Comparison) -> list[Pair]:
    """Empty without a baseline, or when no side has more than one start: nothing can be tested."""
    sides = [
        Side(title, cell)
        for title, cell in zip(comparison.titles, comparison.cells, strict=True)
        if cell.measured
    ]
    base = next((side for side in sides if side.cell is comparison.baseline), None)
    if base is None or all(len(side.cell.runs) < 2 for side in sides):
        return []
    return [(base, side) for side in sides if side is not base]


def leader(cells: Sequence[Cell], figure: Metric) -> str:
    """Who is first in one figure, against the next; invalid cells take no part.

    Times and memory of different levels of a load are not ranked.
    """
    if not figure.more_is_better and len(levels := {levels_title(cell) for cell in cells}) > 1:
        about = figure.heading[:1].upper() + figure.heading[1:]
        return f"{about} is not ranked: the figures are of {listed(sorted(filter(None, levels)))}."
    return _tested_leader(cells, figure) or _seen_leader(_ranked(cells, figure), figure)


def _tested_leader(cells: Sequence[Cell], figure: Metric) -> str:
    """ "granian-wsgi answered most: 1.31× gunicorn-gthread’s goodput [1.24, 1.38], p = 0.008.": the
    best against the next. Where these can't be told apart, why not, and the best against the
    nearest that is different. Empty where one of the two has fewer than five starts.
    """
    compared = ranked(cells, figure)
    if not compared or min(compared[0].found.starts) < FEWEST_STARTS:
        return ""
    nearest = compared[0]
    best, other = _best_and_other(nearest)
    tie = ""
    if not nearest.is_shown:
        figures = " ".join(part for part in (nearest.value_text, nearest.interval_text) if part)
        tie = f"{best} and {other}, {figure.short} {figures}: {nearest.says}."
    different = next((one for one in compared if one.is_shown), None)
    if different is None:
        return tie
    ratio = figure.lost.format(
        ratio=f"{different.value_text}×",
        other=_best_and_other(different)[1],
        figure=f" {figure.short}",
    )
    first = f"{best} against the next that differs" if tie else f"{best} {figure.won}"
    return f"{tie} {first}: {ratio} {different.interval_text}, {different.p_text}.".strip()


def _best_and_other(nearest: Contrast) -> tuple[str, str]:
    titles = (nearest.baseline.title, nearest.candidate.title)
    return (titles[1], titles[0]) if nearest.metric.more_is_better else titles


def _seen_leader(ranked: Ranked, figure: Metric) -> str:
    """What was seen of too few starts; empty for fewer than two cells."""
    if len(ranked) < 2:
        return ""
    (first, cell, best), (second, next_cell, next_best), *_ = ranked
    units = units_beside(cell.first)
    shown, other = figure.show(best, units), figure.show(next_best, units)
    ratio = _ratio(best, next_best)
    if next_best and (ratio < CLOSE or _overlap(cell, next_cell, figure)):
        tie = f"{first} and {second} are too close to call in {figure.heading}: {shown} and {other}"
        return f"{tie}{_further(ranked, figure)}."
    if not next_best or not best:
        return f"{first} {figure.won}: {shown}; {second}: {other}."
    lost = figure.lost.format(ratio=format_ratio(ratio), other=second, figure="")
    return f"{first} {figure.won}: {shown}, {lost} ({other})."


def _further(ranked: Ranked, figure: Metric) -> str:
    """The nearest of the others that is not too close to the best; empty without one."""
    _, cell, best = ranked[0]
    for title, other, value in ranked[2:]:
        if min(best, value) and _ratio(best, value) >= CLOSE and not _overlap(cell, other, figure):
            return f"; {title} had {figure.show(value)}, {format_ratio(value / best)}"
    return ""


def _ratio(first: float, second: float) -> float:
    less, more = sorted((first, second))
    return more / less if less else 1.0


def _ranked(cells: Sequence[Cell], figure: Metric) -> Ranked:
    """By medians; nothing where the answers are not of one unit."""
    sound = [
        (title, cell, value)
        for title, cell in zip(cell_titles(cells), cells, strict=True)
        if cell.is_sound and (value := cell.value(figure)) is not None
    ]
    if figure.of_answers and len({cell.unit for _, cell, _ in sound}) > 1:
        return []
    return sorted(sound, key=lambda entry: entry[2], reverse=figure.more_is_better)


def _overlap(first: Cell, second: Cell, figure: Metric) -> bool:
    """Whether starts of the one lie among starts of the other; with one start it can't be seen, but
    where each start knows its own interval.
    """
    if figure.name == "connection_bytes":
        (low, high), (other_low, other_high) = _idle_interval(first), _idle_interval(second)
        return low <= other_high and other_low <= high
    mine, theirs = first.spread(figure.name), second.spread(figure.name)
    if mine is None or theirs is None or min(len(first.entering), len(second.entering)) < 2:
        return False
    return mine.least <= theirs.most and theirs.least <= mine.most


def _idle_interval(cell: Cell) -> tuple[float, float]:
    """The bytes between which an idle connection's memory lies, over all starts of a cell."""
    measured = [run for run in cell.measured if run.connection_bytes is not None]
    intervals = [run.websockets["idle"] for run in measured if run.websockets]
    return min(one["low_bytes"] for one in intervals), max(one["high_bytes"] for one in intervals)


def _unranked(cells: Sequence[Cell], figure: Metric) -> str:
    """Why no server is named first by this figure though there are several; empty when there is
    one, and where each has the figure.
    """
    if len(cells) < 2:
        return ""
    if len({cell.unit for cell in cells if cell.is_sound}) > 1:
        return "Nothing is ranked: their answers are not of the same unit."
    out = []
    for title, cell in zip(cell_titles(cells), cells, strict=True):
        if not cell.measured:
            out.append(f"{title} has no figures")
        elif not cell.is_sound:
            out.append(f"{title} is invalid")
        elif cell.middle(figure.name) is None:
            out.append(f"{title} has no {figure.heading}")
    return f"Nothing is ranked: {listed(out)}." if out else ""


def starts_wanted(cells: Sequence[Cell]) -> str:
    """How many server starts the comparison stands on, and what more would give."""
    counts = sorted({len(cell.entering) for cell in cells if cell.is_sound})
    if not counts or counts[0] >= STARTS_WANTED:
        return ""
    if counts == [1]:
        many = "One start each"
    else:
        many = f"{'–'.join(str(count) for count in {counts[0]: 0, counts[-1]: 0})} starts each"
    return f"{many}: a difference may be chance; --repeat {STARTS_WANTED} would tell."


def threads_hop(cells: Sequence[Cell]) -> str:
    """Warns that ASGI servers run sync views in a thread, when some of these do."""
    hopping: dict[str, str] = {}
    for run in (cell.first for cell in cells):
        facts = run.server_facts
        is_asgi = facts.get("interface") == "asgi" and facts.get("serves_project", True)
        if is_asgi and facts.get("async_twin"):
            hopping.setdefault(run.server, facts["async_twin"])
    if not hopping or len(hopping) == len({cell.first.server for cell in cells}):
        return ""
    verb = "runs" if len(hopping) == 1 else "run"
    return (
        f"{listed(list(hopping))} {verb} sync views in a thread (docs/reading-results.md): "
        f"compare with --workload={next(iter(hopping.values()))}."
    )


def own_targets(facts: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Which of these servers, each with its facts, don't measure the project; empty when all do."""
    own = sorted({name for name, one in facts if not one.get("serves_project", True)})
    if not own:
        return ""
    if len(own) == 1:
        return f"{own[0]} serves a small target of its own, not this project."
    return f"{listed(own)} serve small targets of their own, not this project."
