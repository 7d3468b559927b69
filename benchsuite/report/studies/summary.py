"""Which server do I take? What executions of studies answer together, as one page of Markdown."""

from collections.abc import Iterator, Mapping, Sequence

from benchsuite.core.metrics.metric import Metric
from benchsuite.core.units import listed
from benchsuite.report.exports.markdown import ESCAPED, table
from benchsuite.report.studies.tables import failed, rest_title, written
from benchsuite.report.studies.told import SHAPES, Told
from benchsuite.studies import figures
from benchsuite.studies.answers import Answered, Arm, Lead, Situation
from benchsuite.studies.claims import Outcome
from benchsuite.studies.claims import written as ratio

TITLE = "Which server do I take?"

BY = "`runstudy --markdown` wrote this page from stored executions."

HOW = """\
The best has the best mean over the starts that count, with its 95 % interval. What is *not told
apart* from it may be as good: the interval of their ratio holds 1, at 95 % for all that are held
against it together. What is *behind* has its ratio to the best. Nobody is named where an arm that
was measured has no start that counts, or one alone: it might be the best."""

SHAPE = {Lead.ALONE: SHAPES[Outcome.HOLDS], Lead.SHARED: SHAPES[Outcome.UNTOLD]}


def page(found: Sequence[Told], without: Mapping[str, str]) -> str:
    """Of these executions, one a study; `without` says why there is none of other studies."""
    return "\n".join(_lines(found, without)) + "\n"


def _lines(found: Sequence[Told], without: Mapping[str, str]) -> Iterator[str]:
    yield from (f"# {TITLE}", "", BY, "")
    asked = [(told, one) for told in found for one in told.answers]
    if asked:
        yield from (*HOW.splitlines(), "")
    for asks in dict.fromkeys(one.answer.asks for _, one in asked):
        yield from (f"## {asks.translate(ESCAPED)}", "")
        for told, one in asked:
            if one.answer.asks == asks:
                yield from _answer(told, one)
    yield from _executed(found, without)
    yield from _claims(found)
    remarks = [f"- {_link(one)}. {one.remark}" for one in found if one.remark]
    if remarks:
        yield from ("## Remarks", "", *remarks, "")
    yield from _environment(found)


def _link(told: Told) -> str:
    return f"[{told.study.name}]({told.study.name}.md)"


def _answer(told: Told, found: Answered) -> Iterator[str]:
    metric = next(figures.metric(one) for one in told.study.figures if one.name == found.by.figure)
    yield f"From {_link(told)}, by {metric.headline()}; the {found.by.best} is the best."
    yield ""
    if not found.situations:
        yield from ("No cell of it is part of this execution.", "")
        return
    each = found.situations
    columns = {
        "case": [rest_title(told.study, one.where) or "all" for one in each],
        "best": [_best(one, metric) for one in each],
        Lead.SHARED.value: ["; ".join(_arm(arm, metric) for arm in one.best[1:]) for one in each],
        "behind": ["; ".join(map(_behind, one.behind)) for one in each],
        "not known": ["; ".join(one.unknown) for one in each],
        "not measured": ["; ".join(one.absent) for one in each],
    }
    filled = {title: column for title, column in columns.items() if any(column)}
    yield from table(list(filled), list(zip(*filled.values(), strict=True)))


def _best(situation: Situation, metric: Metric) -> str:
    first = _arm(situation.best[0], metric) if situation.best else ""
    if situation.lead is not Lead.UNTOLD:
        return f"{SHAPE[situation.lead]} {first}"
    others = f"; of those that count {first}" if first else ""
    return f"{SHAPES[Outcome.UNTOLD]} {Lead.UNTOLD.value}{others}"


def _arm(arm: Arm, metric: Metric) -> str:
    """ "uvicorn 512 /s [501, 523] (1 of 2 starts failed: B201)" """
    value, low, high = arm.found.value, arm.found.low, arm.found.high
    said = written(metric, value) if value is not None else ""
    if low is not None and high is not None:
        said += f" [{written(metric, low)}, {written(metric, high)}]"
    why = failed(arm.cell)
    return f"{arm.name} {said}{f' ({why})' if why else ''}"


def _behind(arm: Arm) -> str:
    assert arm.ratio is not None
    value, low, high = arm.ratio.value, arm.ratio.low, arm.ratio.high
    between = f" [{ratio(low)}, {ratio(high)}]" if low is not None else ""
    return f"{arm.name} {ratio(value)} ×{between}"


def _executed(found: Sequence[Told], without: Mapping[str, str]) -> Iterator[str]:
    yield from ("## What was executed", "")
    head = ["study", "question", "execution", "scale", "starts", "runs", "claims"]
    yield from table(
        head,
        [
            [
                *(_link(one), one.study.question, one.when, f"{one.row.scale:g}"),
                *(str(one.row.repeat), one.verdicts, one.counts),
            ]
            for one in found
        ],
    )
    yield from (f"- {name}: {why}" for name, why in without.items())
    yield from [""] * bool(without)


def _claims(found: Sequence[Told]) -> Iterator[str]:
    yield from ("## Claims", "")
    yield from table(
        ["study", "claim", "published", "ours", "outcome"],
        [
            [
                *(_link(told), one.claim.says, one.claim.published, one.reason),
                f"{SHAPES[one.outcome]} {one.outcome.value}",
            ]
            for told in found
            for one in told.claims
        ],
    )


def _environment(found: Sequence[Told]) -> Iterator[str]:
    yield from ("## Environment", "")
    machines: list[tuple[Mapping[str, object], list[str]]] = []
    for told in found:
        names = next((names for facts, names in machines if facts == told.machine), None)
        if names is None:
            machines.append((told.machine, [told.study.name]))
        else:
            names.append(told.study.name)
    for facts, names in machines:
        if len(machines) > 1:
            yield from (f"{listed(names)}:", "")
        yield from (f"- {name}: {value}" for name, value in facts.items())
        yield ""
    served = sorted({one for told in found for one in told.servers})
    yield from [f"- servers: {', '.join(served)}"] * bool(served)
