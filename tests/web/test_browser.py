"""A browser opens the pages: charts drawn, no error in its console; and once without scripts."""

import os
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from benchsuite.models import Run
from tests.factories import BEGUN, WEAK, make_failed_run, make_run
from tests.needs import needs

pytestmark = [needs("chromium", "playwright"), pytest.mark.django_db(transaction=True)]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DEADLINE_MS = 30_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    import shutil

    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    # Playwright keeps an event loop in this thread; the ORM is used between its calls, never in it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def runs(transactional_db: None) -> list[Run]:
    batch = uuid4()
    return [
        make_run("uwsgi", batch=batch, rate=600, memory_mib=96),
        make_run(
            "uvicorn",
            batch=batch,
            rate=300,
            findings=(WEAK,),
            started_at=BEGUN + timedelta(seconds=20),
        ),
        make_failed_run("daphne", started_at=BEGUN + timedelta(hours=1)),
    ]


@pytest.fixture
def tab(chromium: Any, live_server: Any, runs: list[Run]) -> Iterator[Any]:
    """A tab at the list; whatever its console complains about fails the test at its end."""
    context = chromium.new_context(base_url=live_server.url, color_scheme="light")
    context.set_default_timeout(DEADLINE_MS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/results/")
    yield page
    context.close()
    assert complaints == []


def servers(tab: Any) -> list[str]:
    return [text.split()[0] for text in tab.locator("tr.run td.server").all_inner_texts()]


def assert_all_drawn(tab: Any) -> None:
    figures = tab.locator("figure.chart")
    figures.first.wait_for()
    for index in range(figures.count()):
        figures.nth(index).locator("svg.main-svg").first.wait_for()
    assert figures.count() > 0


def test_list_sorts_and_filters(tab: Any) -> None:
    assert servers(tab) == ["daphne", "uvicorn", "uwsgi"]
    tab.get_by_role("link", name="goodput").click()
    tab.locator("th.goodput[aria-sort=ascending]").wait_for()
    assert servers(tab) == ["uvicorn", "uwsgi", "daphne"]
    tab.get_by_label("uwsgi", exact=True).check()
    tab.get_by_role("button", name="Filter", exact=True).click()
    tab.wait_for_url("**server=uwsgi**")
    assert servers(tab) == ["uwsgi"]


def test_group_folds(tab: Any) -> None:
    row = tab.locator("tbody.group tr.run").first
    assert row.is_visible()
    tab.locator("tr.command-line summary").click()
    row.wait_for(state="hidden")


def test_run_page_draws_its_charts(tab: Any, runs: list[Run]) -> None:
    tab.goto(runs[0].get_absolute_url())
    assert_all_drawn(tab)
    assert tab.locator("figure.chart").count() == 6


def test_ticked_runs_are_compared(tab: Any) -> None:
    for server in ("uwsgi", "uvicorn"):
        tab.get_by_role("checkbox", name=f"Choose {server} of").check()
    assert tab.locator("[data-chosen]").inner_text() == "2 of 3 chosen"
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_url("**/compare/**")
    assert "uwsgi answered most" in tab.locator("p.sentence").first.inner_text()
    assert_all_drawn(tab)
    assert tab.locator("figure.chart").count() == 3


def test_charts_follow_light_and_dark(tab: Any, runs: list[Run]) -> None:
    tab.goto(runs[0].get_absolute_url())
    assert_all_drawn(tab)
    label = "() => getComputedStyle(document.querySelector('#goodput .xtick text')).fill"
    light = tab.evaluate(label)
    tab.emulate_media(color_scheme="dark")
    tab.wait_for_function(f"before => ({label})() !== before", arg=light)
    light_background = "rgb(255, 255, 255)"
    assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") != light_background


@pytest.mark.parametrize("width", [360, 1280])
def test_pages_are_never_wider_than_the_screen(tab: Any, runs: list[Run], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    paths = [
        "/results/",
        runs[0].get_absolute_url(),
        runs[2].get_absolute_url(),
        f"/results/compare/?runs={runs[0].pk},{runs[1].pk}",
        f"/results/delete/?runs={runs[0].pk}",
    ]
    for path in paths:
        tab.goto(path)
        if "delete" not in path and tab.locator("figure.chart").count():
            assert_all_drawn(tab)
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= width, path


def test_on_a_phone_no_bar_of_buttons_lies_on_the_legend(
    chromium: Any, live_server: Any, runs: list[Run]
) -> None:
    phone = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
    context = chromium.new_context(base_url=live_server.url, **phone)
    context.set_default_timeout(DEADLINE_MS)
    tab = context.new_page()
    tab.goto(runs[0].get_absolute_url())
    assert_all_drawn(tab)
    assert tab.locator("figure.chart .modebar-btn").count() == 0
    context.close()


def test_without_scripts_the_tables_say_it_all(
    chromium: Any, live_server: Any, runs: list[Run]
) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    context.set_default_timeout(DEADLINE_MS)
    tab = context.new_page()
    tab.goto("/results/")
    for server in ("uwsgi", "uvicorn"):
        tab.get_by_role("checkbox", name=f"Choose {server} of").check()
    tab.get_by_role("button", name="Compare").click()
    assert tab.locator("table.comparison tbody tr").count() == 2
    tab.locator("#goodput summary").click()
    assert tab.locator("#goodput tbody tr").first.is_visible()
    assert not tab.locator(".drawing").first.is_visible()
    tab.goto(runs[0].get_absolute_url())
    tab.locator("#response-times summary").click()
    assert tab.locator("#response-times tbody tr").count() == 14
    tab.goto(f"/results/delete/?runs={runs[0].pk}")
    tab.get_by_role("button", name="Yes, delete").click()
    assert "1 run deleted" in tab.locator("[role=status]").inner_text()
    context.close()
    assert not Run.objects.filter(pk=runs[0].pk).exists()
