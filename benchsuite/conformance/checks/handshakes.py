"""From HTTP to WebSocket: section 4."""

from benchsuite.conformance.check import Check
from benchsuite.conformance.frames import Opcode
from benchsuite.conformance.outcomes import Deviation, Note
from benchsuite.conformance.peer import Peer

OWN_SUBPROTOCOL = "benchsuite"  #: The one that the echo applications speak.

STALLED = 20


def _accepted(peer: Peer) -> Note | None:
    with peer.open() as connection:
        answer = connection.answer
        if (answer.header("upgrade") or "").lower() != "websocket":
            raise Deviation("accepts without 'Upgrade: websocket'")
        if "upgrade" not in (answer.header("connection") or "").lower():
            raise Deviation("accepts without 'Connection: Upgrade'")
        for name in ("sec-websocket-protocol", "sec-websocket-extensions"):
            if answer.header(name) is not None:
                raise Deviation(f"answers with a {name} that nobody offered")
    return None


def _token(peer: Peer) -> Note | None:
    with peer.open() as connection:
        found = connection.answer.header("x-benchsuite-run")
    if peer.token and found != peer.token:
        raise Deviation(f"accepts without the run's own header (found: {found})")
    return None


def _refused(peer: Peer, status: int, **changed: str | None) -> Note | None:
    headers = {name.replace("_", "-"): value for name, value in changed.items()}
    with peer.connect() as connection:
        answer = peer.ask(connection, changed=headers)
    if answer.status == 101:
        raise Deviation("accepts it")
    if answer.status != status:
        return Note(f"refuses with {answer.status} ({status} is expected)")
    if status == 426 and answer.header("sec-websocket-version") is None:
        return Note("refuses with 426 without a Sec-WebSocket-Version")
    return None


def _version(peer: Peer) -> Note | None:
    return _refused(peer, 426, Sec_WebSocket_Version="99")


def _no_version(peer: Peer) -> Note | None:
    return _tolerated(peer, Sec_WebSocket_Version=None)


def _no_key(peer: Peer) -> Note | None:
    return _refused(peer, 400, Sec_WebSocket_Key=None)


def _short_key(peer: Peer) -> Note | None:
    return _tolerated(peer, Sec_WebSocket_Key="c2hvcnQ=")


def _tolerated(peer: Peer, **changed: str | None) -> Note | None:
    """What the RFC wants refused, and what harms nobody when it is not."""
    try:
        return _refused(peer, 400, **changed)
    except Deviation as error:
        return Note(str(error))


def _post(peer: Peer) -> Note | None:
    with peer.connect() as connection:
        answer = peer.ask(connection, method="POST", changed={"Content-Length": "0"})
    if answer.status == 101:
        raise Deviation("accepts it")
    return None


def _no_such_path(peer: Peer) -> Note | None:
    with peer.connect() as connection:
        answer = peer.ask(connection, path=f"{peer.path}no/such/path/")
    if answer.status == 101:
        raise Deviation("accepts it")
    if answer.status < 400:
        raise Deviation(f"answers with {answer.status}")
    return Note(f"refuses with {answer.status}") if answer.status not in (403, 404) else None


def _subprotocol(peer: Peer) -> Note | None:
    with peer.open(offered=("chat", OWN_SUBPROTOCOL)) as connection:
        found = connection.answer.header("sec-websocket-protocol")
    if found != OWN_SUBPROTOCOL:
        raise Deviation(f"answers {found!r} to the offer of chat, {OWN_SUBPROTOCOL}")
    return None


def _foreign_subprotocol(peer: Peer) -> Note | None:
    with peer.open(offered=("chat", "superchat")) as connection:
        found = connection.answer.header("sec-websocket-protocol")
    if found is not None:
        raise Deviation(f"answers {found!r}, which its application does not speak")
    return None


def _stalled(peer: Peer) -> Note | None:
    """Handshakes that never come to their end must not keep others out."""
    waiting = [peer.connect() for _ in range(STALLED)]
    try:
        for one in waiting:
            one.raw(b"GET / HTTP/1.1\r\nHost: stalled\r\n")
        with peer.open() as connection:
            connection.send(Opcode.TEXT, b"through")
            connection.echoed(Opcode.TEXT, b"through")
    finally:
        for one in waiting:
            one.abort()
    return None


GROUP = "handshake"
CHECKS = (
    Check(GROUP, "accepted with the right key and headers", "4.2.2", _accepted),
    Check(GROUP, "the accepting answer carries the application's header", "4.2.2", _token),
    Check(GROUP, "version 99 is refused with 426", "4.4", _version),
    Check(GROUP, "no version", "4.2.1", _no_version),
    Check(GROUP, "no key is refused", "4.2.1", _no_key),
    Check(GROUP, "a key of 5 bytes", "4.2.1", _short_key),
    Check(GROUP, "POST is refused", "4.2.1", _post),
    Check(GROUP, "an unknown path is refused", "4.2.2", _no_such_path),
    Check(GROUP, "the application's subprotocol is chosen", "4.2.2", _subprotocol),
    Check(GROUP, "no subprotocol when none is known", "4.2.2", _foreign_subprotocol),
    Check(GROUP, f"{STALLED} handshakes that never end keep nobody out", "", _stalled),
)
