"""What became of a form, by the structure of the page that came, whatever it says."""

from types import SimpleNamespace

import pytest

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.completion import Arrival, outcome
from benchsuite.robot.parsing import read
from benchsuite.robot.walk import complete
from benchsuite.robot.words import main_form
from tests.foreign.site import Answer
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

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


def test_a_form_is_judged_by_what_comes_back(golden):
    def fate(after, status, came):
        page = read(FORM.format("").encode())
        sent = main_form(page)
        path = "/g" if came == "elsewhere" else "/f"
        arrival = Arrival(path, read(after.encode()), status, bool(came))
        return outcome(sent, page, {"town": ("Rome",)}, arrival, at="/f?a").fate

    golden.cases(fate)


class Elsewhere:
    """Its form at / goes to /f, which shows it once more, with a complaint and without action."""

    def __init__(self, action="/f"):
        self.sent: list[str] = []
        self.form = FORM.format("").replace('"/f"', f'"{action}"')

    def get(self, path, **more):
        return Answer(200, self.form.encode(), {"Content-Type": "text/html"})

    def post(self, path, data, content_type, **more):
        self.sent.append(path)
        back = "<p>Town: not known.</p>" + FORM.format("").replace(' action="/f"', "")
        page = back if len(self.sent) == 1 else THANKS
        return Answer(200, page.encode(), {"Content-Type": "text/html"})


def test_a_form_that_came_back_is_sent_from_where_it_came_back():
    site = Elsewhere()
    done = complete(site, "/")  # type: ignore[arg-type]
    assert site.sent == ["/f", "/f"]
    assert [(visit.path, visit.tries) for visit in done.visits] == [("/", 2)]


@pytest.mark.parametrize("action", ["/f ", "http://testserver/f"])
def test_an_address_is_found_as_browsers_and_django_do(action):
    site = Elsewhere(action)
    complete(site, "/")  # type: ignore[arg-type]
    assert site.sent[0] == "/f"


@pytest.mark.parametrize(
    ("location", "words"),
    [  # one as by SECURE_SSL_REDIRECT, which is not walked in circles, and one that is no address
        ("https://shop.example/f/", r"leads to HTTPS; begin there: https://shop\.example/f/$"),
        ("http://[name]/", r"does not visit: http://\[name\]/$"),
    ],
)
def test_a_way_that_is_not_walked_is_named(location, words):
    leading = SimpleNamespace(get=lambda path, **more: Answer(301, b"", {"Location": location}))
    with pytest.raises(RobotError, match=words):
        complete(leading, "http://shop.example/f/")  # type: ignore[arg-type]


def test_a_host_is_the_same_in_other_letters_and_with_its_usual_port():
    for url in ("http://SHOP.example/", "http://shop.example:80/"):
        for action in ("http://Shop.example/f", "http://shop.example:80/f"):
            site = Elsewhere(action)
            complete(site, url)  # type: ignore[arg-type]
            assert site.sent[0] == "/f"


class Absolute(Elsewhere):
    """A load's client over HTTPS, to a site that names its host in all addresses."""

    base_url = "https://shop.example"

    def post(self, path, data, content_type, **more):
        assert more["headers"] == {"Referer": "https://shop.example/in/"}
        self.sent.append(path)
        return Answer(302, b"", {"Location": "https://shop.example/thanks/"})

    def get(self, path, **more):
        thanks = Answer(200, THANKS.encode(), {"Content-Type": "text/html"})
        return thanks if path == "/thanks/" else super().get(path)


def test_a_path_is_on_the_host_of_the_client():
    site = Absolute("https://shop.example/f")
    done = complete(site, "/in/")  # type: ignore[arg-type]
    assert (site.sent, done.path) == (["/f"], "/thanks/")


def test_values(golden):
    golden.values()
