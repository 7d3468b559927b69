"""The load's clients over TLS: the same answers, honest times, and every failure by its kind."""

import os
import socket
import ssl
import time
from contextlib import ExitStack, contextmanager

import pytest
import trustme

from benchsuite.core.exceptions import AnswerError, LoadError
from benchsuite.core.samples import Kind
from benchsuite.core.specs import LoadProfile
from benchsuite.findings.target import FEWEST_ROUNDS
from benchsuite.telemetry.prober import probes
from benchsuite.telemetry.prober.answer import Probe
from benchsuite.telemetry.prober.program import RIGHT
from tests.integration import stubs_http, stubs_ws
from tests.integration.left_behind import eventually
from tests.integration.listening import server
from tests.integration.load_workloads import SIZES
from tests.integration.loads import a_job, load, refusals, served
from tests.integration.stubs_http import EVERYTHING, RUN, Responder, after, answer, closing, ok
from tests.integration.stubs_ws import RawResponder, SocketResponder
from tests.integration.test_streams import endless

CHECKED = 1


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def tls(authority):
    """Nobody knows the authority that signed it, as with one that a server signs for itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
    return context


each_version = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])


@each_version
def test_a_connection_is_kept_and_every_request_is_a_sample(version, tls, tmp_path):
    tls.minimum_version = tls.maximum_version = version
    result, responder = served(tmp_path, {"/": after(0.005)}, tls=tls)
    requests = result.of("GET /")
    assert len(requests) == responder.seen["/"] - CHECKED > 10
    assert result.kinds("GET /") == {Kind.OK: len(requests)}
    assert (requests["finish"] - requests["start"]).min() >= 0.005
    assert responder.connections == 2 + CHECKED


def test_without_keep_alive_each_request_makes_its_own_handshake(tls, tmp_path):
    reused: list[bool | None] = []
    tls.sni_callback = lambda connection, name, context: reused.append(connection.session_reused)
    result, responder = served(tmp_path, tls=tls, keep_alive=False)
    requests = result.of("GET /")
    assert result.kinds("GET /") == {Kind.OK: len(requests)}
    assert responder.connections == len(requests) + CHECKED > 10
    assert not any(reused)


def test_everything_a_client_can_do(tls, tmp_path):
    result, _ = served(tmp_path, EVERYTHING, "Everything", tls=tls, duration_s=0.3)
    assert set(result.kinds("everything")) == {Kind.OK}


def test_a_stream_of_events_is_read_as_it_comes(tls, tmp_path):
    sse, job = "benchsuite.workloads.streams.Sse", {"path": "/s", "unit": "event", "numbered": True}
    result, _ = served(tmp_path, {"/s": endless}, sse, tls=tls, duration_s=1.5, **job)
    events = result.of("event /s")
    assert result.kinds("event /s") == {Kind.OK: len(events)}
    assert len(events) > 20
    assert result.of("stray /s") == []


def last(request):
    raise stubs_http.Close(answer())


@pytest.mark.parametrize(("first", "connections"), [(ok, 1), (last, None)])
def test_a_post_goes_to_a_connection_that_is_open_or_opened_anew(tls, tmp_path, first, connections):
    """Tickets that came after the answer are no reason to make another connection."""
    job = {"path": "/post", "users": 1}
    result, responder = served(tmp_path, {"/": first, "/post": ok}, "PauseAndPost", tls=tls, **job)
    assert set(result.kinds("GET /")) == set(result.kinds("POST /post")) == {Kind.OK}
    assert connections is None or responder.connections == connections + CHECKED


def test_failures_after_the_handshake_have_the_kinds_that_they_have_without(tls, tmp_path):
    cut_off = stubs_http.every(4, closing(b"HTTP/1.1 200 OK\r\nContent-"))
    behaviours = {"/": stubs_http.every(3, after(2.0), cut_off), "/reset": closing(reset=True)}
    with Responder(behaviours, tls=tls) as responder:
        result = load(tmp_path, a_job(responder, timeout_s=0.2, duration_s=1.0))
        again = load(tmp_path / "again", a_job(responder, "CheckedOnce", path="/reset"))
    assert set(result.kinds("GET /")) == {Kind.OK, Kind.READ_TIMEOUT, Kind.TRUNCATED}
    assert set(again.kinds("GET /reset")) == {Kind.RESET}


@contextmanager
def listening(serve, tls, first=None):
    """A TLS server for one good answer, or what `first` does; then connections get `serve`."""
    met: list[socket.socket] = []

    def talk(connection):
        met.append(connection)
        (serve if len(met) > 1 else first or right)(connection)

    def right(connection):
        with tls.wrap_socket(connection, server_side=True) as encrypted:
            encrypted.recv(65_536)
            encrypted.sendall(answer())

    with server(talk) as address:
        yield f"https://127.0.0.1:{address[1]}"


def hold(connection):
    """Accepts, and never says anything."""
    while connection.recv(65_536):
        pass


def saying(words):
    """In plain text, before it closes the connection."""

    def serve(connection):
        connection.recv(65_536)
        connection.sendall(words)
        connection.close()

    return serve


UNSHAKEN = [
    (hold, Kind.CONNECT_TIMEOUT, "no connection after 0.3 s"),
    (saying(answer()), Kind.TLS, "no TLS: "),
    (saying(b""), Kind.RESET, "the connection was closed in the TLS handshake"),
]


def test_before_a_load_failures_of_the_handshake_are_refusals(tls, tmp_path):
    with ExitStack() as stack:
        urls = [stack.enter_context(listening(serve, tls, first=serve)) for serve, *_ in UNSHAKEN]
        how = {"timeout_s": 0.3, "unit": "message"}
        jobs = [a_job(url, work, **how) for work in ("Get", "Socket") for url in urls]
        sentences = refusals(tmp_path, *jobs)
    for (_, _, words), sentence in zip(UNSHAKEN * 2, sentences, strict=True):
        assert words in sentence


@pytest.mark.parametrize(("serve", "kind", "words"), UNSHAKEN)
def test_in_a_load_failures_of_the_handshake_are_of_their_kind(serve, kind, words, tls, tmp_path):
    with listening(serve, tls) as url:
        result = load(tmp_path, a_job(url, timeout_s=0.3, users=1, duration_s=1.0))
    assert set(result.kinds("GET /")) == {kind}
    assert words in result.example("GET /", kind)


def test_what_is_said_with_the_end_of_the_handshake_is_an_answer_as_without_tls(tls, tmp_path):
    """In TLS 1.2 the server has the last word of a handshake."""
    tls.maximum_version = ssl.TLSVersion.TLSv1_2

    def unasked(connection):
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

    with listening(unasked, tls) as url:
        result = load(tmp_path, a_job(url, timeout_s=2.0, users=1, keep_alive=False))
    assert set(result.kinds("GET /")) == {Kind.OK}


def test_other_schemes_are_refused(tmp_path):
    with pytest.raises(LoadError, match=r"http://host:port or https://host:port, not to 'ftp:"):
        load(tmp_path, a_job("ftp://127.0.0.1:21"))


def test_the_name_of_the_host_is_told_to_the_server(tls, tmp_path):
    names: list[str | None] = []
    tls.sni_callback = lambda connection, name, context: names.append(name)
    with Responder(tls=tls) as responder:
        load(tmp_path, a_job(f"https://localhost:{responder.port}", duration_s=0.2))
        assert set(names) == {"localhost"}
        assert responder.requests[0].headers["host"] == f"localhost:{responder.port}"


def test_redirects_may_not_leave_tls(tls, tmp_path):
    def plain(request):
        there = f"http://{request.headers['host']}/landing"
        return answer(status=302, more={"Location": there})

    with (
        Responder({**EVERYTHING, "/redirect": plain}, tls=tls) as responder,
        pytest.raises(AnswerError, match="GET /redirect redirected to http://"),
    ):
        load(tmp_path, a_job(responder, "Everything"))


def test_probe_and_prober(tls, tmp_path):
    with Responder(tls=tls) as responder:
        url = responder.base_url
        assert Probe(url + "/", RUN, timeout_s=2)()
        assert not Probe(url + "/", "somebody-else", timeout_s=2)()
        assert not Probe(url.replace("https:", "http:") + "/", RUN, timeout_s=2)()
        profile = LoadProfile(users=10, timeout_s=5.0, duration_s=2.0)
        request = probes.request_for("/", base_url=url, token=RUN, load=profile, headers={}, seed=1)
        with probes.prober(request, profile, folder=tmp_path) as watch:
            assert eventually(lambda: len(watch.probes()) > 3)
        asked = probes.stall(request)
    assert len(asked.rounds) == FEWEST_ROUNDS, "each answered, also with QUICKACK, and none late"
    assert [one.outcome for one in watch.probes()[:3]] == [RIGHT] * 3


STRICT = """
from benchsuite.system import network
network.is_loopback = lambda host: False
"""
"""Run by the interpreter of the load as it starts: this machine is told to be another one."""


def test_elsewhere_certificates_must_hold(tls, authority, tmp_path, monkeypatch):
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


def socket_load(tmp_path, responder, **job):
    return load(tmp_path, a_job(responder, "Socket", unit="message", **job))


@each_version
def test_messages_of_a_websocket_come_back(version, tls, tmp_path):
    tls.minimum_version = tls.maximum_version = version
    with SocketResponder(tls=tls) as responder:
        work = {"unit": "message", "iterations": 1, "duration_s": 60.0}
        result = load(tmp_path, a_job(responder, "SocketSizes", **work))
    for scope in ("message", "handshake", "closing"):
        assert set(result.kinds(f"{scope} /")) == {Kind.OK}
    assert set(result.of("message /")["body_bytes"]) == {*SIZES}


def test_a_message_of_more_than_the_kernel_takes_at_once(tls, tmp_path):
    size = 8_000_000
    with SocketResponder(tls=tls) as responder:
        result = socket_load(tmp_path, responder, size=size, users=1)
    assert set(result.kinds("message /")) == {Kind.OK}
    assert set(result.of("message /")["body_bytes"]) == {size}


def test_endings_of_a_websocket_are_told_as_without(tls, tmp_path):
    behaviours = {
        "/odd": stubs_ws.every(5, stubs_ws.with_code(1011)),
        "/garbage": stubs_ws.every(5, stubs_ws.raw(b"\xff\xff" * 9)),
    }
    with SocketResponder(behaviours, tls=tls) as responder:
        result = socket_load(tmp_path, responder, path="/odd")
        garbage = socket_load(tmp_path / "again", responder, path="/garbage")
    odd = responder.seen["/odd"]["odd"]
    assert result.kinds("message /odd")[Kind.WEBSOCKET_CLOSED] == odd > 1
    assert result.kinds("stray /odd") == {Kind.WEBSOCKET_CLOSED: odd}
    assert garbage.kinds("message /garbage")[Kind.PROTOCOL] > 1


def test_garbage_beneath_tls_breaks_the_protocol(tls, tmp_path):
    def mumble(connected, protocol):
        with socket.socket(fileno=os.dup(connected.fileno())) as beneath:
            beneath.sendall(b"\x17\x03\x03\x00\x20" + b"?" * 32)
            while beneath.recv(4096):
                pass

    with RawResponder({"/odd": mumble}, tls=tls) as responder:
        result = socket_load(tmp_path, responder, path="/odd")
    assert set(result.kinds("message /odd")) == {Kind.PROTOCOL}
    assert result.example("message /odd", Kind.PROTOCOL).startswith("no TLS: ")
    assert set(result.kinds("socket")) == {Kind.PROTOCOL}


def test_a_good_bye_of_tls_is_an_end_and_is_answered(tls, tmp_path):
    """Servers on asyncio close the connection only when their good-bye was answered."""
    waited: list[float] = []

    def good_bye(connected, protocol):
        assert isinstance(connected, ssl.SSLSocket)
        begin = time.monotonic()
        connected.unwrap()
        waited.append(time.monotonic() - begin)

    with RawResponder({"/odd": good_bye}, tls=tls) as responder:
        result = socket_load(tmp_path, responder, path="/odd")
    assert set(result.kinds("message /odd")) == {Kind.RESET}
    assert len(waited) >= len(result.of("message /odd")) > 3
    assert max(waited) < 3
