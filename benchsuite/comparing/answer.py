"""What a comparison answers: which to take, by how much, what to mind, where loads level off."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchsuite.comparing import contrasts
from benchsuite.comparing.cells import Cell, per_journey
from benchsuite.comparing.contrasts import Contrast, Pair, is_clear, metric
from benchsuite.comparing.differences import Comparison, said_first
from benchsuite.comparing.gate import Judgement
from benchsuite.comparing.titles import cell_titles, load_title, units_beside, workload_title
from benchsuite.core.answer import Answer, Shown, Table
from benchsuite.core.metrics.every import Metric, Scale
from benchsuite.core.specs import OPEN
from benchsuite.core.units import MISSING, first_of, format_rate, gathered, listed
from benchsuite.models import Run
from benchsuite.stats.compare import Outcome
from benchsuite.stats.levels import LEVELS_OFF

NAMED = 2  #: Configurations named of those that may be as good.

TITLE = "comparebench"

HEADINGS = (
    *("figure", "configuration", "baseline", "runs", "values", "ratio", "95 % interval", "p"),
    "result",
)


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
        headline, *reasons = _verdicts(compared)
        card = Answer(title=TITLE, headline=headline, reasons=reasons)
    by_points = "Failures are compared by difference, in percentage points."
    too_few = contrasts.few(compared, more=not card.next_steps)
    return replace(
        card,
        premises=[*(f"Forced. {reason}" for reason in unlike), *said_first(comparison)],
        reasons=[*card.reasons, *(one.sentence for one in judgements)],
        table=replace(_table(compared), note=contrasts.margins_sentence(metrics)),
        cautions=[
            *filter(None, (too_few, threads_hop(comparison.cells))),
            *contrasts.notes(pairs),
            *[by_points] * any(one.scale is Scale.DIFFERENCE for one in metrics),
        ],
    )


def of_runs(comparison: Comparison, margins: Mapping[str, float]) -> Answer:
    """Of cells: each against the baseline; without a headline for a single one."""
    figures = [metric(name, margins) for name in contrasts.figures_of(comparison.cells)]
    own = own_targets((run.server, run.server_facts) for run in comparison.runs)
    if pairs := comparison.pairs:
        answer = of_pairs(pairs, contrasts.contrasts(pairs, figures), [], comparison)
    else:
        several = len(comparison.cells) > 1
        headline = contrasts.unranked(comparison.cells, figures[0]) if several else ""
        answer = Answer(title=TITLE, headline=headline)
    return replace(answer, premises=[], cautions=[*answer.cautions, *filter(None, [own])])


def ranking(cells: Sequence[Cell], margins: Mapping[str, float]) -> Answer:
    """The same of the runs of these cells; of several loads, at that where the best levels off."""
    if len({workload_title(cell.first) for cell in cells}) > 1:
        return Answer(title=TITLE, headline="Nothing is ranked: they did not do the same work.")
    if lines := climbs(cells):
        return answer_of(lines, margins)
    return of_runs(Comparison([run for cell in cells for run in cell.runs]), margins)


def _card(cells: Sequence[Cell], compared: Sequence[Contrast], metrics: Sequence[Metric]) -> Answer:
    """Which to take, by a pair: the best and the baseline or, if it is that, the nearest."""
    figure = contrasts.deciding(cells, metrics)
    if (ranks := contrasts.standing(cells, figure)) is None:
        return Answer(title=TITLE, headline=contrasts.unranked(cells, figure))
    by_cell = {id(one.candidate): one for one in compared if one.metric is figure}
    pair = by_cell.get(id(ranks.best)) or by_cell[id(ranks.nearest.candidate)]
    if pair.doubt or pair.effect.means[0] is None:  # such a baseline tells nothing of the others
        pair = ranks.nearest
    in_pair = (pair.candidate, pair.baseline)
    beside = [contrast for contrast in ranks.behind if contrast.candidate not in in_pair]
    rivals = [contrast.candidate.title for contrast in beside if not is_clear(contrast)]
    behind = [contrast.candidate.title for contrast in beside if is_clear(contrast)]
    if is_clear(pair):  # whose baseline stands for them
        behind = []
    more, command = contrasts.more_runs(ranks)
    if not more and ranks.rivals:
        more = "More runs would hardly tell them apart."
    as_good = f"{listed(first_of(rivals, NAMED))} may be as good." if rivals else ""
    is_behind = f"Clearly behind: {listed(first_of(behind, NAMED))}." if behind else ""
    return Answer(
        title=TITLE,
        headline=_headline(ranks.best.title, pair),
        reasons=[*filter(None, (_besides(ranks.best, pair, compared), as_good, is_behind))],
        next_steps=[more] if more else [],
        command=command,
    )


def _headline(best: str, pair: Contrast) -> str:
    candidate, figure = pair.candidate.title, pair.metric
    beside = figure.beside(pair.value_text, pair.baseline.title)
    relation = " ".join(filter(None, (beside, pair.interval_text)))
    outcome = pair.effect.outcome
    if not pair.effect.value and figure.scale is Scale.RATIO:
        other = next(one for one in (pair.baseline, pair.candidate) if one.title != best)
        return f"{best} {figure.won}; {other.title} has {figure.show(other.value(figure))}."
    if not is_clear(pair):
        unclear = {
            Outcome.TOO_FEW: "Too close to call",
            Outcome.TOO_SMALL: f"No difference that matters ({figure.margin_words} or more)",
        }
        start = unclear.get(outcome, "No difference is clear")
        return f"{start}: {candidate} {relation}."
    start = f"{best} {figure.won} so far" if outcome is Outcome.TOO_FEW else f"Take {best}"
    return f"{start}; {'it' if candidate == best else candidate} {relation}."


def _besides(best: Cell, pair: Contrast, compared: Sequence[Contrast]) -> str:
    """What is clear of the same pair in the other figures: "It is worse in memory (1.22)."."""
    base, candidate = pair.baseline, pair.candidate
    beside = [one for one in compared if one.baseline is base and one.candidate is candidate]
    clear = [one for one in beside if one.metric is not pair.metric and one.is_better is not None]
    who = "It" if candidate is best else candidate.title
    return f"{who} is {' and '.join(_outcomes(clear))}." if clear else ""


def _outcomes(compared: Sequence[Contrast]) -> list[str]:
    """ "worse in memory (1.22) and p95 (1.10)" for each outcome."""
    figures = gathered(
        (outcome(contrast), f"{contrast.metric.short} ({contrast.value_text})")
        for contrast in compared
    )
    return [f"{word} in {listed(each)}" for word, each in figures.items()]


def _table(compared: Sequence[Contrast]) -> Table:
    """A row for each contrast; p is the corrected one. One baseline for all stands in the title."""
    bases = {one.baseline.title for one in compared}
    kept = [name for name in HEADINGS if name != "baseline" or len(bases) > 1]
    rows = [dict(zip(HEADINGS, _row(one), strict=True)) for one in compared]
    return Table(
        kept,
        [[row[name] for name in kept] for row in rows],
        title=f"Against {bases.pop()}" if len(bases) == 1 else "By how much",
        figures=HEADINGS[3:-1],
        spare=("values", "p", "runs"),
    )


def _row(contrast: Contrast) -> list[Shown | str]:
    pair = (contrast.candidate, contrast.baseline)
    values = [contrast.metric.show(cell.value(contrast.metric)) for cell in pair]
    compared = f"Holm, of {contrast.effect.compared}" if contrast.effect.compared > 1 else ""
    return [
        *(contrast.metric.short, contrast.candidate.title, contrast.baseline.title),
        ":".join(cell.starts.number for cell in pair),
        " : ".join(values),
        contrast.value_text,
        contrast.interval_text or MISSING,
        Shown(contrast.p_number, compared) if contrast.p_number else MISSING,
        (contrast.says if contrast.doubt == contrast.levels else "") or outcome(contrast),
    ]


def _verdicts(compared: Sequence[Contrast]) -> list[str]:
    """Each candidate in a sentence: "b against a: better in goodput and p95; ..."."""
    by_pair = gathered(((id(one.baseline), id(one.candidate)), one) for one in compared)
    return [
        f"{pair[0].candidate.title} against {pair[0].baseline.title}: {'; '.join(_outcomes(pair))}."
        for pair in by_pair.values()
    ]


def outcome(contrast: Contrast) -> str:
    """What became of it, in a few words."""
    if contrast.is_better is not None:
        return "better" if contrast.is_better else "worse"
    if contrast.doubt:
        return "other levels of load" if contrast.doubt == contrast.levels else "invalid"
    unshown = {Outcome.TOO_SMALL: "too small a difference", Outcome.TOO_FEW: "too few runs"}
    unshown[Outcome.UNDEFINED] = "no ratio"
    return unshown.get(contrast.effect.outcome, "no clear difference")


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
    who = f"{listed(list(hopping))} {'runs' if len(hopping) == 1 else 'run'}"
    twin = next(iter(hopping.values()))
    where = "sync views in a thread (docs/reading-results.md)"
    return f"{who} {where}: compare with --workload={twin}."


def own_targets(facts: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Which of these servers, by their facts, don't measure the project or were not started."""
    facts = list(facts)
    ran = sorted({name for name, one in facts if not one.get("starts", True)})
    own = sorted({name for name, one in facts if not one.get("serves_project", True)} - {*ran})
    sentences = []
    if own:
        serve = "serves a small target of its" if len(own) == 1 else "serve small targets of their"
        sentences.append(f"{listed(own)} {serve} own, not this project.")
    if ran:
        sentences.append(
            f"{listed(ran)} already {'runs' if len(ran) == 1 else 'run'}: nothing is started or "
            "isolated there, and without an agent nobody sees whether the target is the limit."
        )
    return " ".join(sentences)


