"""What a comparison answers, whoever writes it."""

from benchsuite.comparing.answer import climbs, of_pairs, ranking
from benchsuite.comparing.contrasts import contrasts, metric
from benchsuite.comparing.differences import Comparison, said_first
from benchsuite.core.metrics.every import Scale, compared
from benchsuite.models import Software
from benchsuite.report.writers import to_markdown
from tests.factories import facts
from tests.starts import FAST, SLOW, found_out, side

SLOWER = tuple(value / 2 for value in SLOW)
GOODPUT, MEMORY = metric("goodput"), metric("memory")
AS_GOOD = tuple(value * 1.012 for value in SLOW)


def plain(text):
    return text.replace("\u2009", " ")


def cell(server, *goodputs, **columns):
    given = {"server_facts": facts(server, "io_read"), "key": server, **columns}
    return side(server, goodputs or [612.0], columns=given)


def broken(server, code="B201 failures"):
    failed = cell(server, *FAST)
    for run in failed.runs:
        found_out(run, code)
    return failed


CASES = {
    "clear": [cell("a", *SLOW), cell("b", *FAST), cell("c", *SLOWER)],
    "two may be best": [cell("a", *SLOW), cell("b", *AS_GOOD), cell("c", *SLOWER)],
    "nothing is clear": [cell("a", *SLOW), cell("b", *AS_GOOD)],
    "as good as the same": [cell("a", *SLOW), cell("b", *(one * 1.001 for one in SLOW))],
    "one run each": [cell("uwsgi"), cell("waitress", 413.5), cell("daphne", 100.0)],
    "three runs each": [cell("a", *SLOW[:3]), cell("b", *FAST[:3]), cell("c", *FAST[1:4])],
    "far apart in memory, few runs": [
        cell(server, memory_bytes=size * 2**20) for server, size in (("a", 100.0), ("b", 150.0))
    ],
    "a rate that all answer": [
        cell(name, 200.0, 200.1, 200.2, 199.9, 199.8, model="open", p95_s=p95)
        for name, p95 in (("a", 0.2), ("b", 0.1))
    ],
    "nothing answered": [cell("uwsgi"), cell("uvicorn", goodput=0.0)],
    "one is invalid": [cell("a", *SLOW), broken("b")],
    "all are excluded": [broken("a", "B401 noisy-host"), broken("b", "B401 noisy-host")],
    "no figures": [cell("a", *SLOW), cell("b", status="failed", goodput=None, verdict="")],
    "other units": [cell("a", *SLOW), cell("chat", *FAST, unit="message")],
    "idle beside busy": [cell("a", *SLOW), cell("b", connection_bytes=1e5)],
    "alone": [cell("a", *SLOW)],
    "four are near the best": [cell(name, *AS_GOOD) for name in "abcde"],
    "five are near the best": [cell(name, *AS_GOOD) for name in "abcdef"],
}


def test_what_is_answered(golden):
    lines = []
    for case, cells in CASES.items():
        answer = ranking(cells, {})
        said = [answer.headline, *answer.reasons, *answer.next_steps]
        said += [answer.command, *answer.cautions]
        lines += [f"{case}:", *(f"    {plain(one)}" for one in said if one)]
        for sentence in (answer.headline, *answer.reasons):
            assert len(sentence.split()) <= 20, sentence
    golden("\n".join(lines), replace={"again=[0-9a-f,]+": "again=<ids>"})


def test_every_ratio_has_its_words(golden):
    figures = [one for one in compared().values() if one.scale is Scale.RATIO]
    golden("\n".join(f"a {one.won}; b {one.beside('0.50', 'a')}" for one in figures))


def test_candidates_against_a_baseline(golden):
    base, failed = side("a", SLOW), broken("x")
    pairs = [(base, side("b", FAST)), (base, side("c", SLOW[:3])), (base, failed)]
    found = contrasts(pairs, [GOODPUT, MEMORY])
    answer = of_pairs(pairs, found, [], Comparison([]), ["Not the same load."])
    golden(plain(to_markdown(answer)))


def climbed(*lines, **columns):
    """A run of each server at each number of users, with its goodput."""
    runs = []
    for server, goodputs in lines:
        for users, goodput in goodputs.items():
            about = {"key": f"{server} {users}", "users": users, **columns}
            runs += side(server, [goodput], users=users, columns=about).runs
    return Comparison(runs)


def arrivals(rate, goodput):
    asked = side("a", [goodput], columns={"model": "open", "arrival_rate": rate})
    asked.first.spec["load"] |= {"model": "open", "arrival_rate": rate}
    return asked


def test_what_differs_in_arrivals_at_once_alone_is_of_one_level():
    cells = [arrivals(200, 200), arrivals(200, 190)]
    for cell, most in zip(cells, (100, 400), strict=True):
        cell.first.spec["load"]["max_in_flight"], cell.first.key = most, f"at most {most}"
    assert climbs(cells) == []
    assert ranking(cells, {}).headline


CLIMBS = {
    "levels off": climbed(("a", {4: 50, 8: 96, 16: 100}), ("b", {4: 50, 8: 60, 16: 80})),
    "still rises": climbed(("a", {4: 50, 8: 80}), ("b", {4: 50})),
    "of one server": climbed(("a", {16: 95, 4: 50, 8: 94.9, 32: 100})),
    "one level each": climbed(("a", {4: 50}), ("b", {8: 60})),
    "the same load": climbed(("a", {4: 50}), ("b", {4: 60})),
}


def test_where_configurations_level_off(golden):
    lines = []
    for case, comparison in CLIMBS.items():
        lines += [case, *(f"  {one.sentence}" for one in climbs(comparison.cells))]
        if climbs(comparison.cells):
            answer = ranking(comparison.cells, {})
            lines += [f"  {text}" for text in (answer.headline, *answer.reasons)]
    golden(plain("\n".join(lines)))


def answered(name, *pairs):
    """What comes of pairs in one figure."""
    return plain(of_pairs(pairs, contrasts(pairs, [metric(name)]), [], Comparison([])).headline)


def differing(count):
    """What is said of two cells that differ in so many packages."""
    runs = []
    for version in ("1", "2"):
        run = side(version, SLOW[:1], columns={"key": version}).first
        packages = {f"p{number:02}": version for number in range(count)}
        run.software = Software(fingerprint=version, data={"packages": packages})
        runs.append(run)
    return said_first(Comparison(runs))


def test_values(golden):
    golden.values()


def test_who_is_clearly_behind_is_named_where_the_baseline_may_be_as_good():
    base, nearly, half = cell("a", *SLOW), cell("b", *AS_GOOD), cell("c", *SLOWER)
    pairs = [(base, nearly), (base, half)]
    answer = of_pairs(pairs, contrasts(pairs, [GOODPUT]), [], Comparison([]))
    assert "Clearly behind: c." in answer.reasons
