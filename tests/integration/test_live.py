"""A browser looks on while a command measures; its console is killed meanwhile, and comes back."""

import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchsuite.system.network import free_port
from tests.integration.command import ROOT, wait_for
from tests.needs import needs

pytestmark = needs("chromium", "playwright", "axe")

SEEN = 4  #: Seconds that are there before the console is killed.
LONGEST_MS = 30_000
GENTLY = ("--users=2", "--think-time=0.1")  #: The page wants seconds, not all of the CPUs.


@contextmanager
def console(command, kind, port):
    """Its pages, open to whoever has the token. It knows the command's lock, as any other would."""
    python, beside, lock, manage = command.program
    serving = [manage, "runserver", "--noreload", f"127.0.0.1:{port}"]
    if kind == "daphne":
        program = str(Path(sys.executable).with_name("daphne"))
        serving = [program, "-b127.0.0.1", f"-p{port}", "testproject.asgi_console:application"]
    given = {"BENCHSUITE_TOKEN": "x3Yq", "BENCHSUITE_ACCESS": "benchsuite.views.access.token"}
    process = subprocess.Popen(
        [python, beside, lock, *serving],
        cwd=ROOT,
        env=command.env | given | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def page():
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        made = browser.new_page(viewport={"width": 390, "height": 900})
        made.set_default_timeout(LONGEST_MS)
        yield made
        browser.close()


def opened(page, url):
    """As soon as the console answers."""
    from playwright.sync_api import Error

    def answers():
        try:
            return bool(page.goto(url).ok)
        except Error:
            return False

    wait_for("a console that answers", answers)


def address(bench):
    """Of the page to follow."""
    lines = iter(bench.stdout.readline, "")
    return next(found[1] for line in lines if (found := re.match(r"Follow\s+(http\S+)", line)))


def seconds(page):
    """Of the first run, as the page has them."""
    rows = page.locator("[data-seconds] tr").evaluate_all(
        "rows => rows.map(row => Array.from(row.cells, cell => cell.textContent))"
    )
    return [round(float(second)) for run, second, *_ in rows if run == "1"]


def at_least(page, many):
    page.wait_for_function(
        "many => document.querySelectorAll('[data-seconds] tr').length >= many", arg=many
    )
    return seconds(page)


@pytest.mark.parametrize("kind", ["daphne", pytest.param("runserver", marks=pytest.mark.audit)])
def test_its_page_draws_every_second_though_the_console_was_killed(command, page, kind):
    from axe_playwright_python.sync_playwright import Axe

    port = free_port()
    sockets: list[str] = []
    base = f"http://127.0.0.1:{port}/results/"
    command.env["BENCHSUITE_CONSOLE_URL"] = base
    page.on("websocket", lambda opened: sockets.append(opened.url))
    with command.start(
        "runbench", "--server=waitress,cheroot", *GENTLY, "--warmup=1", "--duration=18"
    ) as bench:
        with console(command, kind, port) as process:
            url = address(bench)
            opened(page, f"{base}?token=x3Yq")
            page.goto(url)
            at_least(page, SEEN)
            page.locator(".live-charts path").first.wait_for()
            assert page.locator(".live-charts svg").count() == 4
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            process.send_signal(signal.SIGKILL)
            page.locator("[data-lost]").wait_for()
        many = len(seconds(page))
        with console(command, kind, port):
            page.locator("[data-lost]").wait_for(state="hidden")
            there = at_least(page, many + 2)
            assert there == list(range(len(there))), "none was lost, and none came twice"
            page.reload()
            there = at_least(page, len(there))
            assert there == list(range(len(there)))
            assert bool(sockets) == (kind == "daphne")
            page.locator(".live tbody a").first.wait_for()  # the first run has ended
            page.locator("section.live").wait_for(state="detached", timeout=60_000)
            assert page.url == url
            assert page.locator("main").inner_text().count("waitress")
        assert command.wait(bench).status == 0


def test_the_page_of_a_killed_command_says_so(command, page):
    port = free_port()
    base = f"http://127.0.0.1:{port}/results/"
    command.env["BENCHSUITE_CONSOLE_URL"] = base
    with (
        console(command, "daphne", port),
        command.start(
            "runbench", "--server=waitress", *GENTLY, "--warmup=0", "--duration=60"
        ) as bench,
    ):
        url = address(bench)
        opened(page, f"{base}?token=x3Yq")
        page.goto(url)
        at_least(page, 2)
        bench.kill()
        page.locator(".card", has_text="ended unexpectedly").wait_for()
        assert page.locator("section.live").count() == 0
