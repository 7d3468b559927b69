"""JavaScript that is needed is named as the reason, by what was seen."""

import pytest

from benchsuite.core.exceptions import RobotError
from benchsuite.robot.walk import complete
from tests.foreign.site import Answer
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SCRIPT = "<script>send()</script>"


class Still:
    """A site that answers everything with one page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.sent = 0

    def get(self, path: str, **more: object) -> Answer:
        self.sent += "?" in path
        return Answer(200, self.page.encode(), {"Content-Type": "text/html"})

    def post(self, path: str, data: bytes, content_type: str, **more: object) -> Answer:
        self.sent += 1
        return self.get(path)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (f'<div id="root"></div>{SCRIPT}', "needs JavaScript .*nothing else"),
        (f"<body><noscript>Włącz skrypty</noscript>{SCRIPT}", "needs JavaScript .*Włącz skrypty"),
        (f'<p><input name="a"><button>OK</button></p>{SCRIPT}', "needs JavaScript .*in no form"),
        (
            f'<form><input name="a"><input name="b"><button type=button>OK</button></form>{SCRIPT}',
            "needs JavaScript .*no button",
        ),
        (
            '<form><input name="a"><button type="button" onclick="send()">OK</button></form>',
            "needs JavaScript .*no button",
        ),
        (
            f'<form action="javascript:send()"><input name="a"><button>OK</button></form>{SCRIPT}',
            "needs JavaScript .*sent to a script",
        ),
        (f"<p>Nothing here</p>{SCRIPT}", "there is no form"),
        ("<noscript>Needs JavaScript</noscript><p>Hello</p>", "there is no form"),
    ],
)
def test_what_only_scripts_do_is_told_before_anything_is_sent(page: str, words: str) -> None:
    site = Still(page)
    with pytest.raises(RobotError, match=words):
        complete(site, "/")  # type: ignore[arg-type]
    assert not site.sent


def test_a_form_that_only_a_script_sends_is_told_by_what_came_of_it() -> None:
    site = Still(f'<form id="f"><input name="a"><button>OK</button></form>{SCRIPT}')
    with pytest.raises(RobotError, match=r"needs JavaScript .*changes nothing"):
        complete(site, "/")  # type: ignore[arg-type]
    assert site.sent == 1


@pytest.mark.parametrize(
    "fields",
    [
        '<input name="user"><input type="password" name="pw">',
        '<input type="email" name="e"><input type="password" name="pw">'
        '<input type="checkbox" name="r">',
        '<input type="password" name="pw" autocomplete="current-password">',
    ],
)
def test_a_log_in_is_not_tried_with_invented_passwords(fields: str) -> None:
    page = f'<h1>Zaloguj</h1><form method="post">{fields}<button>Dalej</button></form>'
    site = Still(page)
    with pytest.raises(RobotError, match=r"log-in.*--answer pw="):
        complete(site, "/")  # type: ignore[arg-type]
    assert not site.sent


@pytest.mark.parametrize(
    "fields",
    [
        '<input name="user"><input type="password" name="a" autocomplete="new-password">',
        '<input name="user"><input type="password" name="a" minlength="8">',
        '<input name="user"><input type="password" name="a"><input type="password" name="b">',
        '<input name="user"><input name="mail"><input type="password" name="a">',
    ],
)
def test_a_new_password_is_made_up(fields: str) -> None:
    page = f'<form method="post">{fields}<button>OK</button></form>'
    site = Still(page)
    complete(site, "/")  # type: ignore[arg-type]
    assert site.sent == 1
