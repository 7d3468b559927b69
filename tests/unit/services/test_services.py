"""Services of a run's own: what they are told, and what to do when they do not start."""

from pathlib import Path

from benchsuite.core.exceptions import StartError
from benchsuite.services.postgres import PostgreSQL
from benchsuite.services.redis import CONFIGURATION, Redis

INITDB = "initdb: creating directory pg ... ok\n"
CHOOSING = "selecting dynamic shared memory implementation ... posix\n"


def test_the_cause_is_told_from_what_is_only_named(golden):
    def case(log):
        service = PostgreSQL(folder=Path("pg"), marker="m", env={})
        return service.advised(StartError("initdb failed", INITDB + log)).what

    golden.cases(case)


def configured(port, by):
    service = Redis(folder=Path("here"), marker="m", env={}, port=port, by=by)
    return service.config_files()[CONFIGURATION].splitlines()


def test_values(golden):
    golden.values()
