"""Names that were nearly right."""

import pytest

from benchsuite import conf
from benchsuite.core.exceptions import UsageError, choices, meant

SERVERS = ("daphne", "gunicorn-gthread", "gunicorn-sync", "uvicorn", "uwsgi")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uwsgo", "uwsgi"),
        ("UWSGI", "uwsgi"),
        ("gunicron", "gunicorn-gthread or gunicorn-sync"),
        ("unicorn", "gunicorn-gthread, gunicorn-sync or uvicorn"),
        ("gthraed", "gunicorn-gthread"),
        ("uvicron", "uvicorn"),
        ("nonsense", ""),
        ("", ""),
    ],
)
def test_what_was_meant(name: str, expected: str) -> None:
    assert meant(name, SERVERS) == expected


def test_a_refusal_names_what_there_is_with_and_without_a_guess() -> None:
    assert choices("redi", ("redis", "memory")) == "did you mean redis? There are: redis, memory."
    assert choices("x", ("redis", "memory")) == "there are: redis, memory."


def test_of_many_names_only_those_are_told_that_may_be_meant() -> None:
    many = [*SERVERS, *(f"heritage-{year}" for year in range(2005, 2020))]
    told = choices("gunicron", many, seen_by="listbench")
    assert told == "did you mean gunicorn-gthread or gunicorn-sync? listbench lists all 20."
    told = choices("xyz", many, seen_by="listbench")
    assert told.startswith("there are 20, such as daphne, gunicorn-gthread, gunicorn-sync. listb")
    assert "heritage-2019" in choices("xyz", many), "nothing else tells them"


def test_every_name_that_is_wrong_gets_what_may_be_meant() -> None:
    """Whatever option takes it."""
    for wrong, right, of in (
        ("gunicron", "gunicorn-sync", conf.server_class),
        ("io_raed", "io_read", conf.workload_class),
        ("ngnix", "nginx", conf.front_class),
        ("reddis", "redis", conf.service_class),
        ("postgre", "postgresql", conf.database_class),
    ):
        with pytest.raises(UsageError, match=f"did you mean {right}"):
            of(wrong)
