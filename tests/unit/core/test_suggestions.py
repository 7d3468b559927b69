"""Names that were nearly right."""

import pytest

from benchsuite.core.exceptions import choices, meant

SERVERS = ("daphne", "gunicorn-gthread", "gunicorn-sync", "uvicorn", "uwsgi")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uwsgo", "uwsgi"),
        ("UWSGI", "uwsgi"),
        ("gunicorn", "gunicorn-gthread or gunicorn-sync"),
        ("unicorn", "uvicorn"),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_what_was_meant(name: str, expected: str) -> None:
    assert meant(name, SERVERS) == expected


def test_a_refusal_names_what_there_is_with_and_without_a_guess() -> None:
    assert choices("redi", ("redis", "memory")) == "did you mean redis? There are: redis, memory."
    assert choices("x", ("redis", "memory")) == "there are: redis, memory."
