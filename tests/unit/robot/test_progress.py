"""What became of a form, by the page that came: only what was taken is a completion."""

import pytest

from benchsuite.robot.choosing import main_form
from benchsuite.robot.parsing import read
from benchsuite.robot.progress import Fate, outcome
from tests.needs import needs

pytestmark = needs("selectolax")

FORM = (
    '<form method="post" action="/f"><label>Town <input name="town" value="{}"></label>'
    "<button>OK</button></form>"
)
LETTER = '<form method="post" action="/list"><input type="email" name="subscriber"></form>'
LOG_IN = (
    '<form method="post" action="/in"><input name="user"><input type="password" name="pass">'
    "<button>Log in</button></form>"
)


@pytest.mark.parametrize(
    ("after", "fate"),
    [
        ("<h1>Thank you</h1>", Fate.DONE),
        ("<h1>Bye</h1>", Fate.DONE),
        ("<h1>Merci</h1>" + LETTER, Fate.DONE),
        ("<h1>Your account was created</h1>" + LOG_IN, Fate.DONE),
        ("<p>Your entry was saved.</p>" + FORM.format(""), Fate.DONE),
        ("<p>Ihre Angaben wurden gespeichert.</p>" + FORM.format("Rome"), Fate.DONE),
        ("<h1>Step 2</h1>" + LETTER, Fate.NEXT),
        ("<h1>Log in</h1>" + LOG_IN, Fate.NEXT),
        (FORM.format("").replace("Town", "Country"), Fate.NEXT),
        (FORM.format("Rome"), Fate.BACK),
        (FORM.format(""), Fate.BACK),
        ("<p>Hm.</p>" + FORM.format(""), Fate.BACK),
        ("<p>Please correct what was not saved.</p>" + FORM.format("Rome"), Fate.BACK),
        ("<h1>Session expired</h1><p>Nothing was saved.</p>", Fate.LOST),
        ("<p>Sorry, your message could not be sent.</p>", Fate.LOST),
        ("<p>Une erreur est survenue, rien n'a pu être enregistré.</p>", Fate.LOST),
        ("<p>Leider konnten wir nichts speichern.</p>", Fate.LOST),
        ('{"success": false, "error": "Quota exceeded"}', Fate.LOST),
    ],
)
def test_only_what_was_taken_is_a_completion(after: str, fate: Fate) -> None:
    page = read(FORM.format("").encode())
    sent = main_form(page)
    assert sent is not None
    given = {"town": ("Rome",)}
    found = outcome(sent, page, given, read(after.encode()), status=200, elsewhere=False)
    assert found.fate is fate
    if fate is Fate.LOST:
        assert found.words


def test_a_form_that_stood_there_before_is_not_the_next_one() -> None:
    page = read((LETTER + FORM.format("")).encode())
    sent = page.forms[1]
    found = outcome(sent, page, {}, read(LETTER.encode()), status=200, elsewhere=True)
    assert found.fate is Fate.DONE
