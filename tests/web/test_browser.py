"""A browser opens the pages: charts drawn, no error in its console; and once without scripts."""

import os
import re
from datetime import timedelta
from uuid import uuid4

import pytest

from benchsuite.models import Run
from benchsuite.views import listing
from benchsuite.views.compare import MOST_DRAWN
from tests import every_page
from tests.factories import BEGUN, INVALID, WEAK, make_failed_run, make_run, make_running_run
from tests.needs import needs
from tests.web.conftest import TOKEN, with_token

pytestmark = [needs("chromium", "playwright", "axe"), pytest.mark.django_db(transaction=True)]

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
DEADLINE_MS = 30_000
CELLS = 20

BUTTONS = {"Download plot as a PNG", "Zoom", "Pan", "Zoom in", "Zoom out", "Reset axes"}
"""All that a chart may offer."""

UNFOLD = "() => document.querySelectorAll('details.fold').forEach(one => { one.open = true; })"
RANGES = """() => Array.from(document.querySelectorAll(".drawing"))
  .filter(one => one.layout.meta.over_time).map(one => one._fullLayout.xaxis.range)"""
CURSORS = """() => Array.from(document.querySelectorAll(".drawing"))
  .filter(one => one.querySelector(".hoverlayer .legend, .hoverlayer .hovertext")).length"""
ASKED = """performance.getEntriesByType("resource")
  .filter(one => one.name.endsWith("/under-way/")).length"""