@dataclass(frozen=True, slots=True)
class Climbed:
    """One configuration that was asked by several loads, from its lowest level to its highest."""

    title: str
    cells: Sequence[Cell]

    @property
    def knee(self) -> Cell:
        """The lowest level from which on more load hardly helps: of users that of 95 % of the most
        goodput; of arrivals the highest of which 95 % were answered right, else the lowest.
        """
        if self.cells[0].first.model == OPEN:
            held = [cell for cell in self.cells if cell.goodput >= LEVELS_OFF * due(cell.first)]
            return held[-1] if held else self.cells[0]
        most = max(cell.goodput for cell in self.cells)
        return next(cell for cell in self.cells if cell.goodput >= LEVELS_OFF * most)

    @property
    def sentence(self) -> str:
        """ "uvicorn levels off at 16 users with 512 /s"; at its highest level it still rises."""
        knee = self.knee
        if not any(cell.goodput for cell in self.cells):
            return f"{self.title} gave no right answer at any of these loads"
        rate = format_rate(knee.middle("goodput"), units_beside(knee.first))
        if knee.first.model == OPEN and knee.goodput < LEVELS_OFF * due(knee.first):
            word = "falls behind already at"
        elif knee is self.cells[-1]:
            word = "keeps up with" if knee.first.model == OPEN else "still rises at"
        else:
            word = "keeps up until" if knee.first.model == OPEN else "levels off at"
        return f"{self.title} {word} {load_title(knee.first)} with {rate}"


