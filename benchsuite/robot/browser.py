"""The robot in a real browser: the same answers, typed and clicked in Chromium.

For functional checks and small loads: a browser costs a hundred times as much as the plain robot.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.wording import path_of
from benchsuite.robot.client import Pairs
from benchsuite.robot.completion import Arrival
from benchsuite.robot.forms import TYPED, Button, Control, Form, Page, Upload, Value
from benchsuite.robot.parsing import read
from benchsuite.robot.walk import Walk

if TYPE_CHECKING:
    from playwright.sync_api import Locator

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = ("--disable-gpu", "--no-first-run", "--disable-background-networking")
BUTTONS = "button, input[type=submit], input[type=image]"
SENDING = ":not([type=button]):not([type=reset]):enabled"
INVALID = """form => form.noValidate ? [] : [...form.elements]
    .filter(one => one.name && one.willValidate && !one.checkValidity())
    .map(one => [one.name, one.validationMessage])"""
"""Values that the browser itself refuses to send, with its messages."""


@contextmanager
def tabs(url: str, timeout_s: float) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """A function that opens a tab for a new visitor, without cookies, to this host alone.

    Raises UnavailableError when Playwright or a Chromium is missing.
    """
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise UnavailableError(
            'The browser robot needs Playwright: pip install "django-benchsuite[browser]"'
        ) from error
    if program is None:
        raise UnavailableError("The browser robot needs Chromium: apt install chromium")
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]

    def only_this_host(route: Any) -> None:
        own = urlsplit(route.request.url).netloc == urlsplit(url).netloc
        route.continue_() if own else route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)

        @contextmanager
        def tab() -> Iterator[Any]:
            context = browser.new_context()
            context.set_default_timeout(timeout_s * 1000)
            context.route("**/*", only_this_host)
            try:
                yield context.new_page()
            finally:
                context.close()

        try:
            yield tab
        finally:
            browser.close()


class BrowserWalk(Walk):
    """Requests and sends pages as a person in front of a screen does; its client is a tab."""

    runs_scripts = True

    def ask(self, method: str, path: str, content: tuple[bytes, str] = (b"", "")) -> Arrival:
        return self._arrived(lambda: self.client.goto(self.url))

    def send(self, form: Form, page: Page, button: Button | None, pairs: Pairs) -> Arrival:
        alike = [one.furniture == form.furniture for one in self._page.forms]
        shown = self.client.locator("form").nth(alike.index(True))
        for control in form.fillable:
            if "readonly" not in control.limits:
                given = [value for name, value in pairs if name == control.name]
                enter = partial(_enter, shown, control, given)
                self._tried(enter, f"{control} can't be filled in the browser: ")
        refused = dict(shown.evaluate(INVALID))
        if refused and (button is None or "formnovalidate" not in button.limits):
            return Arrival(self.path, self._with_errors(form, refused))
        return self._arrived(lambda: self._pressed(shown, form, button))

    def _pressed(self, shown: "Locator", form: Form, button: Button | None) -> Any:
        with self.client.expect_navigation() as navigation:
            own = shown.locator("[type=button]:visible")
            if button is not None:
                buttons = shown.locator(BUTTONS).and_(shown.locator(SENDING))
                buttons.nth(form.buttons.index(button)).click()
            elif own.count():  # a script sends it
                own.last.click()
            else:
                shown.evaluate("form => form.requestSubmit()")
        return navigation.value

    def _arrived(self, go: Callable[[], Any]) -> Arrival:
        response, content = self._tried(lambda: (go(), self.client.content()))
        parts = urlsplit(self.client.url)
        path = path_of(parts)
        self._page = read(content.encode(), linked=lambda href: self._linked(href, path))
        self.check_status(response.status if response else 200, content.encode(), self._page)
        redirected = response is not None and response.request.redirected_from is not None
        return Arrival(path, self._page, redirected=redirected)

    def get_style(self, path: str) -> str:
        answer = self._tried(lambda: self.client.request.get(urljoin(self.url, path)))
        return str(answer.text()) if "css" in answer.headers.get("content-type", "") else ""

    def _tried(self, act: Callable[[], Any], beginning: str = "") -> Any:
        """What it returns; raises RobotError with the first line of the browser's error."""
        from playwright.sync_api import Error

        try:
            return act()
        except Error as error:
            words = str(error).splitlines() or [type(error).__name__]
            raise self.stuck(f"{beginning}{words[0]}") from error

    def _with_errors(self, form: Form, refused: Mapping[str, str]) -> Page:
        controls = tuple(
            replace(one, errors=(refused[one.name],)) if one.name in refused else one
            for one in form.controls
        )
        wrong = replace(form, controls=controls)
        forms = tuple(wrong if one.furniture == form.furniture else one for one in self._page.forms)
        return replace(self._page, forms=forms)


def _enter(shown: "Locator", control: Control, given: list[Value]) -> None:
    fields = shown.locator(f"[name={json.dumps(control.name)}]")
    if control.kind in ("radio", "checkbox"):
        for choice in control.choices:
            box = fields.and_(shown.locator(f"[value={json.dumps(choice.value)}]"))
            box = box if box.count() else fields  # a box without a value sends "on"
            wanted = choice.value in given
            if control.kind == "checkbox" or wanted:
                box.first.set_checked(wanted)
    elif control.kind == "select":
        fields.first.select_option([str(value) for value in given])
    elif control.kind == "file":
        files: list[Any] = [
            {"name": file.name, "mimeType": file.content_type, "buffer": file.content}
            for file in given
            if isinstance(file, Upload) and file.name
        ]
        fields.first.set_input_files(files)
    elif control.kind in TYPED and given:
        fields.first.fill(str(given[0]))
