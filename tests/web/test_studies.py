"""The pages of studies, and what leaves them."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command
from django.test import Client

from benchsuite.core.results import Finding, Level
from benchsuite.models import Run, StudyRun
from benchsuite.report.studies.exports import markdown
from benchsuite.report.studies.others import chosen_beside
from benchsuite.report.studies.told import chosen, told
from benchsuite.system import lock
from tests.factories import INVALID, MACHINE
from tests.study_factories import RATES, TEXT, make_study_run, write
from tests.web.conftest import BY_TOKEN

SHOP = "/results/studies/shop/"


@pytest.fixture(autouse=True)
def file(settings: Any, tmp_path: Path) -> Path:
    found = write(tmp_path)
    settings.BENCHSUITE = {"ACCESS": BY_TOKEN, "STUDIES": [found]}
    return found


def table(page: Any, caption: str) -> list[list[str]]:
    found = next(one for one in page.select("table") if one.caption.text.startswith(caption))
    return [[cell.text.strip() for cell in row.select("th, td")] for row in found.select("tr")]


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return b"".join(answer).decode()


def test_the_list_has_all_studies_and_what_was_executed(soup: Any) -> None:
    assert ["shop", "Does async hold throughput when latency rises?", "0", "not executed yet"] in (
        table(soup("/results/studies/"), "Studies")
    )
    make_study_run(label="first", scale=0.5)
    page = soup("/results/studies/")
    row = next(one for one in table(page, "Studies") if one[0] == "shop")
    assert row[2:] == ["1", "14 Mar 2026, 09:26, finished, scale 0.5, first"]
    assert page.find("a", string="shop")["href"] == SHOP
    assert page.select("nav a[href='/results/studies/']")


def test_a_wrong_file_is_told_in_the_list(soup: Any, file: Path) -> None:
    file.write_text(TEXT.replace('x = "delay"', 'x = "dely"'))
    make_study_run()
    (row,) = [one for one in table(soup("/results/studies/"), "Studies") if one[0] == "shop"]
    assert "there is no axis or figure 'dely'" in row[1]
    assert soup(SHOP).h1.text == "shop"


def test_claims_come_first_with_interval_and_reason(soup: Any) -> None:
    make_study_run()
    page = soup(SHOP)
    assert page.select_one("p.sentence").text == "Does async hold throughput when latency rises?"
    claims = [" ".join(one.text.split()) for one in page.select("section:first-of-type li")]
    assert claims[0].startswith("● holds Sync falls to a third. Published: 120 → 40 /s.")
    assert "plateau of sync, 200 / sync, 0 is 0.2" in claims[0]
    assert "variance pooled over 6 cells" in claims[0]
    assert claims[1].startswith("● holds Async stays")
    assert claims[2].startswith("◐ can't be told here Sixty-four CPUs are more.")
    assert "cpus-target must be at least 64.0, and is" in claims[2]
    assert "2 hold and 1 can't be told here. Runs: 12 valid." in page.text


def test_swapped_arms_do_not_hold(soup: Any) -> None:
    other = {"sync": "async", "async": "sync"}
    make_study_run({(other[setup], delay): rate for (setup, delay), rate in RATES.items()})
    claims = [one.text for one in soup(SHOP).select("section:first-of-type li strong")]
    assert claims == ["○ doesn't hold", "○ doesn't hold", "◐ can't be told here"]


def test_measured_stands_beside_published(soup: Any) -> None:
    make_study_run()
    rows = table(soup(SHOP), "answers a second, p95")
    assert rows[0] == [
        *("delay", "figure", "sync, measured", "sync, published"),
        *("async, measured", "async, published"),
    ]
    assert rows[1][:2] == ["0", "answers a second"]
    assert rows[1][3].startswith("120\u2009/s")
    assert "measured " in rows[1][3]
    assert rows[3][:2] == ["100", "answers a second"]
    assert (rows[3][3], rows[3][5]) == ("—", "—")


def test_cells_link_to_their_runs_and_skipped_ones_say_why(soup: Any) -> None:
    def invalid(at: tuple[str, str], start: int) -> dict[str, Any]:
        return {"findings": (INVALID,)} if at == ("sync", "100") and start == 1 else {}

    row = make_study_run(skipped=("async", "200"), change=invalid)
    page = soup(SHOP)
    cells = {one[0]: one for one in table(page, "Cells")}
    assert cells["setup async, delay 200"][1] == "There is no uvicorn here."
    assert "○ invalid" in cells["setup sync, delay 100"][1]
    assert "1 of 2 starts failed: B201" in cells["setup sync, delay 100"][2]
    assert cells["setup sync, delay 100"][-1] == "--server=gunicorn-sync --delay-to-database=100ms"
    runs = [run for cell in row.cells.all() for run in cell.runs.all()]
    links = {one["href"] for one in page.select("#cells ~ div a")}
    assert links == {run.get_absolute_url() for run in runs}
    claims = [" ".join(one.text.split()) for one in page.select("section:first-of-type li")]
    assert claims[1].startswith("◐ can't be told here Async stays")
    assert "async, 200: There is no uvicorn here." in claims[1]


def test_method_and_environment_are_of_the_file_and_the_machine(soup: Any) -> None:
    make_study_run(scale=0.3, only={"setup": ("sync",)})
    page = soup(SHOP)
    said = page.select_one("#method").parent.text
    assert "The cells are setup (sync, async) × delay (0, 100, 200)." in said
    assert "1 of its 6 cells with 2 fresh starts of each" in said
    assert "It was asked for these values only: setup: sync." in said
    assert "scale 0.3: duration multiplied by it" in said
    assert "of delay only 200 (1 of 3)" in said
    assert "Not in the original: async." in said
    assert "runbench" in said
    assert "--duration=1.8s" in said
    environment = page.select_one("#environment").parent.text
    assert MACHINE["cpu_model"] in environment
    assert "gunicorn-sync 23.0.0" in environment


def test_charts_have_a_line_an_arm_and_one_for_each_small_value(soup: Any, client: Client) -> None:
    make_study_run()
    page = soup(SHOP)
    titles = [one.text for one in page.select("figure h3")]
    assert titles == [
        "answers a second by delay",
        "p95 by memory (MiB)",
        *(f"answers a second by setup: delay {delay}" for delay in ("0", "100", "200")),
    ]
    data = page.select_one("figure .data a")["href"]
    rows = list(csv.reader(io.StringIO(client.get(data).content.decode())))
    assert rows[0] == ["delay", "sync plateau", "async plateau"]
    assert [float(row[0]) for row in rows[1:]] == [0, 100, 200]
    chart = client.get(page.select("figure .data a")[1]["href"])
    assert b"Plotly.newPlot" in chart.content


def test_it_leaves_as_markdown_csv_and_one_html_file(client: Client) -> None:
    row = make_study_run()
    written = text(client, f"{SHOP}?format=md")
    assert written == markdown(told(row))
    assert written.startswith("# shop\n\n**Does async hold throughput when latency rises?**\n")
    assert "| Sync falls to a third. | 120 → 40 /s | ● holds | plateau of sync, 200 / " in written
    assert "| delay | figure | sync, measured | sync, published | async, measured |" in written
    rows = list(csv.DictReader(io.StringIO(text(client, f"{SHOP}?format=csv"))))
    assert [(one["setup"], one["delay"]) for one in rows] == list(RATES)
    assert float(rows[0]["plateau"]) == pytest.approx(120, rel=0.1)
    assert rows[0]["plateau_published"] == "120.0"
    assert rows[1]["plateau_published"] == ""
    assert float(rows[0]["plateau_least"]) <= float(rows[0]["plateau"])
    page = text(client, f"{SHOP}?format=html")
    assert page.count("Plotly.newPlot(") >= 5
    parsed = BeautifulSoup(page, "html.parser")
    assert not parsed.select("link, img, script[src], a")
    assert "@import" not in parsed.style.text
    assert "url(" not in parsed.style.text


def test_markdown_says_which_starts_are_excluded() -> None:
    noisy = Finding(code="B401 noisy-host", level=Level.INVALID, message="Others used it.")
    row = make_study_run(change=lambda at, start: {"findings": (noisy,)} if start == 1 else {})
    written = markdown(told(row))
    assert "| setup sync, delay 0 | `--server=gunicorn-sync` | 2, 1 excluded: B401 | " in written
    assert "one start has no interval" in written


def test_the_command_writes_the_same_markdown(tmp_path: Path) -> None:
    labelled, newest = make_study_run(label="first"), make_study_run(days=1)
    for label, row in (("first", labelled), ("", newest)):
        call_command("runstudy", "shop", markdown=str(tmp_path / "shop.md"), label=label)
        assert (tmp_path / "shop.md").read_text() == markdown(told(row))
    with pytest.raises(
        CommandError, match=r"no execution 'other' of shop; there are, the newest first: .*, first"
    ):
        call_command("runstudy", "shop", markdown="-", label="other")
    with pytest.raises(CommandError, match="is a folder"):
        call_command("runstudy", "shop", markdown=str(tmp_path))


def test_a_remark_is_shown_as_written_by_a_person(
    tmp_path: Path, soup: Any, client: Client
) -> None:
    row, file = make_study_run(label="first"), tmp_path / "remark.txt"
    make_study_run(days=1)
    file.write_text("Async stays\nwhere it is, <150 /s|> at any delay.\n")
    call_command("runstudy", "shop", label="first", remark=str(file))
    row.refresh_from_db()
    assert row.remark == "Async stays where it is, <150 /s|> at any delay."
    words = f"Written by a person: {row.remark}"
    assert soup(f"{SHOP}?execution={row.pk}").select_one("p.note").text == words
    assert "Written by a person" not in soup(SHOP).text
    assert "> Written by a person: Async stays where it is, &lt;150" in markdown(told(row))
    page = text(client, f"{SHOP}?execution={row.pk}&format=html")
    assert BeautifulSoup(page, "html.parser").select_one("p.note").text == words
    file.write_text("")
    call_command("runstudy", "shop", label="first", remark=str(file))
    row.refresh_from_db()
    assert row.remark == ""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"One.\n \nTwo.", "has several paragraphs; a remark is one."),
        (b"\xff", "is not UTF-8"),
        (b"\x1b[1mBold.", "has control characters"),
        (b"a" * 2001, "may have 2000 characters at most, and has 2001"),
    ],
)
def test_what_is_no_remark_is_refused(tmp_path: Path, said: bytes, reason: str) -> None:
    row = make_study_run()
    file = tmp_path / "remark.txt"
    file.write_bytes(said)
    with pytest.raises(CommandError, match=reason):
        call_command("runstudy", "shop", remark=str(file))
    with pytest.raises(CommandError, match="can't be read: No such file"):
        call_command("runstudy", "shop", remark=str(tmp_path / "none"))
    row.refresh_from_db()
    assert row.remark == ""


def test_an_unknown_format_study_or_execution_is_a_sentence(soup: Any) -> None:
    assert (
        "There is no study 'shp'; did you mean shop?"
        in soup("/results/studies/shp/", status=404).text
    )
    assert "runstudy shop" in soup(SHOP, status=404).text
    make_study_run()
    assert "there are: md, csv, html, json" in soup(f"{SHOP}?format=pdf", status=400).text
    assert "There is no execution 'x' of shop" in soup(f"{SHOP}?execution=x", status=400).text
    assert "no chart 'chart-9'" in soup(f"{SHOP}chart-9.csv", status=404).text


def test_a_file_of_another_version_is_a_sentence(soup: Any) -> None:
    row = make_study_run()
    StudyRun.objects.filter(pk=row.pk).update(text=TEXT.replace("format = 1", "format = 2"))
    assert "the only format that this benchsuite reads" in soup(SHOP, status=400).text


def test_a_study_without_figures_and_claims_has_its_cells(soup: Any) -> None:
    bare = TEXT.partition("[figures]")[0]
    StudyRun.objects.filter(pk=make_study_run().pk).update(text=bare)
    page = soup(SHOP)
    assert len(table(page, "Cells")) == 7
    assert "The study names no figures." in page.text
    assert "No claims. Runs: 12 valid." in page.text


def test_published_figures_that_have_gone_don_t_hide_the_measured(soup: Any, file: Path) -> None:
    make_study_run()
    (file.parent / "shop.csv").unlink()
    page = soup(SHOP)
    assert "shop.csv can't be read" in page.text
    assert table(page, "answers a second, p95")[0] == ["delay", "figure", "sync", "async"]


def test_executions_are_to_choose_between(soup: Any) -> None:
    older, newer = make_study_run(), make_study_run(days=1)
    going = make_study_run(days=2, ended=False)
    assert chosen("shop") == newer
    page = soup(f"{SHOP}?execution={older.pk}")
    assert "14 Mar 2026, 09:26 UTC, took 7 min, finished" in page.text
    links = {one["href"] for one in page.select("#executions ~ div a")}
    assert f"?execution={going.pk}" in links
    assert f"?execution={older.pk}&with={newer.pk}" in links
    assert soup(f"{SHOP}?execution={going.pk}").h1


def test_the_difference_of_two(soup: Any) -> None:
    older = make_study_run()
    newer = make_study_run(RATES | {("async", "200"): 60}, days=1)
    said = soup(f"{SHOP}?execution={newer.pk}&with={older.pk}")
    section = said.select_one("section.differences")
    assert "Their environments don’t differ in what matters." in section.text
    assert "Async stays where it is. ● holds → ○ doesn't hold" in " ".join(section.text.split())
    shown = [row[:2] for row in table(said, "Differences shown")[1:]]
    assert ["async, 200", "answers a second"] in shown
    assert {row[0] for row in shown if row[1] == "answers a second"} == {"async, 200"}
    assert len(table(said, "Differences not shown")) + len(shown) == 1 + 6 * 4


def test_the_difference_leaves_with_markdown_and_html(client: Client, tmp_path: Path) -> None:
    older = make_study_run(label="first")
    newer = make_study_run(
        RATES | {("async", "200"): 60},
        days=1,
        change=lambda at, start: {"environment": {**MACHINE, "kernel": "6.8.0"}},
    )
    both = f"{SHOP}?execution={newer.pk}&with={older.pk}&format="
    written = text(client, f"{both}md")
    assert written.index("## Against the execution of 14 Mar 2026") < written.index("## Claims")
    assert "- kernel 6.1.0 or 6.8.0\n" in written
    assert "| Async stays where it is. | ● holds | ○ doesn't hold | " in written
    assert re.search(r"\| async, 200 \| answers a second \| 0\.\d+ \[0\.", written)
    assert "differences not shown\n" in written
    assert "## Trend of answers a second" not in written, "the other is of another environment"
    page = BeautifulSoup(text(client, f"{both}html"), "html.parser")
    assert page.select_one("section.differences li").text == "kernel 6.1.0 or 6.8.0"
    file = tmp_path / "shop.md"
    for which in ("first", str(older.pk)):
        call_command("runstudy", "shop", "--with", which, markdown=str(file))
        assert file.read_text() == written
    with pytest.raises(
        CommandError, match=r"no other execution 'newest' of shop; there are.*first"
    ):
        call_command("runstudy", "shop", "--with=newest", markdown=str(file))
    with pytest.raises(CommandError, match=r"--with says what --markdown tells .*add --markdown"):
        call_command("runstudy", "shop", "--with=first")
    assert f"&with={older.pk}&format=md" in [
        one["href"].partition(str(newer.pk))[2]
        for one in BeautifulSoup(client.get(both[:-8]).content, "html.parser").select(".links a")
    ]


def test_no_two_blank_lines_follow_each_other_in_markdown() -> None:
    older = make_study_run(skipped=("async", "200"))
    mine = told(make_study_run(RATES | {("sync", "0"): 60}, days=1))
    for beside in (None, chosen_beside(mine, str(older.pk))):
        written = markdown(mine, beside)
        assert "\n\n\n" not in written
        assert written.endswith("\n")
        assert not written.endswith("\n\n")


def test_its_runs_leave_as_json_for_another_machine(client: Client, tmp_path: Path) -> None:
    row = make_study_run()
    before = markdown(told(row))
    file = tmp_path / "runs.json"
    file.write_text(text(client, f"{SHOP}?format=json"))
    row.delete()
    Run.objects.all().delete()
    call_command("loadbench", str(file))
    assert markdown(told(StudyRun.objects.get())) == before


def test_one_that_was_killed_is_not_under_way(soup: Any, tmp_path: Path) -> None:
    gone = lock.owner_name().rsplit(":", 2)[0] + ":999999999:1"
    row = make_study_run(ended=False)

    def killed() -> None:
        StudyRun.objects.update(status="running", owner=gone)

    killed()
    (listed,) = [one for one in table(soup("/results/studies/"), "Studies") if one[0] == "shop"]
    assert listed[-1].endswith(", interrupted")
    killed()
    page = soup(SHOP)
    assert "interrupted. " in page.select_one("p.quiet").text
    assert table(page, "Executions")[1][1] == "interrupted"
    killed()
    file = tmp_path / "shop.md"
    call_command("runstudy", "shop", markdown=str(file))
    assert "UTC, interrupted. " in file.read_text()
    row.refresh_from_db()
    assert row.owner == ""


def test_what_differs_between_their_machines_is_on_top(soup: Any) -> None:
    older = make_study_run()
    newer = make_study_run(
        days=1, change=lambda at, start: {"environment": {**MACHINE, "kernel": "6.8.0"}}
    )
    section = soup(f"{SHOP}?execution={newer.pk}&with={older.pk}").select_one(".differences")
    assert section.li.text == "kernel 6.1.0 or 6.8.0"


def test_a_trend_needs_six_executions(soup: Any, client: Client) -> None:
    for day in range(5):
        make_study_run(RATES if day < 3 else RATES | {("sync", "0"): 60}, days=day)
    assert "5 executions of this file, scale and environment; steps are looked for from 6 on." in (
        soup(SHOP).text
    )
    make_study_run(RATES | {("sync", "0"): 60}, days=5)
    found = soup(SHOP).select_one("#executions").parent
    assert [one.text.split(": ")[0] for one in found.select("li")] == ["sync, 0"]
    assert "× 0.4" in found.li.text
    assert "from 17 Mar 2026" in found.li.text
    mine = told(chosen("shop"))
    assert f"\n## Trend of answers a second\n\n- {found.li.text}\n" in markdown(mine)
    offline = BeautifulSoup(text(client, f"{SHOP}?format=html"), "html.parser")
    assert offline.select_one("#trend").parent.li.text == found.li.text
