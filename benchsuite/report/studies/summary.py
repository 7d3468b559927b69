"""Which server do I take? What executions of studies answer together, as one page of Markdown."""

from collections.abc import Iterator, Mapping, Sequence

from benchsuite.core.units import listed
from benchsuite.report.exports.markdown import ESCAPED, table
from benchsuite.report.studies.answering import HOW
from benchsuite.report.studies.told import SHAPES, Told

TITLE = "Which server do I take?"

BY = "`runstudy --markdown` wrote this page from stored executions."


def page(found: Sequence[Told], without: Mapping[str, str]) -> str:
    """Of these executions, one a study; `without` says why there is none of other studies."""
    return "\n".join(_lines(found, without)) + "\n"


def _lines(found: Sequence[Told], without: Mapping[str, str]) -> Iterator[str]:
    yield from (f"# {TITLE}", "", BY, "")
    asked = [(told, one) for told in found for one in told.questions]
    if asked:
        yield from (HOW, "")
    for asks in dict.fromkeys(one.asks for _, one in asked):
        yield from (f"## {asks.translate(ESCAPED)}", "")
        for told, one in asked:
            if one.asks == asks:
                yield from (f"From {_link(told)}. {one.by}", "")
                yield from table(one.headings, one.rows) if one.rows else ()
    yield from _executed(found, without)
    yield from _claims(found)
    remarks = [f"- {_link(one)}. {one.remark}" for one in found if one.remark]
    if remarks:
        yield from ("## Remarks", "", *remarks, "")
    yield from _environment(found)


def _link(told: Told) -> str:
    return f"[{told.study.name}]({told.study.name}.md)"


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
