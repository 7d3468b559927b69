"""The body of an answer: counted to its end, kept as far as a journey may look at it."""

KEPT_BYTES = 16 * 1024 * 1024
"""Kept of each body: a download of gigabytes is measured without being held in memory."""

FRAMED = 8  #: Bytes that a byte of a body may cost on the wire: a chunk of one byte takes six.


class Body:
    """Grows block by block."""

    __slots__ = ("_blocks", "length")

    def __init__(self, first: bytes = b"") -> None:
        self.length = len(first)  #: Bytes that came, kept or not.
        self._blocks = [first]

    def add(self, block: bytes) -> None:
        if self.length < KEPT_BYTES:
            self._blocks.append(block[: KEPT_BYTES - self.length])
        self.length += len(block)

    def kept(self) -> bytes:
        """The body, or how it begins."""
        return self._blocks[0] if len(self._blocks) == 1 else b"".join(self._blocks)
