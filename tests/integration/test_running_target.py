"""Measures targets that already run, as the test started them: on loopback, and in a network of the
test's own for hosts that are not this machine.
"""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from copy import copy

import pytest
import trustme

from benchsuite.system import programs
from benchsuite.system.network import free_port
from tests.integration.command import ROOT, measured, wait_for
from tests.needs import needs

APP = """
import os
from django.conf import settings
settings.configure(
    SECRET_KEY="s" * 50, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__,
    MIDDLEWARE=[one for one in [os.environ.get("KNOWS")] if one],
)
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path
urlpatterns = [
    path("shop/", lambda request: HttpResponse("<title>shop</title>")),
    path("cart/", lambda request: HttpResponse("<title>cart</title>")),
    path("mine/", lambda request: HttpResponseRedirect("/login/?next=/mine/")),
    path("away/", lambda request: HttpResponseRedirect("https://shop.invalid/")),
]
application = get_wsgi_application()
"""
MIDDLEWARE = "benchsuite.target.middleware.run_middleware"
ELSEWHERE = "10.203.77.1"  #: In the network of the test's own.
IN_A_NETWORK = f"ip link set lo up && ip address add {ELSEWHERE}/32 dev lo && exec "
CLOSED = ("--users=2", "--warmup=0.5", "--duration=1.5")
OPEN = ("--rate=40", "--warmup=0.5", "--duration=1.5")


TAKES = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 1)"


@contextmanager
def program(*words, cwd, port, host="127.0.0.1", into=None, **env):
    """One that takes connections there; `into` gives what enters its network, if it has one."""
    with (cwd / "program.log").open("ab") as log:
        process = subprocess.Popen(
            words, cwd=cwd, env={**os.environ, **env}, stdout=log, stderr=log
        )
    inside = into(process.pid) if into else []
    asking = [*inside, sys.executable, "-S", "-c", TAKES, host, str(port)]

    def takes():
        assert process.poll() is None, (cwd / "program.log").read_text()
        return subprocess.run(asking, capture_output=True, check=False).returncode == 0

    try:
        wait_for("a connection", takes)
        yield inside
    finally:
        process.terminate()
        process.wait(20)


def gunicorn(address):
    words = [sys.executable, "-m", "gunicorn", "app:application", "--threads=4", "--workers=2"]
    return [*words, "--keep-alive=5", f"--pythonpath={ROOT}", f"--bind={address}"]


@contextmanager
def running(folder, **env):
    """Its address on loopback."""
    (folder / "app.py").write_text(APP)
    port = free_port()
    with program(*gunicorn(f"127.0.0.1:{port}"), cwd=folder, port=port, **env):
        yield f"http://127.0.0.1:{port}"


def codes(run):
    return {one["code"].split()[0]: one["message"] for one in run["findings"]}


@pytest.mark.parametrize("load", [OPEN, pytest.param(CLOSED, marks=pytest.mark.audit)])
def test_a_target_with_our_middleware_says_who_answers_and_how_often(load, command, tmp_path):
    with running(tmp_path, KNOWS=MIDDLEWARE, TMPDIR=str(tmp_path)) as address:
        run = measured(command, f"--target={address} --path=/shop/", how=load)
    assert run["server"] == address
    assert run["failures"] == 0 < run["requests"]
    assert run["seen"] == run["sent"]
    assert "B202" not in codes(run)["B405"]
    unknown = ("processes", "threads", "cpu_percent", "memory_bytes", "python_version", "startup_s")
    assert {run[name] for name in unknown} == {None}
    assert (run["packages"], run["argv"]) == ({}, [])
    assert {one["part"] for one in run["stored"]["readings"]} == {"load"}
    assert run["stored"]["run"]["server_facts"]["starts"] is False


