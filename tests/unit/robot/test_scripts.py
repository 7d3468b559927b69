"""JavaScript that is needed is named as the reason, by what was seen."""

import pytest

from benchsuite.robot.walk import complete
from tests.foreign.site import Answer
from tests.golden import Golden
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


def test_values(golden: Golden) -> None:
    golden.values()
