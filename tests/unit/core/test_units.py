"""Numbers, times, paths and names, as people read and write them."""

from benchsuite.core import units

SERVERS = ("daphne", "gunicorn-gthread", "gunicorn-sync", "uvicorn", "uwsgi")


def plain(text):
    """With thin spaces as underscores, so that a failing test can be read."""
    return text.replace(units.THIN_SPACE, "_")


def test_values(golden):
    golden.values()


def test_paths(golden):
    golden.values()


def test_suggestions(golden):
    golden.values(replace={r"lists all \d+": "lists all <n>"})
