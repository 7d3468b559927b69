"""What became of a form, by the structure of the page that came, whatever it says."""

from benchsuite.robot.completion import Arrival, outcome
from benchsuite.robot.forms import main_form
from benchsuite.robot.parsing import read
from tests.golden import Golden
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


def test_a_form_is_judged_by_what_comes_back(golden: Golden) -> None:
    def fate(after: str, status: int, came: str) -> str:
        page = read(FORM.format("").encode())
        sent = main_form(page)
        assert sent is not None
        path = "/g" if came == "elsewhere" else "/f"
        arrival = Arrival(path, read(after.encode()), status, bool(came))
        return outcome(sent, page, {"town": ("Rome",)}, arrival, at="/f?a").fate

    golden.cases(fate)


def test_a_form_that_stood_there_before_is_not_the_next_one() -> None:
    page = read((LETTER + FORM.format("")).encode())
    arrival = Arrival("/g", read(LETTER.encode()), redirected=True)
    found = outcome(page.forms[1], page, {}, arrival, at="/f")
    assert found.fate == "ended"
