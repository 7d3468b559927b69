"""What a server may send, frame by frame; what it may not is tried on a server of its own."""

import pytest

from benchsuite.conformance.frames import Frame, Opcode, close_payload
from benchsuite.conformance.judging import Judge, may_be_sent
from benchsuite.conformance.outcomes import Deviation

PING, PONG = Frame(Opcode.PING, b""), Frame(Opcode.PONG, b"")
GOODBYE = Frame(Opcode.CLOSE, close_payload(1000, "Grüße".encode()))
HALF, HALF_MORE = "ü".encode()[:1], "ü".encode()[1:]


def test_a_message_in_parts_may_cut_characters_and_hold_pings():
    judge = Judge()
    for frame in (
        Frame(Opcode.TEXT, HALF, fin=False),
        PING,
        Frame(Opcode.CONTINUATION, b"", fin=False),
        PONG,
        Frame(Opcode.CONTINUATION, HALF_MORE),
        Frame(Opcode.BINARY, HALF),
        Frame(Opcode.TEXT, b""),
        GOODBYE,
    ):
        judge.look(frame)


def test_a_text_may_not_end_within_a_character():
    judge = Judge()
    with pytest.raises(Deviation, match="no UTF-8"):
        judge.look(Frame(Opcode.TEXT, HALF))


def test_the_first_reserved_bit_begins_a_message_where_compression_was_negotiated():
    judge = Judge()
    judge.compresses = True
    judge.look(Frame(Opcode.TEXT, b"\xff", fin=False, reserved=4))
    with pytest.raises(Deviation, match="reserved bits 100"):
        judge.look(Frame(Opcode.CONTINUATION, b"\xff", reserved=4))


def test_a_ping_may_follow_a_close_frame_until_ours_is_sent():
    judge = Judge()
    judge.look(GOODBYE)
    judge.look(PING)
    judge = Judge()
    judge.client_closed = True
    judge.look(GOODBYE)
    with pytest.raises(Deviation, match="after its close frame"):
        judge.look(PING)


@pytest.mark.parametrize(
    ("codes", "may"),
    [
        ((1000, 1003, 1007, 1011, 1012, 1014, 3000, 4999), True),
        ((0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999), False),
    ],
)
def test_which_codes_a_close_frame_may_carry(codes, may):
    assert {may_be_sent(code) for code in codes} == {may}