FITS = "width => document.documentElement.scrollWidth <= width"
CUT_OFF = """() => Array.from(document.querySelectorAll("body *")).filter(one =>
  one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1
  && getComputedStyle(one).overflowX !== "visible" && !one.closest("svg, .scroll, .drawing, select")
).map(one => one.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def chromium():
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
def runs(transactional_db):
    batch, later = uuid4(), BEGUN + timedelta(seconds=20)
    return [
        make_run("uwsgi", batch=batch, rate=600, memory_mib=96),
        make_run("uvicorn", batch=batch, rate=300, findings=(WEAK,), started_at=later),
        make_failed_run("daphne", started_at=BEGUN + timedelta(hours=1)),
    ]


@pytest.fixture
def tab(chromium, live_server, runs):
    """A tab at the list; whatever its console complains about, and whatever it asks of another
    host, fails the test at its end.
    """
    context = chromium.new_context(base_url=live_server.url, color_scheme="light")
    context.set_default_timeout(DEADLINE_MS)
    page = context.new_page()
    complaints: list[str] = []
    asked: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if is_error(said) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    context.on("request", lambda request: asked.append(request.url))
    page.goto(f"/results/?token={TOKEN}")
    yield page
    context.close()
    assert complaints == []
    assert asked
    assert [
        url for url in asked if not url.startswith((live_server.url, "data:", "blob:", "file:"))
    ] == []


def is_error(said):
    """Whether a console complains, but for a page that was asked for wrongly on purpose."""
    return said.type == "error" and not re.search("status of 4(00|09)", said.text)


def draw_all(tab):
    """Scrolls to every chart and waits until it is drawn; how many there are."""
    tab.evaluate(UNFOLD)
    figures = tab.locator("figure.chart")
    figures.first.wait_for()
    for index in range(figures.count()):
        figures.nth(index).scroll_into_view_if_needed()
        figures.nth(index).locator("svg.main-svg").first.wait_for()
    return int(figures.count())


def test_list_unfolds_sorts_and_filters(tab):
    row = tab.locator("tr.run.weak")
    assert not row.is_visible()
    tab.locator("summary", has_text="2 runs").click()
    row.wait_for(state="visible")
    tab.get_by_role("button", name="runs", exact=True).click()
    tab.wait_for_url("**/results/?sort=runs")
    assert tab.locator("th.runs[aria-sort=ascending]").count() == 1
    tab.get_by_label("uwsgi", exact=True).check()
    tab.get_by_role("button", name="Filter", exact=True).click()
    tab.wait_for_url("**server=uwsgi**")
    assert tab.locator("tr.run").all_inner_texts()[0].split()[0] == "uwsgi"
    tab.get_by_role("link", name="Configurations").click()
    assert tab.locator("svg.history").count() == 0, "a line needs two runs"


def test_charts_of_a_run_are_drawn_in_view_and_offer_no_upload(tab, runs):
    tab.goto(runs[0].get_absolute_url())
    tab.locator("#goodput svg.main-svg").first.wait_for()
    assert tab.locator("#memory svg.main-svg").count() == 0, "nobody has seen it yet"
    assert draw_all(tab) == 5
    offered = tab.locator(".modebar-btn").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label') || one.dataset.title)"
    )
    assert set(offered) == BUTTONS
    for drawing in tab.locator(".drawing").all():
        assert drawing.evaluate("one => one._context.plotlyServerURL") == ""
        assert drawing.evaluate("one => Plotly.validate(one.data, one.layout)") is None


def test_charts_of_a_run_share_their_time_axis_and_cursor(tab, runs):
    tab.goto(runs[0].get_absolute_url())
    draw_all(tab)
    assert tab.evaluate(RANGES) == [[0, 14]] * 4
    assert tab.locator("#memory .shapelayer path").count() == 2, "warm-up and drain"
    tab.locator("#goodput .drawing").focus()
    tab.keyboard.press("ArrowRight")
    tab.wait_for_function(f"() => ({CURSORS})() === 1")
    tab.locator("#cpu .nsewdrag").scroll_into_view_if_needed()
    tab.locator("#cpu .nsewdrag").hover()
    tab.wait_for_function(f"() => ({CURSORS})() === 4")
    tab.evaluate("() => Plotly.relayout(document.querySelector('#cpu .drawing'), "
                 "{'xaxis.range[0]': 4, 'xaxis.range[1]': 8})")  # fmt: skip
    tab.wait_for_function(f"() => String(({RANGES})()) === String(Array(4).fill([4, 8]))")


def chosen(tab):
    return tab.locator("[data-chosen]").inner_text()


def test_ticks_survive_sorting_paging_filters_and_back(tab, monkeypatch):
    make_run("waitress", started_at=BEGUN - timedelta(days=1))
    tab.reload()
    assert not tab.locator(".basket").is_visible()
    tab.get_by_role("checkbox", name="Choose io_read").nth(1).check()
    assert chosen(tab) == "2 chosen", "all runs of the command"
    inside = tab.locator("tr.run [name=runs]")
    assert [box.is_checked() for box in inside.all()].count(True) == 2
    assert [box.is_disabled() for box in inside.all()].count(True) == 2
    with tab.expect_download():
        tab.get_by_role("button", name="Export CSV").click()
    tab.wait_for_function("() => !document.querySelector('#runs [type=hidden][name=runs]')")
    assert chosen(tab) == "2 chosen", "a download leaves the page as it is"
    tab.get_by_role("button", name="when", exact=True).click()
    tab.wait_for_url("**sort=when")
    assert "runs=" not in tab.url
    monkeypatch.setattr(listing, "PER_PAGE", 1)
    tab.goto("/results/?page=3")
    tab.locator(".tick input").check()
    assert chosen(tab) == "3 chosen"
    tab.get_by_role("button", name="‹ previous").click()
    tab.wait_for_url("**page=2**")
    tab.goto("/results/?server=daphne")
    tab.get_by_role("link", name="daphne").first.click()
    tab.wait_for_url("**/results/*-*/")
    tab.go_back()
    assert chosen(tab) == "3 chosen"
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_url("**/compare/**")
    assert tab.url.count("-") == 8, "a command and a run"
    assert tab.locator("table.comparison tbody tr").count() == 3
    tab.go_back()
    tab.get_by_role("button", name="Clear").click()
    assert not tab.locator(".basket").is_visible()
    tab.reload()
    assert tab.locator("[name=runs]:checked").count() == 0
    tab.goto("/results/?deleted=1")
    tab.locator(".tick input").first.check()
    tab.reload()
    assert tab.locator(".tick input").first.is_checked()


def test_the_list_is_usable_by_keyboard_alone(tab):
    tab.locator(".tick input").nth(1).focus()
    tab.keyboard.press("Space")
    tab.get_by_role("button", name="Compare").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/compare/**")
    assert "uwsgi answered most" in tab.locator("p.sentence").first.inner_text()
    assert draw_all(tab) == 1


def test_of_twenty_cells_as_many_are_drawn_as_can_be_told_apart(tab):
    cells = [
        make_run(
            "uwsgi",
            processes=number + 1,
            rate=100 + number,  # lines that lie close together
            memory_mib=90 + number % 3,
            started_at=BEGUN + timedelta(minutes=number),
            duration_s=4.0,
            findings=(INVALID,) if number == 5 else (),
        )
        for number in range(CELLS)
    ]
    tab.goto(every_page.compare(cells))
    draw_all(tab)
    strokes = tab.locator("#distribution .scatterlayer path.js-line").evaluate_all(
        "all => all.map(one => getComputedStyle(one).stroke)"
    )
    assert len(set(strokes)) == len(strokes) == MOST_DRAWN


@pytest.fixture
def pages(runs, settings, tmp_path):
    return [*every_page.addresses(settings, tmp_path), f"/results/delete/?runs={runs[0].pk}"]


COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
"""The rules of axe that the dark may break alone."""


def test_axe_finds_nothing_in_the_light_and_in_the_dark(tab, pages):
    from axe_playwright_python.sync_playwright import Axe

    for path in pages:
        tab.goto(path)
        if tab.locator("figure.chart").count():
            draw_all(tab)
        assert named(Axe().run(tab)) == [], path
        tab.emulate_media(color_scheme="dark")
        assert named(Axe().run(tab, options=COLOURS)) == [], (path, "dark")
        tab.emulate_media(color_scheme="light")


def test_charts_follow_light_and_dark_and_paper(tab, runs):
    tab.goto(runs[0].get_absolute_url())
    tab.locator("#goodput svg.main-svg").first.wait_for()
    label = "() => getComputedStyle(document.querySelector('#goodput .xtick text')).fill"
    light = tab.evaluate(label)
    tab.emulate_media(color_scheme="dark")
    tab.wait_for_function(f"before => ({label})() !== before", arg=light)
    background = "() => getComputedStyle(document.body).backgroundColor"
    assert tab.evaluate(background) != "rgb(255, 255, 255)"
    tab.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    tab.emulate_media(media="print", color_scheme="dark")
    tab.wait_for_function(f"before => ({label})() === before", arg=light)
    assert tab.evaluate(background) == "rgb(255, 255, 255)"
    assert tab.locator("#memory svg.main-svg").count() > 0, "all charts are printed"
    assert tab.locator("#response-times g.legend").is_visible(), "with what their lines are"
    for hidden in ("header", ".copy", ".links", ".breadcrumbs"):
        assert not tab.locator(hidden).first.is_visible(), hidden
    assert tab.locator(".tiles").last.is_visible(), "and folds are open"
    tab.goto("/results/")
    assert [one for one in tab.locator("form input").all() if one.is_visible()] == []
    assert tab.locator("tr.command").count() == 2


def test_nothing_is_cut_off_without_a_cue(tab, pages):
    """What a table of numbers holds more is under a shadow at its edge; nothing else is cut."""
    for path in pages:
        tab.goto(path)
        if tab.locator("figure.chart").count():
            draw_all(tab)
        for width in (360, 768, 1024, 1440):
            tab.set_viewport_size({"width": width, "height": 800})
            tab.wait_for_function(FITS, arg=width)  # charts are drawn anew
            assert tab.evaluate(CUT_OFF) == [], (path, width)
    tab.goto("/results/")
    assert tab.evaluate("() => { const one = document.querySelector('.scroll'); "
                        "return one.scrollWidth - one.clientWidth }") <= 1  # fmt: skip
    cue = tab.locator(".scroll").first.evaluate("one => getComputedStyle(one).backgroundImage")
    assert cue.count("linear-gradient") == 4


def test_a_file_draws_its_charts_and_needs_nobody(tab, client, settings, tmp_path):
    """Nothing in it is asked of anybody, and axe finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    with_token(client)
    paths = every_page.files(every_page.addresses(settings, tmp_path))
    file = tmp_path / "page.html"
    for path in (*paths, paths[0]):
        file.write_bytes(client.get(path, headers={"host": "localhost"}).getvalue())
        tab.goto(file.as_uri())
        if tab.locator("figure.chart").count():
            draw_all(tab)
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= 1280, path
        assert named(Axe().run(tab)) == [], path
    tab.add_init_script("delete window.DecompressionStream")
    tab.reload()
    tab.locator("figure.chart tbody tr").first.wait_for()  # tables say the same


