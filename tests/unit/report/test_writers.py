"""One answer as each writer writes it."""

from dataclasses import replace
from typing import Any

import pytest
from django.template.loader import render_to_string

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.report.terminal.results import machine_answer
from benchsuite.report.writers import to_markdown, to_terminal
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


def test_in_markdown() -> None:
    assert (
        to_markdown(ANSWER)
        == r"""# x \< y

**Which?**

> Forced.
>
> Code differs.

Take a_b.

It is faster.

Mind 1 %.

| figure | who | ratio |
|---|---|---|
| p95 | a\|b | 1.30 ([1.2, 1.4]) |
| memory | c | — |

> One is weak.

Repeat it.

## All evidence

A sentence.

- The CPUs are full.
- CPU: fast

### Others

| part | run |
|---|---|
| a | ● |

command:

```
run it
```
"""
    )


def test_in_a_terminal() -> None:
    lines: list[Any] = []

    class Console:
        say = table = staticmethod(lines.append)

    to_terminal(ANSWER, Console())
    grid = lines.pop(5)
    assert [[str(one) for one in row] for row in grid.rows] == [
        ["p95", "a|b", "1.30 ([1.2, 1.4])"],
        ["memory", "c", "—"],
    ]
    assert (list(grid.headings), list(grid.words)) == (
        ["figure", "who", "ratio"],
        ["figure", "who"],
    )
    assert lines == [
        *("Forced.", "Code differs.", "Take a_b.", "It is faster.", "Repeat it.", "Mind 1 %."),
        *("Note: One is weak.", "Limit: CPUs."),
    ]


def test_a_terminal_shows_eight_rows_and_what_is_recommended() -> None:
    lines: list[Any] = []

    class Console:
        say = table = staticmethod(lines.append)

    long = replace(ANSWER, table=Table(["row"], [[str(n)] for n in range(12)], chosen=10))
    to_terminal(long, Console())
    (grid,) = (one for one in lines if not isinstance(one, str))
    assert [str(row[0]) for row in grid.rows] == ["0", "1", "2", "3", "4", "5", "6", "7", "10"]
    assert "3 more rows: -v2 shows all." in lines
    lines.clear()
    to_terminal(long, Console(), every_row=True)
    (grid,) = (one for one in lines if not isinstance(one, str))
    assert len(grid.rows) == 12


def test_on_a_page() -> None:
    page = "".join(
        render_to_string(f"benchsuite/{name}.html", {"answer": ANSWER, "offline": True})
        for name in ("_answer", "_answer_sections")
    )
    text = " ".join(page.split())
    assert '<p class="sentence headline">Take a_b.</p>' in text
    for shown in (
        '<p class="note">Forced.</p>',
        '<p class="quiet caution">One is weak.</p>',
        '<section aria-labelledby="all-evidence"> <h2 id="all-evidence">All evidence</h2>',
        "<li>The CPUs are full.</li>",
        "<details><summary>Others</summary>",
        '</span> weak</span> <span class="quiet">late</span>',
        "<code>run it",
        "<dt>CPU</dt><dd>fast</dd>",
    ):
        assert shown in text
    table = render_to_string("benchsuite/_answer_table.html", {"table": TABLE, "title": ""})
    assert '<tr class="pick"><th scope="row">p95</th><td>a|b' in table
    assert '<td class="figure">1.30<span class="range">[1.2, 1.4]</span>' in table
    assert 'title="not read">—</span>' in table


@pytest.mark.parametrize("states", [[], [State.OK], [State.OK, State.DOUBTFUL], list(State)])
def test_the_machine_is_judged_by_the_worst_that_was_found(states: list[State]) -> None:
    answer = machine_answer([Check(name=f"a {one}", state=one, found="some") for one in states])
    named = [f"a {one}" for one in reversed(states) if one is not State.OK]
    assert all(name in answer.headline for name in named)
    assert ("is ready" in answer.headline) is not bool(named)
    assert answer.table is not None
    assert [row[1] for row in answer.table.rows][: len(named)] == named
