"""The load's client over TLS: the same answers, honest times, and every failure by its kind."""

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import trustme

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.findings.target import FEWEST_ROUNDS
from benchsuite.system.network import free_port
from benchsuite.telemetry.prober import acknowledging, probes
from benchsuite.telemetry.prober.answer import answers_as
from benchsuite.telemetry.prober.client import RIGHT
from tests.integration.left_behind import eventually
from tests.integration.loads import a_job, load
from tests.integration.stubs_http import (
    RUN,
    Close,
    Request,
    Responder,
    after,
    answer,
    closing,
    every,
    ok,
)
from tests.integration.test_streams import GAP_S, endless
from tests.needs import needs

CHECKED = 1


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def certificate(authority: trustme.CA) -> trustme.LeafCert:
    """Nobody knows the authority that signed it, as with one that a server signs for itself."""
    return authority.issue_cert("localhost", "127.0.0.1")


@pytest.fixture
def tls(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_connection_is_kept_and_every_request_is_a_sample(
    version: ssl.TLSVersion, tls: ssl.SSLContext, tmp_path: Path
) -> None:
    tls.minimum_version = tls.maximum_version = version
    with Responder({"/": after(0.005)}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder))
    requests = result.of("GET /")
    assert len(requests) == responder.seen["/"] - CHECKED > 30
    assert result.kinds("GET /") == {Kind.OK: len(requests)}
    times = requests["finish"] - requests["start"]
    assert times.min() >= 0.005
    assert responder.connections == 2 + CHECKED


