"""Journeys of the project itself: its pages, by their paths, and its locustfile, if it has one.

What answers of a page look like is learned in rehearsals, then required of every answer: by signs
that stay while everything else on a page changes. Those that differed meanwhile are not required.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any, ClassVar

from benchsuite.core.exceptions import AnswerError, StatusError, UsageError
from benchsuite.core.specs import LoadProfile, Option
from benchsuite.core.units import listed
from benchsuite.core.wording import check_written, led_to
from benchsuite.workloads.base import Client, Workload, expect_status

REHEARSALS = 30  #: How often pages are asked before the load, to learn what answers share.
MISSED = "Another user's page or a stale one may have counted as right."
REFUSALS = 400  #: From this status on an answer is a failure, unless the client is told otherwise.

TYPE, REDIRECT, TITLED, JSON, LENGTH = "content type", "redirect", "title", "JSON", "length"
PASSWORD, WAY_OUT, VISITOR = "password field", "way to log out", "name of who is logged in"
ENTRY = "log-in or log-out page"
PRESENT, ABSENT = "present", "absent"

TITLE = re.compile(rb"<title[^>]{0,200}>(.{0,500}?)</title", re.IGNORECASE | re.DOTALL)
PASSWORDS = (b'type="password"', b"type='password'", b"type=password")
HEADING = re.compile(rb"<h1[^>]{0,200}>(.{0,500}?)</h1", re.IGNORECASE | re.DOTALL)
ENTRY_WORDS = re.compile(
    rb"\b(?:log(?:ged)?|sign(?:ed)?)[- ]?(?:in|out|on|off)\b|\bsession (?:has )?expired"
    rb"|\b(?:anmeld|abgemeldet|connexion|iniciar sesi|sesi.{1,2}n cerrada|accedi\b)",
    re.IGNORECASE,
)
LOG_OUT = re.compile(
    rb"(?:href|action)\s*=\s*[\"']?[^\"'>\s]{0,500}?"
    rb"(?<![a-z])(?:log[-_]?(?:out|off)|sign[-_]?(?:out|off))(?![a-z])",
    re.IGNORECASE,
)
LOG_OUT_WORDS = (b"logout", b"log-out", b"log_out", b"logoff", b"signout", b"sign-out", b"sign_out")
"""One of them occurs wherever `LOG_OUT` does, and is found much faster."""
BEGIN = re.compile(rb"\s*(?:\{\s*(?:\"[^\"]{0,100}\")?|\[|\S)")
"""The bracket and first key of a JSON object, else the first character."""
DIGITS = re.compile(r"\d+")

TELLING_BYTES = 256  #: The length of shorter answers only shows whether they are empty.
RULE = 2 / 3  #: A value with this share is the rule, all others are exceptions.
STRETCH = 2  #: If lengths in rehearsals differ by more, any length is right.
LONGEST = 4  #: Times the longest rehearsed answer.

MOST_TITLES = 2  #: A page's own, and that of a page shown instead.
NARROW_BYTES = 64  #: No other page with the same title and way out is this close in length.

NONE = (sys.maxsize, -1)
ANY = (0.0, float("inf"))


class Shape:
    """One page: it sees answers, is settled, then detects which answers differ."""

    def __init__(self, visitor: str = "") -> None:
        """`visitor` is the name of the user who is logged in, if any."""
        self._visitor = visitor.encode()
        self._signs: list[dict[str, str]] = []
        self._lengths: list[int] = []
        self._wanted: dict[str, str] = {}
        self._band = ANY
        self._known: bytes | None = None  #: The last right answer, if nothing but the body counts.
        self._known_type: str | None = None
        self._known_marks: tuple[bytes, ...] = ()
        self._known_lengths = NONE
        """Fast check: an answer of this type and length that contains these bytes is right; if the
        lengths vary widely, it must also lack a password field. No length matches if only the full
        check can tell."""

    def see(self, response: Any) -> None:
        """Takes in an answer of a rehearsal."""
        self._signs.append(self._signs_of(response))
        self._lengths.append(len(response.content))

    def settle(self) -> None:
        """Ends the rehearsals."""
        self._wanted = {
            name: value
            for name, value in self._signs[0].items()
            if all(_same(signs.get(name), value) for signs in self._signs)
        }
        # An occasional log-in page is wrong, even if it was rehearsed. But with many titles they
        # are those of articles, one of which may be about logging in.
        entries = [signs.get(ENTRY, "") for signs in self._signs]
        titles = {DIGITS.sub("0", signs.get(TITLED, "")) for signs in self._signs}
        if len(titles) > MOST_TITLES:
            self._wanted.pop(ENTRY, None)
        elif "" not in entries and entries.count(ABSENT) > len(entries) / 2:
            self._wanted[ENTRY] = ABSENT
        self._band = _band(self._lengths)

    @property
    def checked(self) -> list[str]:
        """What is required of every answer, in words."""
        signs = [f"{name} {value}" for name, value in self._wanted.items()]
        return signs if self._band == ANY else [*signs, f"{LENGTH} {self._bytes_seen}"]

    @property
    def varied(self) -> list[str]:
        """What is not, because it differed between rehearsals."""
        varied = []
        for name in dict.fromkeys(name for signs in self._signs for name in signs):
            counts = Counter(signs.get(name, "") for signs in self._signs)
            (value, times), *_ = counts.most_common(1)
            if name not in self._wanted and len(counts) > 1:
                rule = f" ({value} in {times} of {self.rehearsed})"  # as it hardly did
                varied.append(name + rule * bool(times >= self.rehearsed * RULE and value))
        return [*varied, LENGTH] if self._band == ANY else varied

    @property
    def rehearsed(self) -> int:
        """Number of rehearsed answers."""
        return len(self._lengths)

    @property
    def asks_for_password(self) -> bool:
        """Whether the rehearsed answers look like a log-in page."""
        return self._wanted.get(PASSWORD) == PRESENT

    def differs(self, response: Any) -> str:
        """How an answer differs, in words; empty if it does not."""
        content = response.content
        least, most = self._known_lengths
        if _media_type(response) == self._known_type:
            if content == self._known:
                return ""
            if (
                least <= len(content) <= most
                and not (most - least > NARROW_BYTES and PASSWORDS[0] in content)
                and all(mark in content for mark in self._known_marks)
            ):
                self._known = content
                return ""
        signs, length = self._signs_of(response), len(response.content)
        wrong = [
            f"{name} {signs.get(name, 'unknown')} (was {value})"
            for name, value in self._wanted.items()
            if not _same(signs.get(name), value)
        ]
        if wrong and TYPE in self._wanted and signs[TYPE] != self._wanted[TYPE]:
            return wrong[0]  # the other signs belong to another type
        if not self._band[0] <= length <= self._band[1]:
            wrong.append(f"{LENGTH} {length} bytes (was {self._bytes_seen})")
        if not wrong:
            self._get_to_know(response, signs, length)
        return ", ".join(wrong)

    def _get_to_know(self, response: Any, signs: Mapping[str, str], length: int) -> None:
        """Remembers it, so that the next one like it needs no full check."""
        if REDIRECT in signs:
            return
        looks = ((TITLED, TITLE.search), (WAY_OUT, LOG_OUT.search), (JSON, BEGIN.match))
        there = [look for name, look in looks if self._wanted.get(name, ABSENT) != ABSENT]
        seen = [look(response.content) for look in there]
        marks = [one[0] for one in seen if one is not None]
        if self._wanted.get(VISITOR) == PRESENT:
            marks.append(self._visitor)
        known = _media_type(response), (*marks,)
        if known != (self._known_type, self._known_marks):
            self._known_lengths = NONE
        self._known = response.content
        self._known_type, self._known_marks = known
        if TITLED not in signs or (marks and TITLED in self._wanted):
            least, most = self._known_lengths
            self._known_lengths = min(least, length), max(most, length)

    @property
    def _bytes_seen(self) -> str:
        least, most = min(self._lengths), max(self._lengths)
        return f"{least} bytes" if least == most else f"{least} to {most} bytes"

    def _signs_of(self, response: Any) -> dict[str, str]:
        """Name of a sign → its value in words."""
        content, media_type = response.content, _media_type(response)
        signs = {TYPE: media_type or "none"}
        if 300 <= response.status_code < 400:
            signs[REDIRECT] = "to " + led_to(response.headers.get("Location", "")).path
        elif "html" in media_type:
            title = TITLE.search(content)
            words = " ".join(unescape(title[1].decode(errors="replace")).split()) if title else ""
            signs[TITLED] = repr(words) if title else "none"
            heading = HEADING.search(content)
            text = b" ".join(one[1] for one in (title, heading) if one is not None)
            out = any(word in content for word in LOG_OUT_WORDS) and LOG_OUT.search(content)
            signs[ENTRY] = _present(ENTRY_WORDS.search(text))
            signs[PASSWORD] = _present(any(word in content for word in PASSWORDS))
            signs[WAY_OUT] = _present(out)
        elif media_type.endswith(("/json", "+json")) and (begin := BEGIN.match(content)):
            signs[JSON] = f"that begins {begin[0].decode(errors='replace').strip()}"
        if self._visitor:
            signs[VISITOR] = _present(self._visitor in content)
        return signs


def _media_type(response: Any) -> str:
    """The media type without parameters; our own client caches it by response head."""
    known = getattr(response, "media_type", None)
    if known is None:
        known = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return str(known)


def _same(first: str | None, other: str) -> bool:
    """Equal apart from numbers, which may be counts or times."""
    return first is not None and DIGITS.sub("0", first) == DIGITS.sub("0", other)


def _band(lengths: Sequence[int]) -> tuple[float, float]:
    """The range of right lengths, from those seen."""
    least, most = min(lengths), max(lengths)
    if most > STRETCH * least + TELLING_BYTES:
        return ANY
    grew = least < most and sorted(lengths) == list(lengths)
    shrank = least < most and sorted(lengths, reverse=True) == list(lengths)
    low = 0 if not least or shrank else least / STRETCH if least > TELLING_BYTES else 1
    return low, float("inf") if grew else LONGEST * (most + TELLING_BYTES)


def _present(sign: object) -> str:
    return PRESENT if sign else ABSENT


class Url(Workload):
    name = "url"
    summary = "GET pages of your own project (--path=/shop/,/shop/cart/), one after the other"
    options = {"path": "", "expect": "", "status": "", "shape": True}

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        self._paths = [path.strip() for path in self.settings["path"].split(",")]
        for path in self._paths:
            if not path:
                raise UsageError(
                    "The workload url needs a page to get: --path=/shop/ (several: /shop/,/cart/)."
                )
            check_written(path)
        self._expected: dict[str, list[bytes]] = {path: [] for path in self._paths}
        for paths, text in self._required("expect"):
            for path in paths:
                self._expected[path].append(text.encode(errors="surrogateescape"))
        self._statuses = dict.fromkeys(self._paths, 200)
        for paths, text in self._required("status"):
            if not re.fullmatch(r"[2-5]\d\d", text):
                raise UsageError(
                    f"--status={text} is not a valid status; write --status=404 or, for one of "
                    "several pages, --status=/old/=301."
                )
            self._statuses.update(dict.fromkeys(paths, int(text)))
        self.ready_path = self._paths[0]
        self._shapes: dict[str, Shape] = {}
        self._learning = self.settings["shape"]
        self.rehearsals = REHEARSALS if self._learning else 1
        self.unchecked = self._unchecked()

    def journey(self, client: Any) -> None:
        for path in self._paths:
            wanted = self._statuses[path]
            response = client.get(path, **({"status": wanted} if wanted >= REFUSALS else {}))
            try:
                expect_status(response, wanted)
            except StatusError as error:
                raise StatusError(f"{path}: {error}") from error
            for text in self._expected[path]:
                if text not in response.content:
                    shown = text.decode(errors="surrogateescape")
                    raise AnswerError(f"{path}: expected {shown!r} in the body, and it is missing")
            if self._learning and hasattr(response, "content"):
                self._shapes.setdefault(path, Shape(self.visitor)).see(response)
            elif (shape := self._shapes.get(path)) and (words := shape.differs(response)):
                raise AnswerError(
                    f"{path}: the answer differs from the {shape.rehearsed} rehearsed ones: {words}"
                )

    def rehearsed(self) -> None:
        """From now on answers must look like the rehearsed ones."""
        self._learning = False
        for shape in self._shapes.values():
            shape.settle()
        self.unchecked = self._unchecked()

    def _unchecked(self) -> str:
        sentences = [self._described(path, shape) for path, shape in self._shapes.items()]
        if sentences:
            return " ".join(
                [*sentences, "Nothing else of what these pages say was checked.", MISSED]
            )
        plain = [path for path, texts in self._expected.items() if not texts]
        asked = [path for path, texts in self._expected.items() if texts]
        for what, paths in (("status", plain), ("status and the text", asked)):
            if paths:
                sentences.append(f"Of {listed(paths)}, nothing but the {what} was checked.")
        return " ".join([*sentences, MISSED])

    def _described(self, path: str, shape: Shape) -> str:
        checked = ", ".join([*["the expected text"] * bool(self._expected[path]), *shape.checked])
        sentence = f"{path} was compared with {shape.rehearsed} rehearsed answers: {checked}"
        if shape.varied:
            sentence += f"; not its {listed(shape.varied)}, which varied"
        if shape.asks_for_password:
            sentence += " (it has a field for a password: is it the page that was meant?)"
        return f"{sentence}."

    def _required(self, option: str) -> list[tuple[Sequence[str], str]]:
        """What this option requires of pages: TEXT of all, /path/=TEXT of one, a line each."""
        pairs: list[tuple[Sequence[str], str]] = []
        for line in filter(None, self.settings[option].split("\n")):
            paths = [path for path in self._paths if line.startswith(f"{path}=")]
            path = max(paths, key=len, default="")
            if not path and line.startswith("/") and "=" in line:
                raise UsageError(
                    f"--{option}={line} is for a page that is not among --path="
                    f"{','.join(self._paths)}; write the path as given there."
                )
            pairs.append(([path], line[len(path) + 1 :]) if path else (self._paths, line))
        return pairs


class Locustfile(Workload):
    """The user classes of the locustfile at `path` run unchanged, measured by our clock."""

    name = "locustfile"
    summary = "the user classes of an existing locustfile (--locustfile FILE)"
    options: ClassVar[dict[str, Option]] = {"path": ""}
    keep_cookies = True
    endless = True
    unchecked = (
        "Of the answers, the status was checked and what the locustfile itself asks of them, "
        "nothing else. Locust follows redirects: a log-in page, another user's page or a stale one "
        "may have counted as right."
    )

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        path = Path(self.settings["path"])
        if not os.path.isfile(path):  # Path's own raises where a name is too long
            raise UsageError(
                f"There is no locustfile {str(path)!r}; give --locustfile an existing file."
            )
        self.locustfile = str(path.resolve())

    def fit(self, load: LoadProfile) -> LoadProfile:
        """Refuses fresh visitors: Locust's users log in once, in on_start."""
        if not load.keep_cookies:
            raise UsageError(
                "Users of a locustfile keep their cookies, as in Locust; remove --no-keep-cookies, "
                "or clear self.client.cookies in the task."
            )
        return load

    def journey(self, client: Client) -> None:
        raise UsageError("A locustfile runs only under load; it has no journey to run by itself.")
