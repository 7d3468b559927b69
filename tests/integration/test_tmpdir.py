"""TMPDIR by any name, and TMPDIR full: services, servers and fronts start, or a sentence says why.

A full one is a small tmpfs, which only the command's own namespace of mounts has.
"""

import os
import subprocess
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path

import pytest

from benchsuite.services.redis import Redis
from tests.integration.command import SHORT, measured, wait_for
from tests.integration.fronted import fronted
from tests.integration.serving import started
from tests.needs import needs

NAME = r"""it's ä "b" 100% $x ${HOME} \y [z]*"""
SERVERS = {
    "apache-event": ("apache", "mod_wsgi"),
    "apache-daemon": ("apache", "mod_wsgi"),
    "circus-gunicorn-sync": ("gunicorn",),
    "gunicorn-sync": ("gunicorn",),
    "uwsgi": ("pyuwsgi",),
}
MOUNTED = 'mount -t tmpfs -o "size=$1,mode=1777" none "$2" && shift 2 && exec "$@"'


@pytest.fixture
def place():
    """A folder of that name, open to the users that services run as."""
    with tempfile.TemporaryDirectory(prefix="bst-") as folder:
        Path(folder).chmod(0o755)
        place = Path(folder, NAME)
        place.mkdir()
        place.chmod(0o1777)
        yield place


@pytest.mark.parametrize("name", [pytest.param(one, marks=needs(*SERVERS[one])) for one in SERVERS])
def test_a_server_starts_in_any_folder(name, place):
    with started(name, place) as served:
        served.wait()


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=needs(one, "openssl")) for one in ("nginx", "haproxy")]
)
def test_a_front_starts_in_any_folder(name, place):
    with fronted(name, folder=place, options={"tls": True}) as front:
        front.process.end(15, 5.0)


@needs("redis", "redis-py")
def test_redis_starts_in_any_folder(place):
    """As do databases: tests/integration/test_databases.py."""
    import redis as client

    with (
        Redis(folder=place, marker=uuid.uuid4().hex, by="unix", env=dict(os.environ)) as service,
        client.Redis.from_url(service.url) as connection,
    ):
        assert connection.config_get("dir") == {"dir": str(place)}


@pytest.mark.audit
@needs("haproxy", "gunicorn")
def test_a_run_is_made_in_any_folder(command, place):
    command.env["TMPDIR"] = str(place)
    one = measured(command, "--server=gunicorn-sync --front=haproxy")
    assert one["status"] == "finished"
    assert list(place.iterdir()) == []


def with_tmpdir_of(command, size, *words):
    mounting = ["unshare", "--mount", "sh", "-c", MOUNTED, "sh", size, str(command.temporary)]
    return subprocess.Popen(
        [*mounting, *command.program, "runbench", *words],
        cwd=command.directory,
        env=command.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs("own-mounts")
@pytest.mark.parametrize(
    ("size", "words"),
    [
        pytest.param("16k", ["--workload=plain"], id="databases"),
        pytest.param(
            "20m", ["--database=postgresql"], marks=needs("postgresql", "psycopg"), id="initdb"
        ),
    ],
)
def test_a_full_disk_is_what_is_told(command, size, words):
    with with_tmpdir_of(command, size, "--server=waitress", *SHORT, *words) as process:
        ended = command.wait(process)
    assert ended.status == 1
    last = ended.err[ended.err.index("CommandError: ") :]
    assert last.startswith("CommandError: waitress: There is no space left")
    assert "set TMPDIR to" in last
    assert "max-connections" not in last
    assert "Traceback" not in ended.err


@needs("own-mounts")
def test_what_was_measured_until_the_disk_was_full_is_kept(command):
    words = ["--server=waitress", "--users=2", "--warmup=0", "--duration=30"]
    with with_tmpdir_of(command, "8m", *words) as process:
        inside = Path(f"/proc/{process.pid}/root{command.temporary}")
        spool = "benchsuite-*/*/load-0/samples.bin"
        wait_for(
            "samples", lambda: [one for one in inside.glob(spool) if one.stat().st_size > 4096]
        )
        with suppress(OSError), Path(inside, "filling").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        ended = command.wait(process)
    assert ended.status == 1
    assert "CommandError: waitress: There is no space left in " in ended.err
    assert "Traceback" not in ended.err
    assert "B107 not-measured" in ended.out, "the table, and that the server is not to blame"
