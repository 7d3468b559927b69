"""What a comparison answers: which to take, by how much it is better, and what to mind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchsuite.comparing.cells import Cell
from benchsuite.comparing.contrasts import (
    Contrast,
    Pair,
    Side,
    contrasts,
    few,
    figures_of,
    margins_sentence,
    metric,
    notes,
    speed_notes,
)
from benchsuite.comparing.differences import Comparison, said_first
from benchsuite.comparing.gate import Judgement
from benchsuite.comparing.standing import (
    Standing,
    deciding,
    is_clear,
    more_runs,
    standing,
    unranked,
)
from benchsuite.core.answer import Answer, Shown, Table
from benchsuite.core.metrics.metric import Metric, Scale
from benchsuite.core.units import MISSING, listed
from benchsuite.stats.compare import Outcome

LISTED = 12  #: Differences named before any figure; the JSON has all.
NAMED = 2  #: Configurations named of those that may be as good.

TITLE = "comparebench"

HEADINGS = (
    *("figure", "configuration", "baseline", "runs", "values", "ratio", "95 % interval", "p"),
    "result",
)
FIGURES = HEADINGS[3:-1]


def of_pairs(
    pairs: Sequence[Pair],
    compared: Sequence[Contrast],
    judgements: Sequence[Judgement],
    comparison: Comparison,
    unlike: Sequence[str] = (),
) -> Answer:
    """Of candidates against their baselines: which of all to take where these are one."""
    metrics = list({one.metric.short: one.metric for one in compared}.values())
    if len({id(base) for base, _ in pairs}) == 1:
        card = _card([pairs[0][0], *(candidate for _, candidate in pairs)], compared, metrics)
    else:
        headline, *reasons = verdicts(compared)
        card = Answer(title=TITLE, headline=headline, reasons=reasons)
    by_points = "Failures are compared by difference, in percentage points."
    return replace(
        card,
        premises=[
            *(f"Forced. {reason}" for reason in unlike),
            *said_first(comparison, limit=LISTED),
        ],
        reasons=[*card.reasons, *(one.sentence for one in judgements)],
        table=replace(table(compared), note=margins_sentence(metrics)),
        cautions=[
            *filter(None, [few(compared, more=not card.next_steps), threads_hop(comparison.cells)]),
            *notes(pairs),
            *speed_notes(pairs),
            *[by_points] * any(one.scale is Scale.DIFFERENCE for one in metrics),
        ],
    )


def of_runs(comparison: Comparison, margins: Mapping[str, float]) -> Answer:
    """Of cells: each against the baseline, the one that was chosen or the nearest behind the best;
    without a headline for a single one.
    """
    figures = [metric(name, margins) for name in figures_of(comparison.cells)]
    own = own_targets((run.server, run.server_facts) for run in comparison.runs)
    pairs = comparison.pairs
    if not pairs:
        headline = unranked(comparison.sides, figures[0]) if len(comparison.sides) > 1 else ""
        return Answer(title=TITLE, headline=headline, cautions=[own] if own else [])
    answer = of_pairs(pairs, contrasts(pairs, figures), [], comparison)
    return replace(answer, premises=[], cautions=[*answer.cautions, *[own] * bool(own)])


def ranking(cells: Sequence[Cell], margins: Mapping[str, float]) -> Answer:
    """The same of the runs of these cells."""
    return of_runs(Comparison([run for cell in cells for run in cell.runs]), margins)


def _card(sides: Sequence[Side], compared: Sequence[Contrast], metrics: Sequence[Metric]) -> Answer:
    """Which one to take. What is said of the pair is its contrast, which the table has too."""
    figure = deciding(sides, metrics)
    ranks = standing(sides, figure)
    if ranks is None:
        return Answer(title=TITLE, headline=unranked(sides, figure))
    pair = _told(ranks, [one for one in compared if one.metric is figure])
    more, command = more_runs(ranks)
    if not more and ranks.rivals:
        more = "More runs would hardly tell them apart."
    return Answer(
        title=TITLE,
        headline=_headline(ranks, pair),
        reasons=[*filter(None, (_besides(ranks.best, pair, compared), _rivals(ranks, pair)))],
        next_steps=[more] if more else [],
        command=command,
    )


def _told(ranks: Standing, compared: Sequence[Contrast]) -> Contrast:
    """The best against the baseline; where it is that itself, the nearest other, if possible one
    that is behind.
    """
    by_side = {id(one.candidate.cell): one for one in compared}
    own = by_side.get(id(ranks.best.cell))
    return own or by_side[id(ranks.baseline.cell)]


def _headline(ranks: Standing, pair: Contrast) -> str:
    best, candidate = ranks.best.title, pair.candidate.title
    beside = pair.metric.beside(pair.value_text, pair.baseline.title)
    relation = " ".join(filter(None, (beside, pair.interval_text)))
    if not pair.found.value:
        other = next(one.title for one in (pair.baseline, pair.candidate) if one.title != best)
        return f"{best} {ranks.figure.won}; {other} has {ranks.figure.show(0.0)}."
    if not is_clear(pair):
        few_runs = pair.found.outcome is Outcome.TOO_FEW
        start = "Too close to call" if few_runs else "No difference is clear"
        return f"{start}: {candidate} {relation}."
    it = "it" if pair.candidate.title == best else candidate
    if pair.found.outcome is Outcome.TOO_FEW:
        return f"{best} {ranks.figure.won} so far; {it} {relation}."
    return f"Take {best}; {it} {relation}."


def _rivals(ranks: Standing, pair: Contrast) -> str:
    """Who else may be taken."""
    told = {pair.candidate.title, pair.baseline.title}
    names = [one.candidate.title for one in ranks.rivals if one.candidate.title not in told]
    further = len(names) - NAMED
    shown = [*names[:NAMED], f"{further} more"] if further > 0 else names
    return f"{listed(shown)} may be as good." if shown else ""


def _besides(best: Side, pair: Contrast, compared: Sequence[Contrast]) -> str:
    """What is clear of the same pair in the other figures: "It is worse in memory (1.22)."."""
    words: dict[str, list[str]] = {}
    for one in compared:
        same = one.baseline is pair.baseline and one.candidate is pair.candidate
        if same and one.metric is not pair.metric and one.is_better is not None:
            words.setdefault(outcome(one), []).append(f"{one.metric.short} ({one.value_text})")
    outcomes = " and ".join(f"{word} in {listed(figures)}" for word, figures in words.items())
    who = "It" if pair.candidate is best else pair.candidate.title
    return f"{who} is {outcomes}." if outcomes else ""


def table(compared: Sequence[Contrast]) -> Table:
    """A row for each contrast; p is the corrected one. One baseline for all stands in the title."""
    bases = {one.baseline.title for one in compared}
    made = Table(
        HEADINGS,
        [_row(one) for one in compared],
        title="By how much",
        figures=FIGURES,
        spare=("values", "p", "runs"),
    )
    if len(bases) > 1:
        return made
    place = HEADINGS.index("baseline")
    return replace(
        made,
        title=f"Against {bases.pop()}" if bases else made.title,
        headings=[*HEADINGS[:place], *HEADINGS[place + 1 :]],
        rows=[[*row[:place], *row[place + 1 :]] for row in made.rows],
    )


def _row(contrast: Contrast) -> list[Shown | str]:
    sides = (contrast.candidate, contrast.baseline)
    values = [contrast.metric.show(side.cell.value(contrast.metric)) for side in sides]
    compared = f"Holm, of {contrast.found.compared}" if contrast.found.compared > 1 else ""
    return [
        *(contrast.metric.short, contrast.candidate.title, contrast.baseline.title),
        ":".join(side.cell.starts.number for side in sides),
        " : ".join(values),
        contrast.value_text,
        contrast.interval_text or MISSING,
        Shown(contrast.p_number, compared) if contrast.p_number else MISSING,
        outcome(contrast) if contrast.is_shown or contrast.doubt else contrast.says,
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
        words.setdefault(outcome(contrast), []).append(figure)
    outcomes = "; ".join(f"{word} in {listed(figures)}" for word, figures in words.items())
    return f"{compared[0].candidate.title} against {compared[0].baseline.title}: {outcomes}."


def outcome(contrast: Contrast) -> str:
    """What became of it, in a few words."""
    if contrast.is_better is not None:
        return "better" if contrast.is_better else "worse"
    if contrast.doubt:
        return "invalid"
    unshown = {
        Outcome.TOO_SMALL: "too small a difference",
        Outcome.TOO_FEW: "too few runs",
        Outcome.UNDEFINED: "no ratio",
    }
    return unshown.get(contrast.found.outcome, "no clear difference")


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
