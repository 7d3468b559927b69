"""The robot in a real browser: the same answers, typed and clicked in Chromium.

For functional checks and small loads: a browser costs a hundred times as much as the plain robot.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from benchsuite.core.exceptions import UnavailableError
from benchsuite.core.paths import path_of
from benchsuite.robot.completion import Completion, Sign
from benchsuite.robot.encoding import Upload, Value
from benchsuite.robot.forms import TYPED, Button, Control, Form, Page
from benchsuite.robot.parsing import read
from benchsuite.robot.progress import Arrival
from benchsuite.robot.walk import Bounds, Complete, OnVisit, Walk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = ("--disable-gpu", "--no-first-run", "--disable-background-networking")
BUTTONS = "button, input[type=submit], input[type=image]"

INVALID = """form => form.noValidate ? [] : [...form.elements]
    .filter(one => one.name && one.willValidate && !one.checkValidity())
    .map(one => [one.name, one.validationMessage])"""
"""Values that the browser itself refuses to send, with its messages."""


@contextmanager
def browser_robot(
    url: str, *, known: Mapping[str, str], bounds: Bounds, timeout_s: float, done: Sign
) -> Iterator[Complete]:
    """A function that completes the survey at a URL once with a seed, each time as a new visitor.

    Raises UnavailableError when Playwright or a Chromium is missing.
    """
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise UnavailableError(
            'The browser robot needs Playwright: pip install "django-benchsuite[browser]"'
        ) from error
    if program is None:
        raise UnavailableError("The browser robot needs Chromium: apt install chromium")
    arguments = [*ARGUMENTS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            yield Chromium(browser, url, known, bounds, timeout_s, done).completed
        finally:
            browser.close()


@dataclass(frozen=True, slots=True)
class Chromium:
    """An open browser, and what to complete in it."""

    browser: "Browser"
    url: str
    known: Mapping[str, str]
    bounds: Bounds
    timeout_s: float
    done: Sign

    def completed(self, seed: str, on_visit: OnVisit | None) -> Completion:
        """One completion, in a new window without cookies."""
        context = self.browser.new_context()
        context.set_default_timeout(self.timeout_s * 1000)
        context.route("**/*", lambda route: self._only_this_host(route))
        try:
            walk = BrowserWalk(
                context.new_page(),
                self.url,
                seed=seed,
                known=self.known,
                bounds=self.bounds,
                done=self.done,
            )
            return walk.to_the_end(on_visit)
        finally:
            context.close()

    def _only_this_host(self, route: Any) -> None:
        """Blocks requests to other hosts."""
        if urlsplit(route.request.url).netloc == urlsplit(self.url).netloc:
            route.continue_()
        else:
            route.abort()


class BrowserWalk(Walk):
    """Requests and sends pages as a person in front of a screen does."""

    runs_scripts = True

    def __init__(
        self,
        tab: Any,
        url: str,
        *,
        seed: object,
        known: Mapping[str, str],
        bounds: Bounds,
        done: Sign,
    ) -> None:
        super().__init__(tab, url, seed=seed, known=known, bounds=bounds, done=done)
        self._tab = tab
        self._url = url
        self._page = Page(title="")

    def ask(self, method: str, path: str, content: tuple[bytes, str] = (b"", "")) -> Arrival:
        return self._arrived(lambda: self._tab.goto(self._url))

    def send(
        self, form: Form, page: Page, button: Button | None, pairs: list[tuple[str, Value]]
    ) -> Arrival:
        place = next(
            at for at, one in enumerate(self._page.forms) if one.furniture == form.furniture
        )
        shown = self._tab.locator("form").nth(place)
        for control in form.fillable:
            if "readonly" not in control.limits:
                given = [value for name, value in pairs if name == control.name]
                self._enter(shown, control, given)
        refused = dict(shown.evaluate(INVALID))
        if refused and (button is None or "formnovalidate" not in button.limits):
            return Arrival(self.path, self._with_errors(form, refused))
        return self._arrived(lambda: self._pressed(shown, form, button))

    def _pressed(self, shown: "Locator", form: Form, button: Button | None) -> Any:
        with self._tab.expect_navigation() as navigation:
            own = shown.locator("[type=button]:visible")
            if button is None and own.count():  # a script sends it
                own.last.click()
            elif button is None:
                shown.evaluate("form => form.requestSubmit()")
            else:
                shown.locator(BUTTONS).and_(
                    shown.locator(":not([type=button]):not([type=reset]):enabled")
                ).nth(form.buttons.index(button)).click()
        return navigation.value

    def _arrived(self, go: Callable[[], Any]) -> Arrival:
        """The page to which it leads."""
        from playwright.sync_api import Error

        try:
            response = go()
            body = self._tab.content().encode()
        except Error as error:
            raise self.stuck(_first_line(error)) from error
        parts = urlsplit(self._tab.url)
        self._page = read(body, linked=lambda href: self._linked(href, path_of(parts)))
        self.check_status(response.status if response else 200, body, self._page)
        redirected = response is not None and response.request.redirected_from is not None
        return Arrival(path_of(parts), self._page, redirected=redirected)

    def get_style(self, path: str) -> str:
        from playwright.sync_api import Error

        try:
            answer = self._tab.request.get(urljoin(self._url, path))
        except Error as error:
            raise self.stuck(_first_line(error)) from error
        return str(answer.text()) if "css" in answer.headers.get("content-type", "") else ""

    def _enter(self, shown: "Locator", control: Control, given: list[Value]) -> None:
        from playwright.sync_api import Error

        try:
            _enter(shown, control, given)
        except Error as error:
            raise self.stuck(
                f"{control} can't be filled in the browser: {_first_line(error)}"
            ) from error

    def _with_errors(self, form: Form, refused: Mapping[str, str]) -> Page:
        """The page as it would come back, with the browser's own messages."""
        controls = tuple(
            replace(one, errors=(refused[one.name],)) if one.name in refused else one
            for one in form.controls
        )
        wrong = replace(form, controls=controls)
        forms = tuple(wrong if one.furniture == form.furniture else one for one in self._page.forms)
        return replace(self._page, forms=forms)


def _enter(shown: "Locator", control: Control, given: list[Value]) -> None:
    """Types or clicks the answer to one control."""
    fields = shown.locator(f"[name={json.dumps(control.name)}]")
    if control.kind in ("radio", "checkbox"):
        for choice in control.choices:
            one = fields.and_(shown.locator(f"[value={json.dumps(choice.value)}]"))
            if not one.count():  # a box without a value sends "on"
                one = fields
            wanted = choice.value in given
            if control.kind == "checkbox" or wanted:
                one.first.set_checked(wanted)
    elif control.kind == "select":
        fields.first.select_option([str(value) for value in given])
    elif control.kind == "file":
        files: list[Any] = [
            {"name": one.name, "mimeType": one.content_type, "buffer": one.content}
            for one in given
            if isinstance(one, Upload) and one.name
        ]
        fields.first.set_input_files(files)
    elif control.kind in TYPED and given:
        fields.first.fill(str(given[0]))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
