"""The payload is the message: Channels' consumers, and `ws` on Node."""

from benchsuite.workloads.codecs.base import DOES, Codec, Message


class Plain(Codec):
    name = "plain"
    does_all = (*DOES, "echo_layer", *(f"{one}_sync" for one in (*DOES, "echo_layer")))
    binary = True

    def wrap(self, payload: Message) -> Message:
        return payload

    def unwrap(self, message: Message) -> Message | None:
        return message
