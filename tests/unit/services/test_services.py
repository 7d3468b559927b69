"""Services of a run's own: what they are told."""

from pathlib import Path

from benchsuite.services.redis import CONFIGURATION, Redis


def configured(port, by):
    service = Redis(folder=Path("here"), marker="m", env={}, by=by)
    service.port = port
    return service.config_files()[CONFIGURATION].splitlines()


def test_values(golden):
    golden.values()
