"""A body is what its Content-Encoding says, or it is said what it is instead."""

import gzip
import zlib

import brotli
import pytest

from benchsuite.load.client.http import answer
from benchsuite.load.client.http.answer import NotDecoded, codings_of, decoded

TEXT = b"Fifty words, fifty words. " * 50
RAW = zlib.compressobj(wbits=-zlib.MAX_WBITS)
UNFRAMED = RAW.compress(TEXT) + RAW.flush()

WHOLE = {
    "gzip": gzip.compress(TEXT, mtime=0),
    "x-gzip": gzip.compress(TEXT[:50], mtime=0) + gzip.compress(TEXT[50:], mtime=0),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT, mtime=0)),
    "br, identity, gzip": gzip.compress(brotli.compress(TEXT), mtime=0),
}


@pytest.mark.parametrize(("header", "content"), [*WHOLE.items(), ("Deflate", UNFRAMED)])
def test_it_is_undone(header: str, content: bytes) -> None:
    assert decoded(content, codings_of([header]), whole=True) == TEXT
    assert decoded(b"", codings_of([header]), whole=True) == b"", "nothing has no coding"


@pytest.mark.parametrize(("header", "content"), [*WHOLE.items(), ("deflate", UNFRAMED)])
def test_what_is_cut_off_or_goes_on_is_no_body(header: str, content: bytes) -> None:
    codings = codings_of(header.split(", "))
    for length in (1, len(content) // 2, len(content) - 1):
        with pytest.raises(NotDecoded):
            decoded(content[:length], codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(content + b"OK", codings, whole=True)
    with pytest.raises(NotDecoded):
        decoded(b"OK, and " + content, codings, whole=True)


def test_what_nobody_here_can_undo_is_named() -> None:
    with pytest.raises(NotDecoded, match="'zstd', which can't be undone here; known are gzip"):
        decoded(gzip.compress(TEXT), codings_of(["zstd, gzip"]), whole=True)


@pytest.mark.parametrize("header", ["gzip", "deflate", "br"])
def test_a_small_body_that_becomes_huge_is_not_kept_whole(
    monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setattr(answer, "KEPT_BYTES", 1000)
    huge = b"x" * 10_000_000
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[header](huge)
    plain = decoded(packed, [header], whole=True)
    assert 1000 <= len(plain) < 100_000
    assert huge.startswith(decoded(packed[: len(packed) // 2], [header], whole=False))
