"""The pages of studies, and what leaves them."""

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command

from benchsuite.core.results import Finding, Level
from benchsuite.models import Run, StudyRun
from benchsuite.report.studies.execution import chosen, study_report
from benchsuite.report.studies.several import chosen_beside, trend_of, whole
from benchsuite.report.writers import to_markdown
from tests.factories import INVALID, MACHINE
from tests.golden import changes
from tests.study_factories import RATES, TEXT, make_study_run, write
from tests.web.conftest import BY_TOKEN, GONE, csv_rows, table, text

SHOP = "/results/studies/shop/"


@pytest.fixture(autouse=True)
def file(settings, tmp_path):
    found = write(tmp_path)
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN, "STUDIES": [found]}
    return found


def test_the_list_has_all_studies_and_what_was_executed(soup):
    question = "Does async hold throughput when latency rises?"
    row = ["shop", question, "", "0", "not executed yet"]
    assert row in table(soup("/results/studies/"), "Studies")
    make_study_run(label="first", scale=0.5)
    StudyRun.objects.update(outcomes={"doesn't hold": 2})
    page = soup("/results/studies/")
    row = next(one for one in table(page, "Studies") if one[0] == "shop")
    assert row[2:] == [
        "Of its claims 2 don't hold.",
        "1",
        "14 Mar 2026, 09:26, finished, scale 0.5, first",
    ]
    assert page.find("a", string="shop")["href"] == SHOP
    assert page.select("nav a[href='/results/studies/']")


def test_a_wrong_file_is_told_in_the_list(soup, file):
    file.write_text(TEXT.replace('x = "delay"', 'x = "dely"'))
    make_study_run()
    (row,) = [one for one in table(soup("/results/studies/"), "Studies") if one[0] == "shop"]
    assert "there is no axis 'dely'" in row[1]
    assert soup(SHOP).h1.text == "shop"


def test_what_an_execution_answers(golden):
    noisy = Finding(code="B401 noisy-host", level=Level.INVALID, message="Others used it.")
    other = {"sync": "async", "async": "sync"}
    swapped = {(other[setup], delay): rate for (setup, delay), rate in RATES.items()}
    executions = {
        "whole": {},
        "swapped": {"rates": swapped},
        "part": {"scale": 0.3, "only": {"setup": ("sync",)}},
        "excluded": {"change": lambda at, start: {"findings": (noisy,)} if start == 1 else {}},
    }
    plain = ""
    for name, given in executions.items():
        written = to_markdown(study_report(make_study_run(**given)).answer)
        golden(changes(plain, written) if plain else written, name)
        plain = plain or written


def test_the_page_shows_the_answer_and_leads_to_its_runs(soup):
    def invalid(at, start):
        return {"findings": (INVALID,)} if at == ("sync", "100") and start == 1 else {}

    row = make_study_run(skipped=("async", "200"), change=invalid)
    answer, page = study_report(row).answer, soup(SHOP)
    assert page.select_one("p.headline").text == answer.headline
    follows = [" ".join(one.text.split()) for one in page.select(".follows li")]
    assert [one.rpartition(" claims")[0] for one in follows] == list(answer.reasons)
    titles = [one.title for one in answer.sections]
    assert set(titles) < {one.text for one in page.select("h2")}
    cells = {one[0]: one for one in table(page, "Configurations")}
    assert "setup async, delay 200: There is no uvicorn here." in page.text
    assert "○ invalid" in cells["setup sync, delay 100"][1]
    assert "1 of 2 runs failed: B201" in cells["setup sync, delay 100"][2]
    assert cells["setup sync, delay 100"][-1] == "--server=gunicorn-sync --delay-to-database=100ms"
    runs = [run for cell in row.cells.all() for run in cell.runs.all()]
    links = {one["href"] for one in page.select("details:has(#configurations) a")}
    assert links == {run.get_absolute_url() for run in runs}
    assert "setup async · delay 200: There is no uvicorn here." in str(answer.table.rows[1][3])