def test_without_it_the_verdict_names_what_cant_be_known(command, tmp_path):
    with running(tmp_path) as address:
        run = measured(command, f"--target={address} --path=/shop/,/cart/", how=CLOSED)
        again = measured(command, f"--again={run['id']}", how=())
    assert run["seen"] is None
    for number in ("B203", "B204", "B202", "B213", "B401"):
        assert number in codes(run)["B405"]
    assert again["server"] == address
    assert again["stored"]["run"]["key"] == run["stored"]["run"]["key"]


def test_the_program_needs_no_project_for_it(tmp_path):
    folder, env = tmp_path / "empty", {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    folder.mkdir()
    env.pop("DJANGO_SETTINGS_MODULE", None)

    def run(*words, **more):
        called = [sys.executable, "-m", "benchsuite", "run", *words]
        return subprocess.run(
            called, cwd=folder, env={**env, **more}, capture_output=True, text=True, check=False
        )

    with running(tmp_path) as address:
        ended = run(f"--target={address}", "--path=/shop/", "--json=-", *CLOSED)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)[0]["server"] == address
    assert "no manage.py" in run("--path=/shop/").stderr
    elsewhere = f"--target=http://{ELSEWHERE}"
    refused = run(elsewhere, "--path=/").stderr
    assert f"""BENCHSUITE_TARGETS='{{"{ELSEWHERE}": 50}}' in the environment""" in refused
    assert "is no JSON" in run(elsewhere, "--path=/", BENCHSUITE_TARGETS="{").stderr


def test_what_a_target_refuses_is_one_sentence_with_the_way_out(command, tmp_path):
    def said(*words):
        ended = command.run("runbench", *CLOSED, *words)
        assert ended.status, ended.out
        return ended.err.strip()

    with running(tmp_path) as address:
        assert "answered 404: nothing is there" in said(f"--target={address}", "--path=/none/")
        assert "--cookie sessionid=" in said(f"--target={address}", "--path=/mine/")
        assert "redirected to https://shop.invalid/" in said(f"--target={address}", "--path=/away/")
        tls = address.replace("http", "https")
        assert "scheme and port" in said(f"--target={tls}", "--path=/shop/")
    assert "Connection refused" in said(f"--target={address}", "--path=/shop/")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder, authority = tmp_path_factory.mktemp("certificates"), trustme.CA()
    issued = authority.issue_cert("localhost", ELSEWHERE)
    issued.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    authority.cert_pem.write_to_path(folder / "authority.pem")
    return folder


@needs("nginx")
def test_nginx_with_tls_before_it(certificates, command, tmp_path):
    port = free_port()
    own = {"KNOWS": MIDDLEWARE, "TMPDIR": str(tmp_path)}
    with running(tmp_path, **own) as upstream, ExitStack() as stack:
        (tmp_path / "nginx.conf").write_text(f"""
            daemon off; pid {tmp_path}/nginx.pid; error_log stderr; events {{}}
            http {{
              access_log off; client_body_temp_path {tmp_path}; proxy_temp_path {tmp_path};
              fastcgi_temp_path {tmp_path}; uwsgi_temp_path {tmp_path}; scgi_temp_path {tmp_path};
              server {{
                listen 127.0.0.1:{port} ssl;
                ssl_certificate {certificates}/server.pem;
                ssl_certificate_key {certificates}/server.pem;
                location / {{ proxy_pass {upstream}; proxy_set_header Host $http_host; }}
              }}
            }}""")
        nginx = programs.find_program("nginx") or "nginx"
        words = (nginx, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path))
        stack.enter_context(program(*words, cwd=tmp_path, port=port))
        for load in (CLOSED, OPEN):
            line = f"--target=https://localhost:{port} --path=/shop/"
            run = measured(command, line, how=load)
            assert run["failures"] == 0 < run["requests"]
            assert run["seen"] == run["sent"]
            assert run["server"] == f"https://localhost:{port}"