def test_without_keep_alive_each_request_makes_its_own_handshake(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    seen: list[bool | None] = []
    tls.sni_callback = lambda connection, name, context: seen.append(connection.session_reused)
    with Responder(tls=tls) as responder:
        result = load(tmp_path, a_job(responder, keep_alive=False))
    requests = result.of("GET /")
    assert result.kinds("GET /") == {Kind.OK: len(requests)}
    assert responder.connections == len(requests) + CHECKED > 10
    assert not any(seen)


def test_everything_a_client_can_do(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with Responder(EVERYTHING, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Everything", duration_s=0.3))
    assert set(result.kinds("everything")) == {Kind.OK}


def echo(request: Request) -> bytes:
    said = {"path": request.path, "headers": request.headers, "body": request.body.decode()}
    return answer(json.dumps(said).encode())


def until_close(request: Request) -> bytes:
    raise Close(f"HTTP/1.1 200 OK\r\nX-Benchsuite-Run: {RUN}\r\n\r\nhello".encode())


EVERYTHING = {
    "/set-cookie": lambda request: answer(
        more={"Set-Cookie": "sid=abc; Path=/", "X-Thing": "here"}
    ),
    "/forget": lambda request: answer(more={"Set-Cookie": "sid=; Max-Age=0; Path=/"}),
    "/echo": echo,
    "/redirect": lambda request: answer(status=302, more={"Location": "/landing?x=1"}),
    "/landing": ok,
    "/chunked": lambda request: (
        f"HTTP/1.1 200 OK\r\nX-Benchsuite-Run: {RUN}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        + b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    ),
    "/until-close": until_close,
    "/sp%C3%A4ti": ok,
}


def test_a_stream_of_events_is_read_as_it_comes(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with Responder({"/s": endless}, tls=tls) as responder:
        job = a_job(
            responder, "benchsuite.workloads.sse.Sse", path="/s", unit="event", numbered=True
        )
        result = load(tmp_path, job)
    events = result.of("event /s")
    assert result.kinds("event /s") == {Kind.OK: len(events)}
    assert len(events) > 20
    assert np.median(events["finish"] - events["start"]) == pytest.approx(GAP_S, rel=0.5)
    assert result.of("stray /s") == []


def test_large_bodies_of_many_records(tls: ssl.SSLContext, tmp_path: Path) -> None:
    body = bytes(range(256)) * 8192
    with Responder({"/large": lambda request: answer(body)}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "Lenient", path="/large"))
    assert set(result.of("GET /large")["kind"]) == {Kind.OK}
    assert set(result.of("GET /large")["body_bytes"]) == {len(body)}


def test_a_post_goes_to_a_connection_that_is_still_open(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    """Tickets that came after the answer are no reason to make another connection."""
    with Responder({"/post": ok}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "PauseAndPost", path="/post", users=1))
        connections = responder.connections
    assert set(result.kinds("POST /post")) == {Kind.OK}
    assert connections == 1 + CHECKED


def test_a_server_that_closed_meanwhile_is_connected_to_anew(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    def last(request: Request) -> bytes:
        raise Close(answer())

    with Responder({"/": last, "/post": ok}, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, "PauseAndPost", path="/post", users=1))
    assert set(result.kinds("GET /")) == {Kind.OK}
    assert set(result.kinds("POST /post")) == {Kind.OK}


def test_failures_after_the_handshake_have_the_kinds_that_they_have_without(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    behaviours = {
        "/": every(3, after(2.0), every(4, closing(b"HTTP/1.1 200 OK\r\nContent-"))),
        "/reset": closing(reset=True),
    }
    with Responder(behaviours, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, timeout_s=0.2, duration_s=1.0))
    kinds = result.kinds("GET /")
    assert set(kinds) == {Kind.OK, Kind.READ_TIMEOUT, Kind.TRUNCATED}
    with Responder(behaviours, tls=tls) as responder:
        (tmp_path / "more").mkdir()
        job = a_job(responder, "CheckedOnce", path="/reset")
        result = load(tmp_path / "more", job)
    assert set(result.kinds("GET /reset")) == {Kind.RESET}


@contextmanager
def listening(
    serve: Callable[[socket.socket], None],
    tls: ssl.SSLContext,
    first: Callable[[socket.socket], None] | None = None,
) -> Iterator[tuple[int, list[socket.socket]]]:
    """A TLS server for one good answer, or what `first` does; then connections get `serve`."""
    listener = socket.create_server(("127.0.0.1", 0))
    met: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            met.append(connection)
            (serve if len(met) > 1 else first or right)(connection)

    def right(connection: socket.socket) -> None:
        with tls.wrap_socket(connection, server_side=True) as encrypted:
            encrypted.recv(65_536)
            encrypted.sendall(answer())

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield listener.getsockname()[1], met
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()
        for connection in met:
            connection.close()


def hold(connection: socket.socket) -> None:
    """Accepts, and never says anything."""


def speak_plainly(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.sendall(answer())
    connection.close()


def close_at_once(connection: socket.socket) -> None:
    connection.recv(65_536)
    connection.close()


@pytest.mark.parametrize(
    ("serve", "kind", "words"),
    [
        (hold, Kind.CONNECT_TIMEOUT, "no connection after 0.3 s"),
        (speak_plainly, Kind.TLS, "no TLS: "),
        (close_at_once, Kind.RESET, "the connection was closed in the TLS handshake"),
    ],
)
def test_failures_of_the_handshake(
    serve: Callable[[socket.socket], None],
    kind: Kind,
    words: str,
    tls: ssl.SSLContext,
    tmp_path: Path,
) -> None:
    with listening(serve, tls) as (port, _):
        job = a_job(f"https://127.0.0.1:{port}", timeout_s=0.3, users=1, duration_s=1.0)
        result = load(tmp_path, job)
    assert set(result.kinds("GET /")) == {kind}
    assert words in result.example("GET /", kind)


def test_what_is_said_with_the_end_of_the_handshake_is_an_answer_as_without_tls(
    tls: ssl.SSLContext, tmp_path: Path
) -> None:
    """In TLS 1.2 the server has the last word of a handshake."""
    tls.maximum_version = ssl.TLSVersion.TLSv1_2

    def unasked(connection: socket.socket) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = tls.wrap_bio(incoming, outgoing, server_side=True)
        while True:
            try:
                session.do_handshake()
                break
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                incoming.write(connection.recv(65_536))
        session.write(answer())
        connection.sendall(outgoing.read())
        connection.recv(65_536)

    with listening(unasked, tls) as (port, _):
        job = a_job(f"https://127.0.0.1:{port}", timeout_s=2.0, users=1, keep_alive=False)
        result = load(tmp_path, job)
    assert set(result.kinds("GET /")) == {Kind.OK}


def test_a_plain_server_is_refused_before_the_load(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with listening(speak_plainly, tls, first=speak_plainly) as (port, _):
        job = a_job(f"https://127.0.0.1:{port}", timeout_s=1.0)
        with pytest.raises(AnswerError, match=r"failed: no TLS: .*look at the server's certif"):
            load(tmp_path, job)


def test_other_schemes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"http://host:port or https://host:port, not to 'ftp:"):
        load(tmp_path, a_job("ftp://127.0.0.1:21"))


def test_the_name_of_the_host_is_told_to_the_server(tls: ssl.SSLContext, tmp_path: Path) -> None:
    names: list[str | None] = []
    tls.sni_callback = lambda connection, name, context: names.append(name)
    with Responder(tls=tls) as responder:
        load(tmp_path, a_job(f"https://localhost:{responder.port}", duration_s=0.2))
        assert set(names) == {"localhost"}
        assert responder.requests[0].headers["host"] == f"localhost:{responder.port}"


def test_redirects_may_not_leave_tls(tls: ssl.SSLContext, tmp_path: Path) -> None:
    def plain(request: Request) -> bytes:
        there = f"http://{request.headers['host']}/landing"
        return answer(status=302, more={"Location": there})

    with (
        Responder({**EVERYTHING, "/redirect": plain}, tls=tls) as responder,
        pytest.raises(AnswerError, match="GET /redirect redirected to http://"),
    ):
        load(tmp_path, a_job(responder, "Everything"))


def test_probe_and_prober(tls: ssl.SSLContext, tmp_path: Path) -> None:
    with Responder(tls=tls) as responder:
        assert answers_as(responder.base_url + "/", RUN)
        assert not answers_as(responder.base_url + "/", "somebody-else")
        assert not answers_as(responder.base_url.replace("https:", "http:") + "/", RUN)
        load = LoadProfile(users=10, timeout_s=5.0, duration_s=2.0)
        request = probes.request_for(
            "/",
            base_url=responder.base_url,
            token=RUN,
            load=load,
            headers={},
            seed=1,
        )
        with probes.prober(request, load, folder=tmp_path, on_cpus=None) as watch:
            assert eventually(lambda: len(watch.probes()) > 3)
        asked = acknowledging.stall(request)
    assert len(asked.rounds) == FEWEST_ROUNDS, "each answered, also with QUICKACK, and none late"
    assert [one.outcome for one in watch.probes()[:3]] == [RIGHT] * 3


NGINX = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
        add_header X-Benchsuite-Run {run};
        location / {{ return 200 OK; }}
    }}
}}
"""


@needs("nginx")
def test_nginx(certificate: trustme.LeafCert, tmp_path: Path) -> None:
    port = free_port("127.0.0.1")
    certificate.private_key_pem.write_to_path(str(tmp_path / "key.pem"))
    certificate.cert_chain_pems[0].write_to_path(str(tmp_path / "certificate.pem"))
    config = tmp_path / "nginx.conf"
    config.write_text(NGINX.format(folder=tmp_path, port=port, run=RUN))
    program = ["nginx", "-p", str(tmp_path), "-c", str(config)]
    with subprocess.Popen(program, stderr=subprocess.DEVNULL) as nginx:
        try:
            url = f"https://127.0.0.1:{port}"
            assert eventually(lambda: answers_as(url + "/", RUN))
            kept = load(tmp_path / "kept", a_job(url, users=10))
            fresh = load(tmp_path / "fresh", a_job(url, users=10, keep_alive=False))
        finally:
            nginx.terminate()
    assert set(kept.kinds("GET /")) == set(fresh.kinds("GET /")) == {Kind.OK}
    assert len(kept.of("GET /")) > 2 * len(fresh.of("GET /")) > 100


STRICT = """
from benchsuite.system import tls
tls.is_loopback = lambda host: False
"""
"""Run by the interpreter of the load as it starts: this machine is told to be another one."""


def test_elsewhere_certificates_must_hold(
    tls: ssl.SSLContext,
    authority: trustme.CA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "sitecustomize.py").write_text(STRICT)
    monkeypatch.syspath_prepend(tmp_path)
    known = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(known))
    with Responder(tls=tls) as responder:
        job = a_job(responder, duration_s=0.1)
        with pytest.raises(AnswerError, match=r"the certificate is invalid \("):
            load(tmp_path / "unknown", job)
        monkeypatch.setenv("SSL_CERT_FILE", str(known))
        assert set(load(tmp_path / "known", job).kinds("GET /")) == {Kind.OK}
