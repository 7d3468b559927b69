"""Text as it may be shown: without passwords, and without what controls terminals or breaks XML.

In a URL the password is omitted, so that the URL can still be used with one from elsewhere
(`completed`); anywhere else it becomes `***`.
"""

import dataclasses
import hashlib
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

SHOWN = "***"  #: Replaces passwords outside of URLs.
ROUNDS = 100_000
_MASKED = re.compile(r"\*{3}[0-9a-f]{8}")
_NAME = r"[\w-]*(?:passw(?:or)?d|passphrase|pwd|requirepass|secret(?:[_-]?key)?)\d*"
_HEADER = r"(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-auth-token"
_PORT = r"\d{1,5}(?:[/?#,\s]|$)"
_SECRET = re.compile(_NAME, re.IGNORECASE)
_SECRET_OPTION = re.compile(rf"--?{_NAME}", re.IGNORECASE)
# Lengths are bounded where every character of a long log could start a match.
_URL = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]{0,30}:/{1,2})(?P<rest>[^\s'\"<>]+)")
_ONE_URL = re.compile(r"(?P<scheme>[A-Za-z][\w+.-]*://)(?P<rest>[^\s:/@?#]*:[^\n]*@[^\s@]*)")
"""In a text that is only a URL, the password may contain blanks and quotes."""
_USER = re.compile(rf"(?P<user>[^:/@?#]*):(?!{_PORT})(?P<password>.*)@(?P<place>.*)", re.DOTALL)
_WITHOUT_SCHEME = re.compile(
    rf"(?P<before>^|[\s='\"(:])(?P<user>[\w.%+-]+):(?!{_PORT})[^\s'\"/@]{{1,1000}}+@(?=[\w\[])"
)
"""A URL written wrongly."""
_VALUE = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s&'\"]+)"
_HIDDEN_BEFORE = r"(?!['\"]?\*{3}(?:[0-9a-f]{8})?['\"]?(?:[\s,&]|$))"
_PAIR = re.compile(
    rf"(?<![\w-])(?P<name>{_NAME})(?P<is>\s*=\s*){_HIDDEN_BEFORE}{_VALUE}", re.IGNORECASE
)
_ENTRY = re.compile(
    rf"(?P<key>(?P<mark>['\"])(?:{_NAME}|{_HEADER})(?P=mark)\s*:\s*)"
    r"(?:b?'(?:[^'\\]|\\.)+'|b?\"(?:[^\"\\]|\\.)+\")",
    re.IGNORECASE,
)
_FIELD = re.compile(
    rf"(?<![\w-])(?P<name>{_HEADER})(?P<is>:\s*)(?!\*{{3}}[0-9a-f]{{8}}(?:,| ·|$))"
    r"[^\s'\"][^\n'\"]*",
    re.IGNORECASE,
)


def hidden(text: str) -> str:
    """The text without passwords that are known by their place: in URLs (`//user:password@…`,
    `?password=…`), pairs (`password=…`, `'PASSWORD': '…'`) and headers (`Cookie: …`).
    """
    if not any(sign in text for sign in ":="):
        return text
    if whole := _ONE_URL.fullmatch(text):
        text = _without_password(whole)
    text = _URL.sub(_without_password, text)
    text = _WITHOUT_SCHEME.sub(rf"\g<before>\g<user>:{SHOWN}@", text)
    text = _ENTRY.sub(rf"\g<key>'{SHOWN}'", text)
    text = _FIELD.sub(rf"\g<name>\g<is>{SHOWN}", text)
    return _PAIR.sub(rf"\g<name>\g<is>{SHOWN}", text)


def hidden_in(value: Any) -> Any:
    """A value with passwords hidden in its texts, and by names of its keys and options."""
    if isinstance(value, str):
        return hidden(value)
    if isinstance(value, Mapping):
        return {name: _named(name, one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        words = (one if isinstance(one, str) else "" for one in value)
        after = [False, *(_SECRET_OPTION.fullmatch(word) is not None for word in words)]
        shown = [
            SHOWN if secret and isinstance(one, str) else hidden_in(one)
            for one, secret in zip(value, after, strict=False)
        ]
        return type(value)(shown)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: hidden_in(one) for name, one in fields.items()})
    return value


def is_hidden(value: Any) -> bool:
    """Whether a part of it was hidden, so that it is unusable."""
    return SHOWN in str(value)


@cache
def masked(value: str) -> str:
    """Replaces a secret: equal for equal ones, and slow to guess."""
    if _MASKED.fullmatch(value):
        return value
    digest = hashlib.pbkdf2_hmac(
        "sha256", value.encode(errors="surrogatepass"), b"benchsuite", ROUNDS
    )
    return f"{SHOWN}{digest.hex()[:8]}"


def completed(url: str, known: str) -> str:
    """The known URL if it differs only by its password, else the URL itself."""
    return known if known and hidden(known) == url else url


def _named(name: Any, value: Any) -> Any:
    if isinstance(name, str) and isinstance(value, str) and value and _SECRET.fullmatch(name):
        return value if _MASKED.fullmatch(value) else SHOWN
    return hidden_in(value)


def _without_password(url: re.Match[str]) -> str:
    rest = url["rest"]
    if match := _USER.fullmatch(rest):
        rest = f"{match['user']}{'@' * bool(match['user'])}{match['place']}"
    before, mark, query = rest.partition("?")
    if mark:
        query, fragment, anchor = query.partition("#")
        pairs = [pair.partition("=") for pair in query.split("&")]
        kept = ["".join(one) for one in pairs if not one[1] or not _is_secret(one[0])]
        rest = before + "?" * bool(kept) + "&".join(kept) + fragment + anchor
    return url["scheme"] + rest


def _is_secret(name: str) -> bool:
    return _SECRET.fullmatch(unquote_plus(name)) is not None


BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order in which text is displayed."""
LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
UNSAFE = ("Cc", "Cs", "Zl", "Zp")  #: Unicode's controls, surrogates and separators.


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
        one.encode("unicode_escape").decode() if one not in "\n\t" and is_control(one) else one
        for one in LINE_ENDS.sub("\n", text)
    )
