"""What may be meant by an unknown name."""

from collections.abc import Iterable
from difflib import get_close_matches

MOST = 4  #: Names of a family that are suggested together.


def meant(name: str, known: Iterable[str]) -> str:
    """The known names that start with this one, else the nearest, ignoring case; empty if none."""
    names = {one.casefold(): one for one in known}
    wanted = name.casefold()
    near = [one for one in names if one.startswith(wanted)][:MOST] if wanted else []
    near = near or get_close_matches(wanted, names, n=1)
    return " or ".join(names[one] for one in near)


def choices(name: str, known: Iterable[str]) -> str:
    """The rest of a sentence that refuses a name: "did you mean uwsgi? There are: gunicorn, …"."""
    known = list(known)
    near = meant(name, known)
    listed = f"here are: {', '.join(known)}."
    return f"did you mean {near}? T{listed}" if near else f"t{listed}"
