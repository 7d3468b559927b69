"""A tuning as Markdown."""

from collections.abc import Iterator, Mapping

from benchsuite.report import flames
from benchsuite.report.exports.markdown import table
from benchsuite.report.tuning.told import Told


def markdown(told: Told) -> str:
    """All of the page but the charts."""
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Told) -> Iterator[str]:
    yield from (f"# Tuning for {told.objective}", "")
    for sentence in filter(None, (told.stopped, *told.answer.sentences, told.answer.missing)):
        yield from (sentence, "")
    yield from (f"{told.when}.", "", "## Configurations", "")
    yield from table(
        ["configuration", *told.headings, "state"],
        [
            [one.row.candidate.name, *(shown.whole for shown in one.figures), one.state]
            for one in told.lines
        ],
    )
    if told.limiting:
        yield from ("## What limits it", "")
        for one in told.limiting.limits:
            said = (f"**{one.says}**", one.evidence, one.fix, one.gain, f"({one.code})")
            yield f"- {' '.join(filter(None, said))}"
        yield from ("", told.limiting.sentence, "")
    if told.flame:
        yield from ("## Where the CPU time goes", "", told.flame.sentence, "")
        for heading, rows in told.flame.tables:
            yield from (f"{heading}:", "")
            yield from table(flames.HEADINGS, [one.cells for one in rows])
    if told.paste or told.unpasted:
        yield from ("## To paste", "", *([told.unpasted, ""] if told.unpasted else []))
        for kind, text in told.paste.items():
            yield from (f"{kind}:", "", "```", text.rstrip(), "```", "")
    if told.answer.not_tried:
        yield from ("## Not tried", "")
        yield from table(["what", "why"], told.answer.not_tried)
    yield from ("## Decisions", "")
    yield from table(
        ["", "phase", "configuration", "load", "why", "found"],
        [
            [str(one.number), one.phase, one.configuration, one.load, one.why, one.found]
            for one in told.decisions
        ],
    )
    yield from _facts("Question", told.question)
    yield from _facts("Environment", told.environment)


def _facts(title: str, facts: Mapping[str, object]) -> Iterator[str]:
    yield from (f"## {title}", "")
    yield from (f"- {name}: {value}" for name, value in facts.items())
    yield ""
