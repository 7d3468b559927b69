"""Services of a run's own: what they are told."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

from benchsuite.core.exceptions import StartError
from benchsuite.services import base
from benchsuite.services.api import Api
from benchsuite.services.redis import CONFIGURATION, Redis


def configured(port, by):
    service = Redis(folder=Path("here"), marker="m", env={}, by=by)
    service.port = port
    return service.config_files()[CONFIGURATION].splitlines()


def test_values(golden):
    golden.values()


def test_another_port_is_tried_where_asyncio_finds_one_taken(monkeypatch, tmp_path):
    said = ["OSError: [Errno 98] error while attempting to bind …: address already in use", ""]
    process = SimpleNamespace(log_tail=lambda: said.pop(0))

    def ready(process, answers, *, timeout_s):
        if len(said) == 2:
            raise StartError("ended")

    monkeypatch.setattr(base, "running", lambda *_, **__: nullcontext(process))
    monkeypatch.setattr(base, "wait_until_ready", ready)
    with Api(folder=tmp_path, marker="m", env={}) as api:
        assert api.process is process
