"""Runs that were stored before are still read, and shown as they were: tests/fixtures/stored/.

A change of what pages, exports or commands show of them must change `shown.json` knowingly:

    SHOWN=write python -m pytest tests/web/test_stored_before.py

writes it anew (and fails, so that nobody forgets it in CI); then read `git diff`. `runs.json.gz`
stays as it is, for runs that people have stored stay as they are, too.
"""

import csv
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from django.core.management import call_command
from django.test import Client

from benchsuite.core.specs import RunSpec
from benchsuite.management.output import Screen
from benchsuite.models import Run

STORED = Path(__file__).parent.parent / "fixtures" / "stored"
SHOWN = STORED / "shown.json"

FIGURES = (
    "status",
    "verdict",
    "requests",
    "failures",
    "throughput",
    "goodput",
    "mean",
    "p50",
    "p95",
    "p99",
)
"""What exports hold of each run, by names that a unit may follow: p95 is also p95_s."""

CHARTS = re.compile(r'<section aria-labelledby="charts">.*?</section>', re.S)
CHART = re.compile(
    r'<figure class="chart" id="([\w-]+)">.*?<script type="application/json">(.*?)</script>'
    r'.*?<a href="([^"]+)">data',
    re.S,
)
NUMBERS = re.compile(r"/(data/\d+|shared)/(x|y|customdata)(/|$)")
"""Where a drawing holds what was measured."""


@pytest.fixture
def runs():
    """All runs of the export, in the order in which they were made."""
    call_command("loadbench", str(STORED / "runs.json.gz"))
    return list(Run.objects.order_by("started_at", "pk"))


def test_every_run_is_read_with_all_that_belongs_to_it(runs):
    assert len(runs) == 27
    for run in runs:
        spec = RunSpec.from_json(run.spec)
        run.spec["delay"].pop("by")  # every delay is a proxy's
        assert holds(spec.to_json(), run.spec), run.label
        assert RunSpec.from_json(spec.to_json()).key == spec.key
    finished = [run for run in runs if run.status == "finished"]
    assert len(finished) == 24
    for run in finished:
        parts = (run.measurements, run.intervals, run.readings)
        assert all(part.exists() for part in parts), run.label
        assert all((run.environment, run.software, run.programs)), run.label


