"""Text from elsewhere (labels, logs, names) without what controls terminals or breaks XML."""

import re
import unicodedata

BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order in which text is displayed."""

KEPT = frozenset("\n\t")

LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")

UNSAFE = ("Cc", "Cs", "Zl", "Zp")
"""Unicode categories: controls, surrogates, line and paragraph separators."""


def is_control(character: str) -> bool:
    """Whether it is a control character: ESC, NUL, a newline, a change of direction."""
    if character in BIDI or character in "\ufffe\uffff":
        return True
    return not character.isprintable() and unicodedata.category(character) in UNSAFE


def printable(text: str) -> str:
    """The text with control characters escaped as in Python; newlines and tabs stay."""
    if text.isprintable() and text.isascii():
        return text
    return "".join(
        _escaped(one) if one not in KEPT and is_control(one) else one
        for one in LINE_ENDS.sub("\n", text)
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
