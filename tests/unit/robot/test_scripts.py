"""JavaScript that is needed is named as the reason, by what was seen."""

from tests.foreign.site import Answer
from tests.needs import needs

pytestmark = needs("selectolax", "faker")

SCRIPT = "<script>send()</script>"


class Still:
    """A site that answers everything with one page."""

    def __init__(self, page):
        self.page = page
        self.sent = 0

    def get(self, path, **more):
        self.sent += "?" in path
        return Answer(200, self.page.encode(), {"Content-Type": "text/html"})

    def post(self, path, data, content_type, **more):
        self.sent += 1
        return self.get(path)


def test_values(golden):
    golden.values()
