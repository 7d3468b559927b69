"""The body of an answer: counted to its end, kept as far as a journey may look at it."""

import zlib
from collections.abc import Callable, Iterable

import brotli

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


class NotDecoded(ValueError):
    """A body is not what its Content-Encoding says, or nobody here can tell."""


def codings_of(values: Iterable[str]) -> list[str]:
    """The names in Content-Encoding headers, in the order in which they were applied."""
    names = [name.strip().lower() for value in values for name in value.split(",")]
    return [name for name in names if name not in ("", "identity")]


def decoded(content: bytes, codings: Iterable[str], *, whole: bool) -> bytes:
    """The body as the view wrote it, or how it begins: `KEPT_BYTES` at most.

    `whole`: the content was kept to its end. Raises NotDecoded.
    """
    for coding in reversed([*codings] if content else []):
        decode = DECODERS.get(coding)
        if decode is None:
            raise NotDecoded(
                f"the body has the Content-Encoding {coding!r}, which can't be undone here; known "
                f"are {', '.join(DECODERS)}: leave it out of the request's Accept-Encoding"
            )
        try:
            content, ended = decode(content)
        except (zlib.error, brotli.error) as error:
            raise NotDecoded(f"the body is not {coding}, as it says: {error}") from None
        if whole and not ended and len(content) < KEPT_BYTES:
            raise NotDecoded(f"the body ends in the middle of its {coding}")
        whole = whole and ended
    return content


def _gunzip(content: bytes) -> tuple[bytes, bool]:
    """What it holds, and whether it has been read to its end; it may have several members."""
    parts, length, ended = [], 0, False
    while content and length < KEPT_BYTES:
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        parts.append(stream.decompress(content, KEPT_BYTES - length))
        length += len(parts[-1])
        content, ended = stream.unused_data, stream.eof
    return b"".join(parts), ended and not content


def _inflate(content: bytes) -> tuple[bytes, bool]:
    """With the frame of zlib that belongs to it, or without, as some servers send it."""
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(content, KEPT_BYTES)
    except zlib.error:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        plain = stream.decompress(content, KEPT_BYTES)
    if stream.unused_data:
        raise zlib.error(f"{len(stream.unused_data)} bytes follow its end")
    return plain, stream.eof


def _unbrotli(content: bytes) -> tuple[bytes, bool]:
    stream = brotli.Decompressor()
    parts = [stream.process(content, output_buffer_limit=KEPT_BYTES)]
    while not stream.is_finished() and sum(map(len, parts)) < KEPT_BYTES and parts[-1]:
        parts.append(stream.process(b"", output_buffer_limit=KEPT_BYTES))
    return b"".join(parts), stream.is_finished()


DECODERS: dict[str, Callable[[bytes], tuple[bytes, bool]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
}
