"""A project with what slows it down, a diagnostic start, and a page in a cache: B501 to B503."""

from benchsuite.core.results import Level
from tests.sabotage.runs import findings, laboratory, only, told

QUERYCOUNT = """
from django.db import connection

class QueryCountMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        with connection.execute_wrapper(lambda execute, *rest: execute(*rest)):
            return self.get_response(request)
"""


def test_b501_a_tool_that_counts_queries_and_debug(tmp_path, monkeypatch):
    package = tmp_path / "querycount"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "middleware.py").write_text(QUERYCOUNT)
    monkeypatch.syspath_prepend(str(tmp_path))
    with laboratory("tests.sabotage.sick.careless") as lab:
        result = lab.run(duration_s=1.0)
    only(result, "B501", Level.WEAK, "django-querycount is installed")


def test_b501_debug_and_sql_logging_are_told(tmp_path, monkeypatch):
    """Runs switch both off, so they are no doubt about the figures."""
    (tmp_path / "left_on.py").write_text(
        "from tests.sabotage.sick.careless import *\nMIDDLEWARE = []\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with laboratory("left_on") as lab:
        result = lab.run(duration_s=1.0)
    only(result, "B501", Level.INFO, "every SQL statement to the log")


def test_b502_a_diagnostic_start(lab):
    result = lab.run(path="/querying/", duration_s=1.0, diagnosed=True)
    only(result, "B502", Level.INVALID)
    (page,) = result.diagnosis["pages"]
    assert page["queries"] == 1, page


def test_b503_a_page_in_a_cache(lab):
    result = lab.run(path="/cached/", duration_s=1.0)
    only(result, "B503", Level.INFO)


def test_statements_that_are_not_kept(lab):
    result = lab.run(path="/querying/", duration_s=1.0)
    assert findings(result, "B501") == [], told(result)
    assert findings(result, "B502") == [], told(result)
    assert findings(result, "B503") == [], told(result)
