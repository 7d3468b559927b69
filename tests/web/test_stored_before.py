"""Runs that were stored before are still read, and shown as they were: tests/fixtures/stored/.

`runs.json.gz` stays as it is, for runs that people have stored stay as they are, too.
"""

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command

from benchsuite.core.specs import RunSpec
from benchsuite.management.output import Screen
from benchsuite.models import Run
from tests.golden import words_of
from tests.web.conftest import csv_rows

STORED = Path(__file__).parent.parent / "fixtures" / "stored" / "runs.json.gz"

FIGURES = (
    *("status", "verdict", "requests", "failures", "throughput", "goodput"),
    *("mean", "p50", "p95", "p99"),
)
"""What exports hold of each run, by names that a unit may follow: p95 is also p95_s."""

OF_RUN = (
    "h1, ul.findings > li, details dl.tiles, section > p.quiet, dl.facts, "
    "details:has(#names) tbody tr, .card > .sentence, .card > pre:not(.command)"
)
OF_COMPARISON = (
    "p.sentence, main > p.quiet, .differences tbody tr, .comparison tbody tr, .all tbody tr, "
    "#real tbody tr"
)
CHART = re.compile(
    r'<figure class="chart" id="([\w-]+)">.*?<script type="application/json">(.*?)</script>'
    r'.*?<a href="([^"]+)">data',
    re.S,
)
NUMBERS = re.compile(r"/(data/\d+|shared)/(x|y|customdata)(/|$)")
"""Where a drawing holds what was measured."""


@pytest.fixture
def runs(tmp_path):
    """All runs of the export, in the order in which they were made."""
    file = tmp_path / "runs.json"
    file.write_bytes(gzip.decompress(STORED.read_bytes()))
    call_command("loadbench", str(file))
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


def test_pages_show_what_they_showed(runs, client, golden):
    golden(shown(client, "/results/", "tr.command"), "list")
    lines = []
    for run in runs:
        lines += ["", f"{run.label}: {run.server} {run.pk.hex[:8]}"]
        lines.append(shown(client, f"/results/{run.pk}/", OF_RUN))
    golden("\n".join(lines), "runs")
    for name, query in comparisons(runs).items():
        path = f"/results/compare/?{query}"
        refused = client.get(path).status_code == 409
        why_not = shown(client, path, "main tr", status=409) if refused else ""
        golden(f"{why_not}\n\n{shown(client, f'{path}&forced=1', OF_COMPARISON)}", name)


def comparisons(runs):
    """What is compared: title → the query of its page."""

    def of(*labels):
        return "runs=" + ",".join(str(run.pk) for run in runs if run.label in labels)

    return {
        "one command": f"batch={next(run.batch for run in reversed(runs) if run.label == 'plain')}",
        "two commands, starts excluded": of("plain"),
        "not alike": of("open", "stages"),
        "one without figures": of("open", "cannot start"),
        "beside a peer": of("ws_echo", "peer"),
        "idle connections": of("ws_idle"),
    }


def test_commands_print_what_they_printed(runs, capsys, monkeypatch, golden):
    monkeypatch.setenv("COLUMNS", "200")
    screen = Screen()
    for batch in dict.fromkeys(run.batch for run in runs):
        screen.results([run for run in runs if run.batch == batch], stored=True)
    call_command("comparebench", "plain", "--baseline=uvicorn")
    golden(capsys.readouterr().out, replace={r" {2,}": "  ", r"[─━]+\n": ""})


def test_exports_tell_what_they_told(runs, client, golden):
    """JSON tells the figures of CSV."""
    told = {
        row["id"]: {
            name: next(text for column, text in row.items() if is_named(column, name))
            for name in FIGURES
        }
        for row in csv_rows(client, "/results/export/?format=csv")
    }
    golden("\n".join(" ".join([pk, *figures.values()]) for pk, figures in told.items()))
    exported = json.loads(client.get("/results/export/?format=json").getvalue())
    for run in runs:
        exported += json.loads(client.get(f"/results/{run.pk}/export/?format=json").getvalue())
    assert len(exported) == 2 * len(told)
    for one in exported:
        del one["stored"]
        for name, figure in told[one["id"]].items():
            values = [value for where, value in leaves(one) if is_named(where, name)]
            assert figure in {"" if value is None else str(value) for value in values}, name


def is_named(where, name):
    """Whether a column, or the end of a path, is this name, with or without a unit."""
    last = where.rpartition("/")[2]
    return last == name or last.startswith(f"{name}_")


def shown(client, path, which, *, status=200):
    """What parts of a page say, why figures are missing, and digests of its drawings: of their
    numbers, of everything else (words, colours), and of the table that can be had of each.
    """
    answer = client.get(path)
    assert answer.status_code == status, path
    content = answer.content.decode()
    page = BeautifulSoup(CHART.sub("", content), "html.parser")
    for missing in page.select("span.missing"):
        missing.append(f" ({missing['title']})")
    lines = [words_of(page, which)]
    for slug, drawing, address in CHART.findall(content):
        drawn = {where: rounded(value) for where, value in leaves(json.loads(drawing))}
        numbers = {where: drawn.pop(where) for where in list(drawn) if NUMBERS.match(where)}
        data = client.get(address.replace("&amp;", "&")).getvalue().decode()
        _, *table = csv.reader(StringIO(data))
        assert numbers, slug
        assert table, slug
        rows = [[rounded(text) for text in row] for row in table]
        digests = f"numbers {digest(numbers)}, rest {digest(drawn)}, table {digest(rows)}"
        lines.append(f"{slug}: {digests}")
    return "\n".join(lines)


def digest(values):
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]


def rounded(value):
    """Numbers to four digits; 1 is 1.0."""
    try:
        return value if isinstance(value, bool | None) else float(f"{float(value):.4g}")
    except (TypeError, ValueError):
        return value


def leaves(value, where=""):
    """Every plain value with its path; what is empty is one, too."""
    if not value or not isinstance(value, Mapping | list):
        yield where, value
        return
    for name, part in value.items() if isinstance(value, Mapping) else enumerate(value):
        yield from leaves(part, f"{where}/{name}")


def holds(whole, part):
    """Whether all of a stored spec is in that one; fields added since are not in the stored one."""
    if isinstance(whole, Mapping) and isinstance(part, Mapping):
        return all(name in whole and holds(whole[name], one) for name, one in part.items())
    return json.loads(json.dumps(whole)) == part