def named(axe):
    """What it found, and where."""
    found = axe.response["violations"]
    return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]


def test_on_a_phone_no_bar_of_buttons_lies_on_the_legend(chromium, live_server, runs):
    phone = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
    context = chromium.new_context(base_url=live_server.url, **phone)
    context.set_default_timeout(DEADLINE_MS)
    tab = context.new_page()
    tab.goto(f"{runs[0].get_absolute_url()}?token={TOKEN}")
    draw_all(tab)
    assert tab.locator("figure.chart .modebar-btn").count() == 0
    context.close()


def test_without_scripts_the_tables_say_it_all(chromium, live_server, runs):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    context.set_default_timeout(DEADLINE_MS)
    tab = context.new_page()
    tab.goto(f"/results/?token={TOKEN}")
    for server in ("uwsgi", "uvicorn"):
        tab.locator("summary", has_text="2 runs").click()
        tab.get_by_role("checkbox", name=f"Choose {server} of").check()
        tab.get_by_role("button", name="Filter", exact=True).last.click()  # the page again
    tab.get_by_role("button", name="Compare").click()
    assert tab.locator("table.comparison tbody tr").count() == 2
    tab.locator("#distribution summary").click()
    assert tab.locator("#distribution tbody tr").first.is_visible()
    assert not tab.locator(".drawing").first.is_visible()
    tab.goto(runs[0].get_absolute_url())
    tab.locator("summary", has=tab.locator("#seconds")).click()
    tab.locator("#response-times summary").click()
    assert tab.locator("#response-times tbody tr").count() == 14
    tab.goto(f"/results/delete/?runs={runs[0].pk}")
    tab.get_by_role("button", name="Delete", exact=True).click()
    assert "1 run deleted" in tab.locator("[role=status]").inner_text()
    context.close()
    assert not Run.objects.filter(pk=runs[0].pk).exists()


