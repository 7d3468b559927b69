"""What became of a form, by the structure of the page that came, whatever it says."""

import pytest

from benchsuite.robot.completion import Arrival, outcome
from benchsuite.robot.forms import main_form
from benchsuite.robot.parsing import read
from tests.needs import needs

pytestmark = needs("selectolax")

FORM = (
    '<form method="post" action="/f"><label>Town <input name="town" value="{}"></label>'
    '<label>Land <input name="land"></label>'
    "<button>OK</button></form>"
)
LETTER = '<form method="post" action="/list"><input type="email" name="subscriber">{}</form>'
LOG_IN = (
    '<form method="post" action="/in"><input name="user"><input type="password" name="pass">'
    "<button>Log in</button></form>"
)
THANKS = "<p>Thank you, your entry was saved.</p>"
MARKED = FORM.format("").replace("<input", "<input aria-invalid=true", 1)


@pytest.mark.parametrize(
    ("after", "status", "came", "fate"),
    [
        ("<h1>Thank you</h1>", 200, "", "ended"),
        ("<p>Sorry, your message could not be sent.</p>", 200, "", "ended"),
        ("<h1>Merci</h1>" + LETTER.format("<button>➔</button>"), 200, "", "ended"),
        (LETTER.format("<button>Continue</button>"), 200, "", "next"),
        ("<h1>Your account was created</h1>" + LOG_IN, 200, "", "ended"),
        (FORM.format("").replace("Town", "Age").replace("Land", "Size"), 200, "", "next"),
        (FORM.format(""), 200, "elsewhere", "next"),
        (FORM.format("Rome"), 200, "", "back"),
        (THANKS + FORM.format("Rome"), 200, "", "back"),
        ("<p>Town: saved.</p>" + FORM.format(""), 200, "", "back"),
        (THANKS + FORM.format("Rome"), 200, "redirected", "ended"),
        (THANKS + MARKED, 200, "redirected", "back"),
        (THANKS + MARKED, 200, "elsewhere", "back"),
        (THANKS + FORM.format(""), 422, "", "back"),
        (THANKS + FORM.format(""), 200, "", "ended"),
        (FORM.format(""), 200, "", "ended"),
        (THANKS, 422, "", "refused"),
        (THANKS + LOG_IN, 409, "", "refused"),
    ],
)
def test_a_form_is_judged_by_what_comes_back(after: str, status: int, came: str, fate: str) -> None:
    page = read(FORM.format("").encode())
    sent = main_form(page)
    assert sent is not None
    path = "/g" if came == "elsewhere" else "/f"
    arrival = Arrival(path, read(after.encode()), status, bool(came))
    found = outcome(sent, page, {"town": ("Rome",)}, arrival, at="/f?a")
    assert found.fate == fate


def test_a_form_that_stood_there_before_is_not_the_next_one() -> None:
    page = read((LETTER + FORM.format("")).encode())
    arrival = Arrival("/g", read(LETTER.encode()), redirected=True)
    found = outcome(page.forms[1], page, {}, arrival, at="/f")
    assert found.fate == "ended"