def test_it_leaves_as_markdown_csv_and_one_html_file(client, tmp_path):
    row = make_study_run(label="first")
    make_study_run(days=1)
    written = to_markdown(whole(study_report(row)))
    assert "\n\n\n" not in written
    says = "Sync falls to a third. | 120 → 40 /s"
    assert f"| ● holds | {says} | answers a second of delay 200" in written
    mine = f"{SHOP}?execution={row.pk}&format="
    assert text(client, f"{mine}md") == written
    call_command("runstudy", "shop", markdown=str(tmp_path / "shop.md"), label="first")
    assert (tmp_path / "shop.md").read_text() == written
    known = r"no execution 'other' of shop; there are, the newest first: .*, first"
    with pytest.raises(CommandError, match=known):
        call_command("runstudy", "shop", markdown="-", label="other")
    with pytest.raises(CommandError, match="is a folder"):
        call_command("runstudy", "shop", markdown=str(tmp_path))
    rows = csv_rows(client, f"{mine}csv")
    assert [(one["setup"], one["delay"]) for one in rows] == list(RATES)
    assert float(rows[0]["plateau_per_s"]) == pytest.approx(120, rel=0.1)
    assert (rows[0]["plateau_per_s_published"], rows[1]["plateau_per_s_published"]) == ("120.0", "")
    assert float(rows[0]["plateau_per_s_least"]) <= float(rows[0]["plateau_per_s"])
    page = text(client, f"{mine}html")
    parsed = BeautifulSoup(page, "html.parser")
    assert len(parsed.select("figure.chart")) == 4
    assert not parsed.select("link, img, script[src], a:not([href^='#'])")
    assert "@import" not in parsed.style.text
    assert "url(" not in parsed.style.text


def test_the_difference_of_two(soup, client, tmp_path):
    older = make_study_run(label="first")
    alike = make_study_run(days=1)
    section = chosen_beside(study_report(alike), "first").section
    assert section.sentences == [
        *("Their environments don’t differ in what matters.", "No claim came out otherwise.")
    ]
    newer = make_study_run(
        RATES | {("async", "200"): 60},
        days=2,
        change=lambda at, start: {"environment": {**MACHINE, "kernel": "6.8.0"}},
    )
    found = chosen_beside(study_report(newer), str(older.pk))
    turned, shown, not_shown = found.section.tables
    assert found.section.points == ["kernel 6.1.0 or 6.8.0"]
    assert turned.rows[0][:3] == ["Async stays where it is.", "● holds", "○ doesn't hold"]
    places = {row[0] for row in shown.rows if row[1] == "answers a second"}
    assert places == {"setup async, delay 200"}
    assert len(shown.rows) + len(not_shown.rows) == 6 * 4
    both = f"{SHOP}?execution={newer.pk}&with={older.pk}"
    page = soup(both)
    assert page.select_one(".differences h2").text == found.section.title
    written = to_markdown(whole(study_report(newer), found))
    assert written.index("## Against the execution of 14 Mar 2026") < written.index(
        "## Configurations"
    )
    assert text(client, f"{both}&format=md") == written
    file = tmp_path / "shop.md"
    call_command("runstudy", "shop", "--with=first", markdown=str(file))
    assert file.read_text() == written
    other = r"no other execution 'newest' of shop; there are.*first"
    with pytest.raises(CommandError, match=other):
        call_command("runstudy", "shop", "--with=newest", markdown=str(file))
    with pytest.raises(CommandError, match=r"--with needs --markdown"):
        call_command("runstudy", "shop", "--with=first")
    links = [one["href"].partition(str(newer.pk))[2] for one in page.select(".links a")]
    assert f"&with={older.pk}&format=md" in links


def test_environments_that_are_not_known_are_not_said_to_be_alike():
    make_study_run(label="first")
    row = make_study_run(days=1)
    Run.objects.filter(study_cell__study_run=row).update(environment=None)
    section = chosen_beside(study_report(row), "first").section
    assert "environments" not in " ".join(section.sentences)


def test_a_trend_needs_six_executions(soup):
    for day in range(5):
        make_study_run(RATES if day < 3 else RATES | {("sync", "0"): 60}, days=day)
    few = "5 executions of this file, scale and environment; steps are looked for from 6 on."
    assert few in soup(SHOP).text
    make_study_run(RATES | {("sync", "0"): 60}, days=5)
    steps, count = trend_of(study_report(chosen("shop")))
    assert (steps.title, count) == ("Trend of answers a second", 6)
    assert [one.partition(": ")[0] for one in steps.points] == ["setup sync, delay 0"]
    assert "× 0.4" in steps.points[0]
    assert "from 17 Mar 2026" in steps.points[0]
    assert whole(study_report(chosen("shop"))).sections[-1] == steps


def test_charts_have_a_line_an_arm_and_one_for_each_small_value(soup):
    make_study_run(more='[[chart]]\nx = "memory"\ny = "p95"\n')  # as files once could have it
    page = soup(SHOP)
    titles = [one.text for one in page.select("figure h3")]
    assert titles == [
        "answers a second by delay",
        *(f"answers a second by setup: delay {delay}" for delay in ("0", "100", "200")),
    ]
    numbers = page.select_one("figure table")
    heads = ["delay", "sync", "async", "sync, published", "async, published"]
    assert [one.text for one in numbers.select("th")] == heads
    assert [row.td.text for row in numbers.select("tbody tr")] == ["0", "100", "200"]


