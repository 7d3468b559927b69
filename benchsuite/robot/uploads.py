"""Small valid files, from the samples beside this module."""

from fnmatch import fnmatch
from functools import cache
from mimetypes import guess_type
from pathlib import Path
from random import Random

from benchsuite.robot.constraints import Constraint
from benchsuite.robot.encoding import Upload
from benchsuite.robot.forms import Control

USUAL = ("txt", "png", "pdf")  #: Tried first.
ALIASES = {"jpeg": "jpg"}


@cache
def samples() -> dict[str, tuple[str, bytes]]:
    """Content type and content by extension, the usual ones first."""
    files = {path.suffix[1:]: path for path in (Path(__file__).parent / "samples").iterdir()}
    return {
        extension: (guess_type(files[extension])[0] or "", files[extension].read_bytes())
        for extension in dict.fromkeys((*USUAL, *sorted(files)))
    }


def upload(control: Control, constraint: Constraint, chance: Random) -> Upload | None:
    """A file that the control accepts, or None if there is none.

    What errors ask for weighs more than `accept` (.pdf, image/png, image/*).
    """
    accepted = control.limits.get("accept", "").lower().split(",")
    wanted = [f".{one}" for one in constraint.extensions]
    wanted = wanted or ["image/png"] * (constraint.kind == "image")
    wanted = wanted or [one.strip() for one in accepted if one.strip()] or [f".{USUAL[0]}"]
    for word in wanted:
        for extension, (content_type, content) in samples().items():
            named = ALIASES.get(word[1:], word[1:]) == extension
            if named if word.startswith(".") else fnmatch(content_type, word):
                name = f"robot-{chance.randrange(10_000)}.{extension}"
                return Upload(name, content, content_type)
    return None
