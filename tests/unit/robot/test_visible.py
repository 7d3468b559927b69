"""What a page hides by style sheets is hidden, by the rule that is strongest."""

from dataclasses import replace
from unittest.mock import MagicMock

import pytest

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.completion import outcome
from benchsuite.robot.confirmation import BrowserWalk, _enter
from benchsuite.robot.parsing import read
from benchsuite.robot.walk import complete
from benchsuite.robot.words import next_button
from tests.foreign.site import Answer
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

TRAP = (
    '<body class="page"><form id="f" method="post"><div class="row"><input name="a"></div>'
    '<div class="row extra" data-x="trap 1"><p><input name="t" id="t" class="in" tabindex="0"></p>'
    "</div><button>OK</button></form>"
)


def form(style, page=TRAP):
    return read(f"<style>{style}</style>{page}".encode()).forms[0]


def hidden(style, page=TRAP):
    kinds = {control.name: control.kind for control in form(style, page).controls}
    assert kinds["a"] == "text"
    return kinds["t"] == "hidden"


class Linked:
    """A site with a linked style sheet, from the folder of the page or from `base`."""

    def __init__(self, base=""):
        self.asked: list[str] = []
        self.sent: list[bytes] = []
        self.base = base

    def get(self, path, **more):
        self.asked.append(path)
        if path.endswith("/linked.css"):
            return Answer(200, b".extra p{display:none}", {"Content-Type": "text/css"})
        sheets = '<link rel="stylesheet" href="linked.css"><link rel=stylesheet href=//x.org/>'
        page = f"{self.base}{sheets}{TRAP}"
        return Answer(200, page.encode(), {"Content-Type": "text/html"})

    def post(self, path, data, content_type, **more):
        self.sent.append(data)
        return Answer(200, b"<h1>OK</h1>", {"Content-Type": "text/html"})


def test_a_linked_style_sheet_is_fetched_once():
    site = Linked()
    for seed in range(2):
        complete(site, "/s/", seed=seed)  # type: ignore[arg-type]
    assert site.asked == ["/s/", "/s/linked.css", "/s/"]
    assert all(data.endswith(b"&t=") for data in site.sent)


def test_a_style_sheet_is_where_the_base_of_its_page_leads():
    site = Linked('<base href="/b/">')
    complete(site, "/u/")  # type: ignore[arg-type]
    assert site.asked == ["/u/", "/b/linked.css"]
    assert site.sent[0].endswith(b"&t=")


class Load(Linked):
    """A load's client, to a target without static files."""

    def look(self, path, **more):
        self.asked.append(f"look {path}")
        return Answer(404, b"<h1>Not found</h1>", {"Content-Type": "text/html"})


def test_a_style_sheet_is_only_looked_at():
    site = Load()
    complete(site, "/t/")  # type: ignore[arg-type]
    assert site.asked == ["/t/", "look /t/linked.css"]


def test_a_list_for_which_a_script_draws_another_is_chosen_from():
    """As Select2 and Tom Select leave it."""
    field = '<input name="t" id="t" class="in" tabindex="0">'
    drawn = '<select name="t" id="t" tabindex="-1" aria-hidden="true"><option>1</select>'
    page = TRAP.replace(field, drawn)
    assert not hidden("#t{clip:rect(0 0 0 0)!important;position:absolute}", page)
    assert hidden(".extra{left:-9999px;position:absolute}", page)


def test_a_browser_presses_the_same_button_beside_hidden_ones():
    """An off-screen one takes the key Enter; a disabled one is none of either."""
    inner = '<button name="enter">Go</button><button disabled>X</button><button name="ok">OK'
    page = read(f"<style>[name=enter]{{left:-999px}}</style><form>{inner}</form>".encode())
    button = next_button(page.forms[0])
    assert button.name == "ok"
    parts = MagicMock()
    BrowserWalk(MagicMock(), "http://shop.example/")._pressed(MagicMock(), parts, button)
    parts.and_.return_value.nth.assert_called_once_with(1)


@needs("playwright")
def test_a_browser_finds_what_refers_to_its_form():
    page, client = read(b'<form id="f"></form><input name="a" form="f">'), MagicMock()
    client.locator.return_value.nth.return_value.evaluate.return_value = [["a", "No."]]
    BrowserWalk(client, "http://shop.example/").send(page.forms[0], page, [("a", "x")])
    assert [call.args for call in client.locator.call_args_list] == [("form",), ('[form="f"]',)]


@needs("playwright")
def test_a_browser_has_decoded_its_page_and_knows_its_status():
    client = MagicMock(url="http://shop.example/")
    client.goto.return_value.status = 422
    client.content.return_value = '<meta charset="latin1"><form><input name="größe"></form>'
    arrival = BrowserWalk(client, "http://shop.example/").ask("GET", "/")
    assert (arrival.status, arrival.page.forms[0].keys) == (422, {"größe"})


def test_a_browser_looks_for_names_and_values_as_they_are() -> None:
    inner = '<form><input type="radio" name="größe" value="a&#10;&quot;"></form>'
    parts = MagicMock()
    _enter(parts, read(inner.encode()).forms[0].fillable[0], ["x"])
    selectors = [call.args[0] for call in parts.page.locator.call_args_list]
    assert selectors == ['[name="größe"]', r'[value="a\a \22 "]']


@needs("playwright")
def test_what_breaks_in_the_browser_is_told_by_page():
    from playwright.sync_api import Error

    page, client = read(TRAP.encode()), MagicMock()
    client.locator.return_value.nth.return_value.evaluate.side_effect = Error("It is gone.")
    walk = BrowserWalk(client, "http://shop.example/f/")
    with pytest.raises(RobotError, match=r"page 1 \(/f/\): It is gone"):
        walk.send(page.forms[0], page, [])


@needs("playwright")
def test_what_the_browser_refuses_is_a_complaint_about_its_control():
    page, client = read(TRAP.encode()), MagicMock()
    client.locator.return_value.nth.return_value.evaluate.return_value = [["t", "Too short."]]
    walk = BrowserWalk(client, "http://shop.example/f/")
    (sent,) = page.forms
    again = replace(sent, controls=tuple(replace(one, errors=("Old.",)) for one in sent.controls))
    arrival = walk.send(again, page, [("a", "x"), ("t", "y")])
    result = outcome(sent, page, {"a": ("x",), "t": ("y",)}, arrival, at="/f/")
    found = {control.name: control.errors for control in result.form.controls}
    assert (result.fate, found) == ("back", {"a": (), "t": ("Too short.",)})


def test_values(golden):
    golden.values()
