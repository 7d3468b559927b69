"""One answer as each writer writes it."""

from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.commands import PROGRAM_VARIABLE
from benchsuite.report.answers import machine_answer
from benchsuite.report.writers import for_terminal, to_markdown
from benchsuite.telemetry.machine import Check, State

ROW = ["p95", "a|b", Shown("1.30", "[1.2, 1.4]")]
TABLE = Table(["figure", "who", "ratio"], [ROW, ["memory", "c", Shown.missing("not read")]],
              note="Mind 1 %.", figures=["ratio"], chosen=0)  # fmt: skip
EVIDENCE = Section(
    title="All evidence",
    sentences=["A sentence."],
    points=["The CPUs are full."],
    tables=[Table(["part", "run"], [["a", Shown("●", runs=[("weak", "", "late")])]], "Others",
                  is_folded=True)],
    copies={"command": "run it\n"},
    facts={"CPU": "fast"},
    brief=["Limit: CPUs."],
)  # fmt: skip
ANSWER = Answer(
    title="x < y",
    question="Which?",
    premises=["Forced.", "Code differs."],
    headline="Take a_b.",
    reasons=["It is faster."],
    table=TABLE,
    cautions=["One is weak."],
    next_steps=["Repeat it."],
    sections=[EVIDENCE],
)


def test_in_markdown(golden):
    golden(to_markdown(ANSWER))


def test_markdown_says_commands_as_they_were_called(monkeypatch):
    monkeypatch.setenv(PROGRAM_VARIABLE, "benchsuite")
    assert "Ask benchsuite check." in to_markdown(replace(ANSWER, headline="Ask checkbench."))


def in_terminal(answer, **given):
    """What is said there, and the rows of a table."""
    lines = []
    for part in for_terminal(answer, **given):
        if isinstance(part, Table):
            rows = ([shown.whole for shown, _ in entries] for entries in part.entries)
            lines.append([list(part.headings), *rows])
        else:
            lines.append(part)
    return lines


def test_in_a_terminal(golden):
    golden(in_terminal(ANSWER))


def test_a_terminal_shows_eight_rows_and_what_is_recommended():
    long = replace(ANSWER, table=Table(["row"], [[str(n)] for n in range(12)], chosen=10))
    lines = in_terminal(long)
    (rows,) = (one for one in lines if not isinstance(one, str))
    assert rows[1:] == [[row] for row in ("0", "1", "2", "3", "4", "5", "6", "7", "10")]
    assert "3 more rows: -v2 shows all." in lines
    (rows,) = (one for one in in_terminal(long, every_row=True) if not isinstance(one, str))
    assert len(rows) == 1 + 12


def test_on_a_page(golden):
    pages = [
        render_to_string(f"benchsuite/{name}.html", {**shown, "offline": True})
        for name, shown in (
            ("_answer", {"answer": ANSWER}),
            ("_answer_section", {"section": EVIDENCE}),
            ("_answer_table", {"table": TABLE, "title": ""}),
        )
    ]
    golden("\n".join(line for page in pages for line in page.splitlines() if line.strip()))


@pytest.mark.parametrize("states", [[], [State.OK], [State.OK, State.DOUBTFUL], list(State)])
def test_the_machine_is_judged_by_the_worst_that_was_found(states):
    answer = machine_answer([Check(name=f"a {one}", state=one, text="some") for one in states])
    named = [f"a {one}" for one in reversed(states) if one is not State.OK]
    assert all(name in answer.headline for name in named)
    assert ("is ready" in answer.headline) is not bool(named)
    assert [row[1] for row in answer.table.rows][: len(named)] == named
