"""The samples of deploy/, really started where they can be, else looked through by a program."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchsuite.system import programs
from benchsuite.system.network import free_port
from tests.integration.left_behind import eventually
from tests.integration.shop import HOST, READY_S, echoes, get, looked_through
from tests.needs import needs
from tests.samples import DEPLOY, SOCKETS, UNITS, exec_start, sections

ACTIVATED = [path for path in UNITS if "Requires" in sections(path)["Unit"]]


@pytest.mark.parametrize("path", ACTIVATED, ids=lambda path: path.name)
@needs("gunicorn", "uvicorn", "daphne")
def test_a_service_serves_on_the_socket_that_is_opened_for_it(path, shop):
    with shop.activated(shop.words(exec_start(path))) as port:
        assert eventually(lambda: shop.answers(port), within_s=READY_S)
        assert get(port)[0] == 200


@needs("pyuwsgi")
def test_the_service_of_uwsgi_serves(shop):
    port = free_port()
    words = shop.words(exec_start(DEPLOY / "systemd" / "shop-uwsgi.service"))
    words[words.index("127.0.0.1:8000")] = f"{HOST}:{port}"
    with shop.started(words, port):
        assert get(port)[0] == 200


NOTIFYING = [path for path in UNITS if sections(path)["Service"]["Type"] == "notify"]


@pytest.mark.parametrize("path", NOTIFYING, ids=lambda path: path.name)
@needs("gunicorn", "pyuwsgi")
def test_a_service_says_when_it_is_ready(path, shop):
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
def test_systemd_takes_the_units(path, shop):
    """All of them lie beside each other, as they would."""
    for one in [*UNITS, *SOCKETS]:
        (shop.folder / one.name).write_text(shop.moved(one.read_text()))
    name = path.name.replace("@", "@8001")
    env = {"SYSTEMD_UNIT_PATH": f"{shop.folder}:"}
    said = looked_through("systemd-analyze", "verify", str(shop.folder / name), env=env)
    assert path.name not in said


@needs("supervisor", "gunicorn", "daphne")
def test_supervisord_starts_both_servers_and_ends_them(shop):
    ports, conf = (free_port(), free_port()), shop.folder / "supervisord.conf"
    swaps = {f"127.0.0.1:{8000 + at}": f"{HOST}:{port}" for at, port in enumerate(ports)}
    sample = (DEPLOY / "supervisor" / "supervisord.conf").read_text()
    conf.write_text(shop.moved(sample, **{"/run/shop": str(shop.folder), **swaps}))
    words = [sys.executable, "-m", "supervisor.supervisord", "-c", str(conf)]
    with shop.started(words, ports[0]) as process:
        assert eventually(lambda: shop.answers(ports[1]))
        command = [sys.executable, "-m", "supervisor.supervisorctl", "-c", str(conf), "status"]
        states: list[str] = []

        def running():
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            states[:] = [line.split()[1] for line in done.stdout.splitlines()]
            return states == ["RUNNING"] * 5

        assert eventually(running), states
        assert len(process.living()) == 1 + 3 + 4
        assert echoes(ports[1])


@needs("docker-compose")
def test_docker_compose_takes_the_file():
    secrets = dict.fromkeys(("POSTGRES_PASSWORD", "SECRET_KEY"), "x")
    secrets["DATABASE_URL"] = "postgres://database/shop"
    found = ["docker-compose"] if shutil.which("docker-compose") else ["docker", "compose"]
    said = looked_through(*found, "-f", str(DEPLOY / "compose.yaml"), "config", env=secrets)
    assert re.search(r"published: '?\"?8080", said)


@needs("nginx", "uvicorn")
@pytest.mark.parametrize(("sample", "count"), [("shop.conf", 4), ("compose.conf", 1)])
def test_nginx_shares_among_instances_and_serves_files(shop, sample, count):
    shop.folder.chmod(0o755)
    port = free_port()
    with shop.served(count) as instances, shop.started(_nginx(shop, port, instances, sample), port):
        assert len({get(port)[1] for _ in range(8)}) == count
        if sample == "shop.conf":
            assert get(port, "/static/shop.css") == (200, b"body {}")
        assert echoes(port)


def _nginx(shop, port, instances, name):
    """The command line of an nginx with the sample in a folder of its own."""
    folder = shop.folder / "nginx"
    (folder / "conf.d").mkdir(parents=True)
    site = (DEPLOY / "nginx" / name).read_text()
    backends = [f"127.0.0.1:{at}" for at in range(8001, 8005)]
    if name == "compose.conf":
        backends = ["web:8000"]
    swaps = {old: f"{HOST}:{new}" for old, new in zip(backends, instances, strict=True)}
    swaps["listen 80;"] = f"listen {HOST}:{port};"
    if name == "shop.conf":
        swaps["/var/log/nginx/shop.access.log"] = str(folder / "access.log")
    (folder / "conf.d" / "shop.conf").write_text(shop.moved(site, **swaps))
    swaps = {
        "user www-data;": "user root;" if os.geteuid() == 0 else "",
        "/run/nginx.pid": str(folder / "nginx.pid"),
        "/var/log/nginx/error.log": "stderr",
        "/etc/nginx/conf.d": str(folder / "conf.d"),
    }
    main = shop.moved((DEPLOY / "nginx" / "nginx.conf").read_text(), **swaps)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    main = main.replace("http {\n", "http {\naccess_log off;\n" + temporary)
    (folder / "nginx.conf").write_text(f"daemon off;\n{main}")
    words = [programs.find_program("nginx") or "", "-p", f"{folder}/"]
    words += ["-c", str(folder / "nginx.conf"), "-e", "stderr"]
    looked_through(*words, "-t", "-q")
    return words


@needs("haproxy", "uvicorn")
def test_haproxy_shares_among_four_instances(shop):
    port = free_port()
    with shop.served(4) as instances:
        swaps = {f"127.0.0.1:{8000 + at}": f"{HOST}:{one}" for at, one in enumerate(instances, 1)}
        for who in ("user", "group"):
            swaps[f"{who} haproxy"] = f"{who} root" if os.geteuid() == 0 else ""
        swaps["/run/haproxy/admin.sock"] = str(shop.folder / "admin.sock")
        swaps["bind :80"] = f"bind {HOST}:{port}"
        conf = shop.folder / "haproxy.cfg"
        conf.write_text(shop.moved((DEPLOY / "haproxy" / "haproxy.cfg").read_text(), **swaps))
        haproxy = programs.find_program("haproxy") or ""
        looked_through(haproxy, "-c", "-f", str(conf))
        with shop.started([haproxy, "-db", "-f", str(conf)], port):
            assert len({get(port)[1] for _ in range(8)}) == 4
            assert echoes(port)


MODULES = Path("/usr/lib/apache2/modules")


@needs("apache", "uvicorn")
def test_apache_before_a_server_of_its_own(shop):
    port = free_port()
    with shop.served() as (instance,):
        modules = ["proxy", "proxy_http", "proxy_wstunnel", "headers", "rewrite"]
        swaps = {"127.0.0.1:8000": f"{HOST}:{instance}"}
        words = _apache(shop, port, "shop-proxy.conf", modules, swaps)
        with shop.started([*words, "-DFOREGROUND"], port):
            assert get(port)[0] == 200
            assert echoes(port)


@needs("apache", "mod_wsgi")
def test_apache_takes_the_site_of_mod_wsgi(shop):
    """Only looked through: the Python it is built for is not the one of every test."""
    swaps = {"user=shop group=shop": ""}
    _apache(shop, free_port(), "shop-wsgi.conf", ["wsgi", "alias"], swaps)


def _apache(shop, port, name, modules, swaps):
    """The command line of an Apache with nothing but the sample."""
    folder = shop.folder / "apache"
    folder.mkdir()
    lines = [
        f'ServerRoot "{folder}"',
        f'DefaultRuntimeDir "{folder}"',
        f'PidFile "{folder}/apache.pid"',
        f'Mutex "file:{folder}" default',
        "ErrorLog /dev/stderr",
        f"Listen {HOST}:{port}",
    ]
    for module in ["mpm_event", "authz_core", *modules]:
        lines.append(f"LoadModule {module}_module {MODULES}/mod_{module}.so")
    site = shop.moved((DEPLOY / "apache" / name).read_text(), **{"*:80": f"{HOST}:{port}", **swaps})
    conf = folder / "apache.conf"
    conf.write_text("\n".join(lines) + "\n" + site)
    words = [programs.find_program("apache2") or "", "-f", str(conf)]
    looked_through(*words, "-t")
    return words


@pytest.mark.parametrize("name", ["Dockerfile", "swarm/Dockerfile"])
def test_the_images_are_made_of_known_steps(name):
    """Nothing builds them where there is no Docker; a slip in a word is seen all the same."""
    text = (DEPLOY / name).read_text().replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    known = {"ARG", "CMD", "COPY", "ENV", "EXPOSE", "FROM", "RUN", "STOPSIGNAL", "USER", "WORKDIR"}
    assert {line.split()[0] for line in lines} <= known
    assert lines[0].startswith("ARG BASE_IMAGE=")
    assert all(shlex.split(line) for line in lines)
