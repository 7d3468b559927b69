"""Names that were nearly right."""

SERVERS = ("daphne", "gunicorn-gthread", "gunicorn-sync", "uvicorn", "uwsgi")


def test_values(golden):
    golden.values(replace={r"lists all \d+": "lists all <n>"})
