"""Names that were nearly right."""

from tests.golden import Golden

SERVERS = ("daphne", "gunicorn-gthread", "gunicorn-sync", "uvicorn", "uwsgi")


def test_values(golden: Golden) -> None:
    golden.values(replace={r"lists all \d+": "lists all <n>"})