def test_marks_of_a_history_are_told_by_their_shapes(tab):
    days = [BEGUN + timedelta(days=day) for day in (1, 2, 3)]
    doubts = ((), (WEAK,), (INVALID,))
    run, *_ = [
        make_run("waitress", started_at=day, findings=findings)
        for day, findings in zip(days, doubts, strict=True)
    ]
    tab.goto(run.get_absolute_url())
    look = "dot => [getComputedStyle(dot).stroke, getComputedStyle(dot).strokeLinecap]"
    own = tab.locator(".history-line .dot").evaluate(look)
    tab.goto(f"/results/configurations/{run.key}/")
    drawing = tab.locator(".charts svg.history").first
    valid, weak, invalid = (dot.evaluate(look) for dot in drawing.locator(".dot").all())
    assert own == valid
    assert valid[1] != weak[1]
    assert len({valid[0], weak[0], invalid[0]}) == 3
    assert drawing.locator(".dot.invalid + .hole").count() == 1
    assert drawing.locator(".hole").count() == 1
    titles = drawing.locator("title").all_text_contents()
    assert [title.rpartition(", ")[2] for title in titles] == ["valid", "weak", "invalid"]


def test_without_the_library_tables_say_the_same(chromium, live_server, runs):
    context = chromium.new_context(base_url=live_server.url)
    context.set_default_timeout(DEADLINE_MS)
    context.route("**/plotly-*.js", lambda route: route.abort())
    tab = context.new_page()
    tab.goto(f"{runs[0].get_absolute_url()}?token={TOKEN}")
    tab.evaluate(UNFOLD)
    tab.locator("#goodput tbody tr").first.wait_for()
    assert not tab.locator("#goodput .drawing").is_visible()
    context.close()


def test_what_is_under_way_leaves_the_focus(tab):
    make_running_run("waitress")
    tab.reload()
    tab.locator(".under-way a").focus()
    tab.wait_for_function(f"() => {ASKED} >= 2")  # what came first is drawn
    assert tab.evaluate("() => document.activeElement.closest('.under-way') !== null")


def test_long_names_are_no_wider_than_a_phone(tab):
    run = make_run("uwsgi", label="x" * 200, options={"path": "/shop/" + "y" * 120})
    tab.set_viewport_size({"width": 320, "height": 800})
    paths = ["ask/", f"{run.pk}/", f"note/?run={run.pk}", f"note/?label={run.label}"]
    paths += [f"delete/?runs={run.pk}", f"configurations/{run.key}/", f"compare/?runs={run.pk}", ""]
    wide = []
    for path in paths:
        tab.goto(f"/results/{path}")
        if not tab.evaluate(FITS, 320):
            wide.append(path)
    assert wide == []