def level(run: Run) -> float:
    """Users, or arrivals per second."""
    return float((run.arrival_rate if run.model == OPEN else run.users) or 0.0)


def due(run: Run) -> float:
    """Answers per second that its arrivals ask for."""
    return level(run) * per_journey(run)


LEVEL = ("users", "arrival_rate", "max_in_flight")  #: Fields of a load that say how much it is.


def climbs(cells: Sequence[Cell]) -> list[Climbed]:
    """The configurations, best first, where one was asked by several levels of the same load."""
    groups: dict[str, list[Cell]] = {}
    loads = []
    for cell in cells:
        run, load = cell.first, cell.first.part("load")
        loads.append({name: load[name] for name in load if name not in LEVEL})
        made_with = (run.revision, run.server_version, run.python_version, run.software_id)
        if cell.measured:
            configuration = json.dumps([run.asked("load"), run.label, *made_with], sort_keys=True)
            groups.setdefault(configuration, []).append(cell)
    lines = [sorted(some, key=lambda cell: level(cell.first)) for some in groups.values()]
    levels = [{level(cell.first) for cell in line} for line in lines]
    if any(load != loads[0] for load in loads) or all(len(some) < 2 for some in levels):
        return []
    titles = cell_titles([line[0] for line in lines])
    made = [Climbed(title, line) for title, line in zip(titles, lines, strict=True)]
    return sorted(made, key=lambda line: -max(cell.goodput * cell.is_sound for cell in line.cells))


def beside_best(lines: Sequence[Climbed]) -> list[Cell]:
    """All that were asked by the load at which the best levels off."""
    at = level(lines[0].knee.first)
    return [cell for line in lines for cell in line.cells if level(cell.first) == at]


def answer_of(lines: Sequence[Climbed], margins: Mapping[str, float]) -> Answer:
    """Which to take where the best levels off, and where each does."""
    cells = beside_best(lines)
    answer = ranking(cells, margins)
    headline = f"{lines[0].sentence}."
    if answer.headline:
        headline = f"At {load_title(cells[0].first)}: {answer.headline}"
    reasons = [*answer.reasons, *(f"{one.sentence}." for one in lines)]
    return replace(answer, headline=headline, reasons=reasons)
