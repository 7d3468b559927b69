"""Fills the placeholders of a configuration: `@{name}`, because nginx itself uses `$`."""

import string
from collections.abc import Mapping
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.core.suggestions import choices

FOLDER = Path(__file__).parent / "conf"


class _Template(string.Template):
    """Knows placeholders in braces only: a bare `@name` is a named location of nginx."""

    delimiter = "@"
    idpattern = r"(?!)"
    braceidpattern = r"[a-z_]+"


def filled(name: str, values: Mapping[str, object], *, own: Path | None = None) -> str:
    """Our template of that name, or the file `own` instead, with the values filled in.

    Raises UsageError for an unknown placeholder.
    """
    path = own or FOLDER / name
    try:
        template = _Template(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The template {path} can't be read: {error}.") from error
    unknown = sorted(set(template.get_identifiers()) - set(values))
    if unknown:
        raise UsageError(
            f"The template {path} has the unknown placeholder {unknown[0]!r}; "
            f"{choices(unknown[0], sorted(values))}"
        )
    return template.safe_substitute(values)