def elsewhere(folder, *words, **env):
    """A target at an address that only a network of its own has; what enters that network."""
    (folder / "app.py").write_text(APP)
    server = " ".join([*gunicorn(f"{ELSEWHERE}:8000"), *words])
    script = ["unshare", "--net", "sh", "-c", f"{IN_A_NETWORK} {server}"]

    def into(pid):
        return ["nsenter", f"--target={pid}", "--net"]

    return program(*script, cwd=folder, host=ELSEWHERE, port=8000, into=into, **env)


def there(command, into, most, **env):
    """The same in that network, where so many requests a second may be asked."""
    inside, targets = copy(command), {} if most is None else {ELSEWHERE: most}
    inside.env = {**command.env, "BENCHSUITE_TARGETS": json.dumps(targets), **env}
    inside.program = (*into, *command.program)
    return inside


@needs("own-network")
def test_a_host_that_is_not_this_machine_is_named_twice_and_spared(command, tmp_path):
    target = (f"--target=http://{ELSEWHERE}:8000", "--path=/shop/", "--warmup=0.5", "--duration=2")
    yes = f"--yes-load={ELSEWHERE}"
    with elsewhere(tmp_path, KNOWS=MIDDLEWARE, TMPDIR=str(tmp_path)) as into:

        def refused(most, *words):
            ended = there(command, into, most).run("runbench", *target, *words)
            assert ended.status == 2, ended
            return ended.err

        assert '"TARGETS": {"10.203.77.1": 50}' in refused(None, "--rate=20", yes)
        assert f"by {yes}" in refused(30, "--rate=20")
        assert f"by {yes}" in refused(30, "--rate=20", "--yes-load=other.example")
        assert "--rate=30 at most" in refused(30, "--rate=31", yes)
        assert "--think-time=0.17s" in refused(30, "--users=5", yes)
        run = measured(there(command, into, 30), "", *target, yes, how=("--rate=30",))
        assert run["failures"] == 0
        assert run["seen"] == run["sent"] <= 30 * 2.5 + 5
        paused = ("--users=5", "--think-time=0.17s")
        run = measured(there(command, into, 30), "", *target, yes, how=paused)
        assert run["throughput"] <= 30
        assert "B401" not in codes(run)["B405"]
        # of a journey it is known only when it was made once
        ended = there(command, into, 30).run(
            "runbench", *target, "--path=/shop/,/cart/", "--rate=20", yes
        )
        assert "each of 2 requests" in ended.err
        assert "--rate=15 at most" in ended.err


@needs("own-network")
def test_its_certificate_is_verified(certificates, command, tmp_path):
    key = certificates / "server.pem"
    line = f"--target=https://{ELSEWHERE}:8000 --path=/shop/ --yes-load={ELSEWHERE}"
    with elsewhere(tmp_path, f"--certfile={key}", f"--keyfile={key}") as into:
        ended = there(command, into, 50).run("runbench", *line.split(), *OPEN)
        assert "the certificate is invalid" in ended.err
        assert "SSL_CERT_FILE" in ended.err
        trusted = {"SSL_CERT_FILE": str(certificates / "authority.pem")}
        run = measured(there(command, into, 50, **trusted), line, how=OPEN)
    assert run["failures"] == 0 < run["requests"]


@pytest.mark.alone
def test_a_tuning_finds_the_rate_of_what_runs(command, tmp_path):
    asked = ("--path=/shop/", "--objective=p95 < 2s", "--window=1s", "--budget=60s", "--json=-")
    with running(tmp_path) as address:
        ended = command.run("tunebench", f"--target={address}", *asked, limit_s=180)
        refused = command.run("tunebench", f"--target={address}", *asked, "--processes=2")
    tuning = json.loads(ended.out)
    sentences = " ".join(tuning["answer"]["sentences"])
    assert f"{address} holds" in sentences, ended.err
    assert "no settings were tried" in sentences
    assert ended.status == 0, ended.err
    assert "--processes would change it" in refused.err