def test_a_remark_is_shown_as_written_by_a_person(soup, client):
    row = make_study_run(label="first")
    make_study_run(days=1)
    row.remark = "Async stays where it is, <150 /s|> at any delay."
    row.save()
    words = f"Written by a person: {row.remark}"
    assert soup(f"{SHOP}?execution={row.pk}").select_one("p.note").text == words
    assert "Written by a person" not in soup(SHOP).text
    assert "> Written by a person: Async stays where it is, \\<150" in to_markdown(
        study_report(row).answer
    )
    page = text(client, f"{SHOP}?execution={row.pk}&format=html")
    assert BeautifulSoup(page, "html.parser").select_one("p.note").text == words


def test_without_runs_it_has_none(soup):
    make_study_run(measured=False)
    page = soup("/results/studies/shop/")
    assert page.select_one("p.when").text.endswith("runs: none")
    assert "Runs: none." in page.text


def test_an_unknown_format_study_or_execution_is_a_sentence(soup):
    page = soup("/results/studies/shp/", status=404)
    assert "There is no study 'shp'; did you mean shop?" in page.text
    assert "runstudy shop" in soup(SHOP, status=404).text
    make_study_run()
    assert "there are: md, csv, html, json" in soup(f"{SHOP}?format=pdf", status=400).text
    assert "There is no execution 'x' of shop" in soup(f"{SHOP}?execution=x", status=400).text


def test_a_file_of_another_version_is_a_sentence(soup):
    row = make_study_run()
    StudyRun.objects.filter(pk=row.pk).update(text=TEXT.replace("format = 1", "format = 2"))
    assert "the only format that this benchsuite reads" in soup(SHOP, status=400).text


def test_a_study_without_figures_and_claims_has_its_cells(soup):
    bare = TEXT.partition("[figures]")[0]
    StudyRun.objects.filter(pk=make_study_run().pk).update(text=bare)
    page = soup(SHOP)
    assert len(table(page, "Configurations")) == 7
    assert "The study names no figures." in page.text
    assert page.select_one(".headline").text == "The study makes no claims."


def test_published_figures_that_have_gone_don_t_hide_the_measured(soup, file):
    make_study_run()
    (file.parent / "shop.csv").unlink()
    page = soup(SHOP)
    assert "shop.csv can't be read" in page.text
    assert table(page, "answers a second, p95")[0] == ["delay", "figure", "sync", "async"]


def test_executions_are_to_choose_between(soup):
    older, newer = make_study_run(), make_study_run(days=1)
    going = make_study_run(days=2, ended=False)
    assert chosen("shop") == newer
    page = soup(f"{SHOP}?execution={older.pk}")
    assert "14 Mar 2026, 09:26 UTC, took 7 min, finished" in page.text
    links = {one["href"] for one in page.select("details:has(#executions) a")}
    assert f"?execution={going.pk}" in links
    assert f"?execution={older.pk}&with={newer.pk}" in links
    assert soup(f"{SHOP}?execution={going.pk}").h1


def test_its_runs_leave_as_json_for_another_machine(client, tmp_path):
    row = make_study_run()
    before = to_markdown(study_report(row).answer)
    file = tmp_path / "runs.json"
    file.write_text(text(client, f"{SHOP}?format=json"))
    row.delete()
    Run.objects.all().delete()
    call_command("loadbench", str(file))
    assert to_markdown(study_report(StudyRun.objects.get()).answer) == before


def test_one_that_was_killed_is_not_under_way(soup, tmp_path):
    row = make_study_run(ended=False)

    def killed():
        StudyRun.objects.update(status="running", owner=GONE)

    killed()
    (listed,) = [one for one in table(soup("/results/studies/"), "Studies") if one[0] == "shop"]
    assert listed[-1].endswith(", interrupted")
    killed()
    page = soup(SHOP)
    assert "interrupted · runs" in page.select_one("p.when").text
    assert table(page, "Executions")[1][1] == "interrupted"
    killed()
    file = tmp_path / "shop.md"
    call_command("runstudy", "shop", markdown=str(file))
    assert "UTC, interrupted. " in file.read_text()
    row.refresh_from_db()
    assert row.owner == ""


def test_the_least_that_a_server_answers_is_no_mean(client):
    limited = Finding(code="B101 generator-cpu", level=Level.INVALID, message="It was busy.")
    make_study_run(change=lambda at, start: {"findings": (limited,)} if at == ("sync", "0") else {})
    first, *_ = csv_rows(client, f"{SHOP}?format=csv")
    assert (first["counted"], first["plateau_per_s"]) == ("0", "")


def test_the_method_of_what_is_decided_as_it_goes():
    row = make_study_run(scale=0.3)
    row.looks = 6
    method = " ".join(study_report(row).method())
    assert "configurations with a run or more of each" in method
    assert "of delay only what claims and questions need and 200 (1 of 3)" in method
