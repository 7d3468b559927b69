"""Commands, projects and the cache of environments that tests share."""

import os
import sqlite3
import tempfile
from pathlib import Path

import pytest

from tests.integration.command import Command
from tests.integration.left_behind import eventually, processes_with
from tests.integration.shop import Shop


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """A folder with an empty, migrated database of results."""
    folder = tmp_path_factory.mktemp("migrated")
    ended = Command(folder).run("migrate", "--verbosity=0")
    assert ended.status == 0, ended.err
    return folder / "results.sqlite3"


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """Where environments are kept: each is built once, whichever worker wants it first."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    (folder / "cache").mkdir(exist_ok=True)
    return folder / "cache"


@pytest.fixture
def command(tmp_path, migrated):
    """The repository's own project; leaves nothing in its temporary folder."""
    source = sqlite3.connect(migrated)
    target = sqlite3.connect(tmp_path / "results.sqlite3")
    source.backup(target)
    source.close()
    target.close()
    with tempfile.TemporaryDirectory(prefix="bst-") as temporary:
        # as /tmp is: programs that must not be root run as another user
        Path(temporary).chmod(0o1777)
        made = Command(tmp_path, temporary=Path(temporary))
        yield made
        assert made.left_in_temporary_folder() == []


@pytest.fixture
def shop():
    """A project laid out as the samples of deploy/ want it; none of its processes stays."""
    with tempfile.TemporaryDirectory(prefix="shop-") as folder:
        made = Shop(Path(folder))
        yield made
        assert eventually(lambda: not processes_with(made.token))
