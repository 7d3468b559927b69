"""The samples of deploy/, really started where they can be, else looked through by a program.

Those for fronts are in test_deploy_fronts.py.
"""

import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchsuite.system.network import free_port
from tests.integration.left_behind import eventually
from tests.integration.shop import HOST, READY_S, Shop, echoes, get, looked_through
from tests.needs import needs
from tests.samples import DEPLOY, SOCKETS, UNITS, exec_start, sections

ACTIVATED = [path for path in UNITS if "Requires" in sections(path)["Unit"]]


@pytest.mark.parametrize("path", ACTIVATED, ids=lambda path: path.name)
@needs("gunicorn", "uvicorn", "daphne")
def test_a_service_serves_on_the_socket_that_is_opened_for_it(path: Path, shop: Shop) -> None:
    with shop.activated(shop.words(exec_start(path))) as port:
        assert eventually(lambda: shop.answers(port), within_s=READY_S)
        assert get(port)[0] == 200


@needs("pyuwsgi")
def test_the_service_of_uwsgi_serves(shop: Shop) -> None:
    port = free_port()
    words = shop.words(exec_start(DEPLOY / "systemd" / "shop-uwsgi.service"))
    words[words.index("127.0.0.1:8000")] = f"{HOST}:{port}"
    with shop.started(words, port):
        assert get(port)[0] == 200


NOTIFYING = [path for path in UNITS if sections(path)["Service"]["Type"] == "notify"]


@pytest.mark.parametrize("path", NOTIFYING, ids=lambda path: path.name)
@needs("gunicorn", "pyuwsgi")
def test_a_service_says_when_it_is_ready(path: Path, shop: Shop) -> None:
    """Else systemd would wait for it until the start is given up."""
    words = shop.words(exec_start(path))
    port = free_port()
    if "127.0.0.1:8000" in words:
        words[words.index("127.0.0.1:8000")] = f"{HOST}:{port}"
    else:
        words += ["--bind", f"{HOST}:{port}"]
    notified = shop.folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(notified))
        listener.settimeout(READY_S)
        with shop.started(words, port, env={"NOTIFY_SOCKET": str(notified)}):
            said = b""
            while b"READY=1" not in said:
                said = listener.recv(4096)


@needs("systemd")
@pytest.mark.parametrize("path", [*UNITS, *SOCKETS], ids=lambda path: path.name)
def test_systemd_takes_the_units(path: Path, shop: Shop) -> None:
    """All of them lie beside each other, as they would."""
    for one in [*UNITS, *SOCKETS]:
        (shop.folder / one.name).write_text(shop.moved(one.read_text()))
    name = path.name.replace("@", "@8001")
    said = looked_through(
        "systemd-analyze",
        "verify",
        str(shop.folder / name),
        env={"SYSTEMD_UNIT_PATH": f"{shop.folder}:"},
    )
    assert path.name not in said


@needs("supervisor", "gunicorn", "daphne")
def test_supervisord_starts_both_servers_and_ends_them(shop: Shop) -> None:
    ports = free_port(), free_port()
    text = shop.moved(
        (DEPLOY / "supervisor" / "supervisord.conf").read_text(),
        **{
            "/run/shop": str(shop.folder),
            "127.0.0.1:8000": f"{HOST}:{ports[0]}",
            "127.0.0.1:8001": f"{HOST}:{ports[1]}",
        },
    )
    conf = shop.folder / "supervisord.conf"
    conf.write_text(text)
    words = [sys.executable, "-m", "supervisor.supervisord", "-c", str(conf)]
    with shop.started(words, ports[0]) as process:
        assert eventually(lambda: shop.answers(ports[1]))
        command = [sys.executable, "-m", "supervisor.supervisorctl", "-c", str(conf), "status"]
        states: list[str] = []

        def running() -> bool:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            states[:] = [line.split()[1] for line in done.stdout.splitlines()]
            return states == ["RUNNING"] * 5

        assert eventually(running), states
        assert len(process.living()) == 1 + 3 + 4
        assert echoes(ports[1])


SECRETS = {
    "POSTGRES_PASSWORD": "x",
    "SECRET_KEY": "x",
    "DATABASE_URL": "postgres://database/shop",
}


@needs("docker-compose")
def test_docker_compose_takes_the_file() -> None:
    found = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
    said = looked_through(*found, "-f", str(DEPLOY / "compose.yaml"), "config", env=SECRETS)
    assert re.search(r"published: '?\"?8080", said)


@pytest.mark.parametrize("name", ["Dockerfile", "swarm/Dockerfile"])
def test_the_images_are_made_of_known_steps(name: str) -> None:
    """Nothing builds them where there is no Docker; a slip in a word is seen all the same."""
    text = (DEPLOY / name).read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    known = {"ARG", "CMD", "COPY", "ENV", "EXPOSE", "FROM", "RUN", "STOPSIGNAL", "USER", "WORKDIR"}
    assert {line.split()[0] for line in lines} <= known
    assert lines[0].startswith("ARG BASE_IMAGE=")
    assert all(shlex.split(line) for line in lines)