def test_pages_and_commands_show_what_they_showed(runs, client, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    now = {
        "list": rows_of_list(client),
        "runs": {title(run): run_page(client, run) for run in runs},
        "compared": {
            name: compare_page(client, query) for name, query in comparisons(runs).items()
        },
        "runbench": ends_of_runbench(capsys, runs),
        "comparebench": printed(
            capsys, partial(call_command, "comparebench", "plain", "--baseline=uvicorn")
        ),
        "exported": figures_by_run(client),
    }
    if os.environ.get("SHOWN") == "write":
        SHOWN.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.fail(f"{SHOWN.name} was written anew: look at git diff, then test without SHOWN.")
    before = dict(leaves(json.loads(SHOWN.read_text(encoding="utf-8"))))
    after = dict(leaves(now))
    places = [where for where in {**before, **after} if before.get(where) != after.get(where)]
    told = [f"{where}: {before.get(where)!r} → {after.get(where)!r}" for where in places]
    assert not told, "\n".join([f"{len(told)} differ from {SHOWN.name}:", *told[:20]])


def test_json_tells_the_figures_of_csv(runs, client):
    told = figures_by_run(client)
    every = json.loads(client.get("/results/export/?format=json").getvalue())
    for run in runs:
        every += json.loads(client.get(f"/results/{run.pk}/export/?format=json").getvalue())
    assert len(every) == 2 * len(told)
    for one in every:
        del one["stored"]
        for name, text in told[one["id"]].items():
            said = {plain(value) for where, value in leaves(one) if is_named(where, name)}
            assert text in said, (one["label"], name)


def rows_of_list(client: Client) -> list[str]:
    page = parsed(content_of(client, "/results/"))
    rows = [words(row) for row in page.select("tr.command")]
    assert rows, "the list has other marks now"
    return rows


def run_page(client: Client, run: Run) -> dict[str, Any]:
    content = content_of(client, f"/results/{run.pk}/")
    page = parsed(content)
    return {
        "title": words(page.h1),
        "state": words(page.select_one("p.headline .verdict")),
        "sentence": words(page.select_one("p.headline")),
        "findings": [
            f"{finding['class'][0]} {words(finding.select_one('span.quiet'))}"
            for finding in page.select("ul.findings > li")
        ],
        "tiles": described(page, "details dl.tiles"),
        "notes": [digest(words(one)) for one in page.select("section > p.quiet")],
        "names": [words(row) for row in page.select("details:has(#names) tbody tr")],
        "what": described(page, "dl.facts"),
        "failure": [words(one) for one in page.select("section.failure pre")],
        "charts": charts(client, content),
    }


def comparisons(runs: list[Run]) -> dict[str, str]:
    """What is compared: title → the query of its page."""

    def of(*labels: str) -> str:
        return "runs=" + ",".join(str(run.pk) for run in runs if run.label in labels)

    return {
        "one command": f"batch={next(run.batch for run in reversed(runs) if run.label == 'plain')}",
        "two commands, starts excluded": of("plain"),
        "not alike": of("open", "stages"),
        "one without figures": of("open", "cannot start"),
        "beside a peer": of("ws_echo", "peer"),
        "idle connections": of("ws_idle"),
    }


def compare_page(client: Client, query: str) -> dict[str, Any]:
    """As it is shown; where the runs are not alike, why not, and then as it is forced."""
    path = f"/results/compare/?{query}"
    first = client.get(path)
    refused = parsed(first.content.decode()).select("main tr") if first.status_code == 409 else []
    content = content_of(client, f"{path}&forced=1" if refused else path)
    page = parsed(content)
    return {
        "unlike": [words(row) for row in refused],
        "sentences": [words(one) for one in page.select("p.sentence, main > p.quiet")],
        "differences": [words(row) for row in page.select(".differences tbody tr")],
        "table": [words(row) for row in page.select(".comparison tbody tr, .all tbody tr")],
        "contrasts": [words(row) for row in page.select("#real tbody tr")],
        "charts": charts(client, content),
    }


def printed(capsys: pytest.CaptureFixture[str], show: Callable[[], object]) -> list[str]:
    """The lines that this prints, without rules and empty ones."""
    capsys.readouterr()
    show()
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    return [line for line in lines if line.strip("─")]


def ends_of_runbench(capsys: pytest.CaptureFixture[str], runs: list[Run]) -> dict[str, list[str]]:
    """What each command that made some of these runs prints when they have ended."""
    batches = {run.batch: [one for one in runs if one.batch == run.batch] for run in runs}
    screen = Screen(quiet_stdout=False)
    return {
        f"{rows[0].label} {batch.hex[:8]}": printed(
            capsys, partial(screen.results, rows, stored=True)
        )
        for batch, rows in batches.items()
    }


def figures_by_run(client: Client) -> dict[str, dict[str, str]]:
    """What the table of all runs says, by their ids."""
    text = client.get("/results/export/?format=csv").getvalue().decode()
    return {
        row["id"]: {
            name: next(text for column, text in row.items() if is_named(column, name))
            for name in FIGURES
        }
        for row in csv.DictReader(StringIO(text))
    }


def is_named(where: str, name: str) -> bool:
    """Whether a column, or the end of a path, is this name, with or without a unit."""
    last = where.rpartition("/")[2]
    return last == name or last.startswith(f"{name}_")


def charts(client: Client, content: str) -> dict[str, str]:
    """Digests of each drawing: of its numbers, of everything else (words, colours), and of the
    table that can be had of it, without its header.
    """
    found = {}
    for slug, drawing, address in CHART.findall(content):
        drawn = {where: rounded(value) for where, value in leaves(json.loads(drawing))}
        numbers = {where: drawn.pop(where) for where in list(drawn) if NUMBERS.match(where)}
        table = list(csv.reader(StringIO(content_of(client, address.replace("&amp;", "&")))))
        assert numbers, slug
        assert len(table) > 1, slug
        rows = [[rounded(as_number(text)) for text in row] for row in table[1:]]
        found[slug] = f"numbers {digest(numbers)}, rest {digest(drawn)}, table {digest(rows)}"
    return found


def as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def rounded(value: object) -> object:
    """Numbers to four digits; 1 is 1.0."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(f"{value:.4g}") if is_number else value


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value with its path; what is empty is one, too."""
    if not value or not isinstance(value, Mapping | list):
        yield where, value
        return
    for name, part in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from leaves(part, f"{where}/{name}")


def holds(whole: object, part: object) -> bool:
    """Whether all of a stored spec is in that one; fields added since are not in the stored one."""
    if isinstance(whole, Mapping) and isinstance(part, Mapping):
        return all(name in whole and holds(whole[name], one) for name, one in part.items())
    return json.loads(json.dumps(whole)) == part


def title(run: Run) -> str:
    return f"{run.label}: {run.server} {run.pk.hex[:8]}"


def plain(value: object) -> str:
    return "" if value is None else str(value)


def described(page: Tag, which: str) -> dict[str, str]:
    """What a list of descriptions says: term → words."""
    return {words(one.dt): words(one.dd) for one in page.select(f"{which} > div")}


def words(tag: Tag | None) -> str:
    """The text of a tag as it is read; of what is missing, its reason too."""
    assert tag is not None
    for missing in tag.select("span.missing"):
        missing.append(f" ({missing.attrs.pop('title')})")
    return " ".join(tag.get_text(" ").split())


def content_of(client: Client, path: str, *, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, path
    return str(answer.content.decode())


def parsed(content: str) -> BeautifulSoup:
    """A page without its charts, which would take most of the time."""
    return BeautifulSoup(CHARTS.sub("", content), "html.parser")
