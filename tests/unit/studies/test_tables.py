"""The tables and questions of a study, as pages write them."""

from dataclasses import replace

from benchsuite.core.answer import Shown
from benchsuite.studies.claims import answered
from benchsuite.studies.measured import State
from benchsuite.studies.study import Answer, Axis, Objective, Table, Value
from benchsuite.studies.tables import PublishedRow, questions, tables
from tests.unit.studies import worlds

BY_DELAY = Table(rows="setup", columns="delay", figures=("plateau",))
BY_SETUP = replace(BY_DELAY, rows="delay", columns="setup", only={"delay": ("0", "200")})
TITLED = replace(BY_DELAY, title="Far away", only={"setup": ("async",)})
AXES = (
    Axis("setup", (Value("sync", {}), Value("async", {}, title="an event loop"))),
    Axis("delay", (Value("0", {}), Value("100", {}), Value("200", {}, title="far away"))),
)
PUBLISHED = [
    PublishedRow({"setup": "sync"}, {"plateau": 144.5}),
    PublishedRow({"setup": "sync", "delay": "200"}, {"plateau": "0.7 to 0.9", "p95": 0.2}),
]
GONE = {"state": State.UNAVAILABLE, "reason": "There is no Docker engine.", "starts": ()}


def spoilt(execution):
    """Another, of which cells failed, are excluded, could not run, or have starts all alike."""
    failing = [worlds.start(140.0), worlds.start(90.0, failed="B201, B202")]
    for at, starts in {
        ("sync", "0"): failing,
        ("sync", "100"): [worlds.start(1.0, excluded="B401"), worlds.start(2.0, excluded="B401")],
        ("sync", "200"): [worlds.start(0.7), worlds.start(0.7)],
        ("async", "0"): [worlds.start(None)],
        ("async", "100"): [
            replace(worlds.start(9.0, excluded="B101"), floors={"plateau": 180.0}),
            worlds.start(200.0),
        ],
    }.items():
        execution = worlds.changed(at, execution, starts=starts)
    return worlds.changed(("async", "200"), execution, **GONE)


def without_a_cell(execution):
    return replace(execution, cells=execution.cells[1:])


def one_that_does_not_fail(execution):
    for delay in worlds.DELAYS:
        failing = [worlds.start(value, failed="B201") for value in (150.0, 160.0)]
        execution = worlds.changed(("sync", delay), execution, starts=failing)
    return execution


EXECUTIONS = {
    "all measured": worlds.execution(),
    "much went wrong": spoilt(worlds.execution()),
    "all others failed": one_that_does_not_fail(worlds.execution()),
    "a cell is no part of it": without_a_cell(worlds.execution()),
    "all alike": worlds.execution(dict.fromkeys(worlds.TRUTH, 100.0), starts=3),
}


def lines(table):
    """As text, with the reason of what is missing and the note of what is there."""
    yield f"  {table.title} | {' | '.join(table.headings)} | {table.note}"
    for row in table.rows:
        entries = [entry if isinstance(entry, Shown) else Shown(entry) for entry in row]
        shown = (" ".join(filter(None, (entry.whole, entry.reason))) for entry in entries)
        yield f"    {' | '.join(shown)}"


def test_tables_with_what_was_published(golden):
    study = worlds.study(axes=AXES, tables=(BY_DELAY, BY_SETUP, TITLED))
    unpublished = tables(study, worlds.execution(), [])
    written = ["nothing was published:", *(line for table in unpublished for line in lines(table))]
    for case, execution in EXECUTIONS.items():
        shown = tables(study, execution, PUBLISHED)
        written += [f"{case}:", *(line for table in shown for line in lines(table))]
    golden("\n".join(written).replace("\u2009", " "))


def test_questions_with_their_rankings(golden):
    asked = Answer(asks="Which  one?", choice=("setup",))
    anywhere = Answer(asks="Where?", choice=("delay", "setup"), figure="plateau", best="least")
    elsewhere = Answer(asks="Which\nthere?", choice=("setup",), only={"delay": ("900",)})
    study = worlds.study(
        axes=AXES, answers=(asked, anywhere, elsewhere), objective=Objective("plateau", "most")
    )
    written = []
    for case, execution in EXECUTIONS.items():
        written.append(f"{case}:")
        for question in questions(study, execution, answered(study, execution)):
            written.append(f"  {question.asks} {question.answered:.2f} {list(question.changes)}")
            for sentence, ranking in question.cases.items():
                written.append(f"  {sentence}")
                written += [f"  {line}" for line in lines(ranking)] if ranking else []
    golden("\n".join(written).replace("\u2009", " "))
