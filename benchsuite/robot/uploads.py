"""Small valid files."""

import struct
import zlib
from random import Random

from benchsuite.robot.constraints import Constraint
from benchsuite.robot.encoding import Upload
from benchsuite.robot.forms import Control

TYPES = {
    "txt": "text/plain",
    "csv": "text/csv",
    "pdf": "application/pdf",
    "png": "image/png",
    "json": "application/json",
}
BY_TYPE = {content_type: extension for extension, content_type in TYPES.items()}


def upload(control: Control, constraint: Constraint, chance: Random) -> Upload | None:
    """A file that the control accepts, or None if none can be created."""
    wanted = [word.strip().lower() for word in control.limits.get("accept", "").split(",")]
    wanted = [word for word in wanted if word]
    allowed = list(constraint.extensions) or (["png"] if constraint.kind == "image" else [])
    if allowed:
        extension = next((one for one in allowed if one in TYPES), None)
    elif wanted:
        extension = next((one for one in map(_extension, wanted) if one), None)
    else:
        extension = "txt"
    if extension is None:
        return None
    number = chance.randrange(10_000)
    return Upload(f"robot-{number}.{extension}", _content(extension, number), TYPES[extension])


def _extension(word: str) -> str:
    """The extension for an entry of `accept` (.pdf, image/png, image/*, */*); empty for none."""
    if word.startswith("."):
        return word[1:] if word[1:] in TYPES else ""
    if word.endswith("/*"):
        kind = word.removesuffix("*")
        return next(
            (one for type_, one in BY_TYPE.items() if kind in ("*/", type_[: len(kind)])), ""
        )
    return BY_TYPE.get(word, "")


def _content(extension: str, number: int) -> bytes:
    if extension == "png":
        return _png(number)
    if extension == "pdf":
        return _pdf(number)
    if extension == "json":
        return f'{{"robot": {number}}}\n'.encode()
    return f"robot,{number}\n".encode()


def _png(number: int) -> bytes:
    """One pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixel = zlib.compress(bytes([0, number % 256]))
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", pixel) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def _pdf(number: int) -> bytes:
    """One empty page."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
    )
    content = b"%%PDF-1.4\n%% %d\n" % number
    places = []
    for index, one in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (index, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(content)
    content += b"xref\n0 4\n0000000000 65535 f \n" + table
    return content + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start
