"""What a page hides by style sheets is hidden, by the rule that is strongest."""

import pytest

from benchsuite.robot.forms import Form
from benchsuite.robot.parsing import read
from benchsuite.robot.walk import complete
from tests.foreign.site import Answer
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

TRAP = (
    '<body class="page"><form id="f" method="post"><div class="row"><input name="a"></div>'
    '<div class="row extra" data-x="trap 1"><p><input name="t" id="t" class="in" tabindex="0"></p>'
    "</div><button>OK</button></form>"
)


def form(style: str, page: str = TRAP) -> Form:
    return read(f"<style>{style}</style>{page}".encode()).forms[0]


def hidden(style: str, page: str = TRAP) -> bool:
    kinds = {control.name: control.kind for control in form(style, page).controls}
    assert kinds["a"] == "text"
    return kinds["t"] == "hidden"


@pytest.mark.parametrize(
    "style",
    [
        "form .extra input { display: none }",
        "#f > .row.extra { visibility: hidden }",
        ".row + .row{display:none!important} .extra{display:block}",
        ".row ~ div > p{opacity:0}",
        "[data-x~=trap] { position: absolute; left: -9999px }",
        "[data-x^='trap' i] p{left:-100vw;position:absolute}",
        ".row:not(:first-child) {display:none}",
        "div:has(> p > #t) { clip: rect(0 0 0 0) }",
        ":is(.b, .extra) .in {height: 0; overflow:hidden}",
        "a, b > c::before, .extra /* no { */ { display:none }",
        "@media screen and (min-width: 600px) { .x{color:red} .extra{display:none} }",
        "@media not print{.extra{display:none}}",
        "@supports (display: grid) { @layer a { .extra { display : none } } }",
        ".extra{display:none} @media print{.extra{display:block}}",
        ".page #t{display:none} .in{display:inline}",
        ".in{display:block} .in{display:none}",
        ".extra:not(:focus-within){transform:scale(0)}",
        "form{clip-path:none} p{font-size:0}",
    ],
)
def test_what_style_sheets_hide_is_hidden(style: str) -> None:
    assert hidden(style)


@pytest.mark.parametrize(
    "style",
    [
        ".extra input:hover { display: none }",
        ".extra > input { display: none }",
        "@media print { .extra { display: none } }",
        "@media (max-width: 600px) {.extra{display:none}}",
        "@media (prefers-color-scheme: dark) {.extra{display:none}}",
        "@keyframes a { from { opacity: 0 } .extra{display:none} }",
        ".extra{display:none} .row.extra{display:flex}",
        ".extra{display:none} .extra{display:block}",
        ".in{display:none} #t{display:inline}",
        ".extra::before{display:none}",
        ".extra{opacity:0.5; left:-9px; width:100%}",
        ".other .in, .none{display:none}",
        "}{ .extra{display:none",
    ],
)
def test_what_they_show_or_never_reach_is_seen(style: str) -> None:
    assert not hidden(style)


def test_an_own_style_outdoes_a_sheet() -> None:
    assert not hidden("#t{display:none}", TRAP.replace('id="t"', 'id="t" style="display:block"'))


@pytest.mark.parametrize(
    "around", ["<div hidden>{}</div>", "<div inert>{}</div>", "<dialog>{}</dialog>"]
)
def test_a_form_in_what_is_hidden_has_nothing_to_fill(around: str) -> None:
    found = form("", around.format(TRAP))
    assert (found.fillable, found.buttons) == ((), ())


def test_a_hidden_button_is_not_pressed() -> None:
    buttons = '<button name="trap" class="no">Send</button><button name="real">OK</button>'
    page = TRAP.replace("<button>OK</button>", buttons)
    assert [button.name for button in form(".page .no{display:none}", page).buttons] == ["real"]


class Linked:
    """A site with a linked style sheet."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.sent: list[bytes] = []

    def get(self, path: str, **more: object) -> Answer:
        self.asked.append(path)
        if path == "/s/linked.css":
            return Answer(200, b".extra p{display:none}", {"Content-Type": "text/css"})
        page = f'<link rel="stylesheet" href="linked.css"><link rel=stylesheet href=//x.org/>{TRAP}'
        return Answer(200, page.encode(), {"Content-Type": "text/html"})

    def post(self, path: str, data: bytes, content_type: str, **more: object) -> Answer:
        self.sent.append(data)
        return Answer(200, b"<h1>OK</h1>", {"Content-Type": "text/html"})


def test_a_linked_style_sheet_is_fetched_once() -> None:
    site = Linked()
    for seed in range(2):
        complete(site, "/s/", seed=seed)  # type: ignore[arg-type]
    assert site.asked == ["/s/", "/s/linked.css", "/s/"]
    assert all(data.endswith(b"&t=") for data in site.sent)
