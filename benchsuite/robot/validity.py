"""What a control accepts by HTML's own rules, and numbers, moments and texts within these."""

import math
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from random import Random
from urllib.parse import urlsplit

import regex

from benchsuite.robot.constraints import NOTHING, Constraint, Range
from benchsuite.robot.forms import MEASURED, Control

DAY_S = 24 * 3600
EPOCH = datetime(1970, 1, 1)
LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})*")
NUMBER = re.compile(r"-?(?:\d{1,99}(?:\.\d{0,99})?|\.\d{1,99})(?:[eE][-+]?\d{1,2})?")
NUMBERS = ("number", "range")


@dataclass(frozen=True, slots=True)
class Scale:
    """How HTML counts the values of a kind."""

    form: str = ""  #: In the syntax of strftime.
    unit: int = 1  #: Of the step, in points of the line: seconds, months or numbers.
    step: int = 1  #: If none is given, in units.
    base: int = 0
    spread: int = 100  #: Distance from the only known limit.


SCALES = {
    "number": Scale(),
    "range": Scale(),
    "date": Scale("%Y-%m-%d", unit=DAY_S, spread=60 * DAY_S),
    "month": Scale("%Y-%m", base=1970 * 12, spread=6),
    "week": Scale("%G-W%V", unit=7 * DAY_S, base=-3 * DAY_S, spread=56 * DAY_S),
    "time": Scale("%H:%M", step=60, spread=8 * 3600),
    "datetime-local": Scale("%Y-%m-%dT%H:%M", step=60, spread=60 * DAY_S),
}
WHOLE = {"date": "{}T00:00", "time": "1970-01-01T{}", "month": "{}-01", "week": "{}-1"}  #: Moments.
STEPS = 10_000  #: Points looked at for one that fits all steps.
ALPHABETS = (
    *(string.ascii_lowercase, string.digits[2:], string.ascii_uppercase, string.punctuation + " "),
    "".join(map(chr, (*range(0xA1, 0x180), *range(0x391, 0x3CA), *range(0x1F600, 0x1F640)))),
)  #: What generated texts are made of.
ESCAPE = regex.compile(r"\\u(?:\{(\w+)\}|(\w{4}))|\\k<(\w+)>|\\([dDwW])|(\[\^\])|\\[\s\S]")
SHORT = {"d": "0-9", "w": "A-Za-z0-9_"}
RUN = re.compile(r"(?:[^\W_]|[@:/-]|\\\W)+")  #: What a pattern says literally, mostly.
TRIES = 100
MORE = 40  #: Signs beyond the least that a text may have.
LONGEST = 100_000  #: Signs of an answer; what seems to ask for more was misread.


def _parsed(kind: str, text: str | None) -> Fraction | None:
    """A point on the line of the kind, in months, seconds or numbers; None if it is none."""
    if not text or kind in NUMBERS:
        return Fraction(text) if text and NUMBER.fullmatch(text) else None
    try:
        moment = datetime.fromisoformat(WHOLE.get(kind, "{}").format(text))
        seconds = Fraction(str((moment - EPOCH).total_seconds()))
    except (ValueError, TypeError):  # such as a moment with a time zone
        return None
    return _of_day(kind, moment.toordinal()) if kind == "month" else seconds


def _of_day(kind: str, number: int) -> Fraction:
    day = date.fromordinal(number)
    months = Fraction(day.year * 12 + day.month - 1) + Fraction(day.day - 1, 31)
    return months if kind == "month" else Fraction((number - EPOCH.toordinal()) * DAY_S)


def _written(kind: str, at: Fraction, *, seconds: bool = False) -> str:
    if kind in NUMBERS:
        places = next((places for places in range(12) if (at * 10**places).denominator == 1), 12)
        return f"{float(at):.{places}f}" if places else str(int(at))
    if kind == "month":
        return f"{int(at) // 12:04}-{int(at) % 12 + 1:02}"
    moment = EPOCH + timedelta(seconds=float(at % DAY_S if kind == "time" else at))
    clock = ":%S" if "%M" in SCALES[kind].form and (moment.second or seconds) else ""
    return moment.strftime(SCALES[kind].form + clock)


def _line(kind: str, limits: dict[str, str]) -> tuple[Range, Fraction | None, Fraction]:
    """Ends, step (None: any) and base of what a control accepts; unreadable limits are none."""
    scale = SCALES[kind]
    limits = ({"min": "0", "max": "100"} if kind == "range" else {}) | limits
    low, high, value = (_parsed(kind, limits.get(end)) for end in ("min", "max", "value"))
    if kind == "time" and low is not None and high is not None and low > high:
        high += DAY_S  # over midnight
    base = next((at for at in (low, value) if at is not None), Fraction(scale.base))
    step = _parsed("number", limits.get("step"))
    step = (step if step and step > 0 else Fraction(scale.step)) * scale.unit
    is_any = limits.get("step", "").lower() == "any"
    return Range(least=low, most=high), None if is_any else step, base


def invalid(control: Control, value: str) -> str:
    """Why a browser would refuse to send this value; empty if it wouldn't."""
    kind, limits = control.kind, control.limits
    if not value:
        return "it is required" if control.required else ""
    if kind in SCALES:
        at, (ends, step, base) = _parsed(kind, value), _line(kind, limits)
        if at is None:
            return f"it is no {kind}"
        ways = (at, at + DAY_S) if kind == "time" else (at,)
        fits = any(way in ends and (step is None or (way - base) % step == 0) for way in ways)
        return "" if fits else "it is outside its limits and steps"
    if kind == "color":
        return "" if re.fullmatch(r"#[0-9a-fA-F]{6}", value) else "it is no colour"
    if kind in MEASURED:
        length = len(value.encode("utf-16-le")) // 2
        least, most = lengths(control, NOTHING)
        if most is not None and least > most:
            return f"it must have at least {least} and at most {most} characters"
        if not least <= length <= (length if most is None else most):
            return f"{length} characters are not from {least} to {most}"
    pattern = limits.get("pattern") if kind != "textarea" else None
    many = "multiple" in limits and kind == "email"
    for part in re.split(r"\s*,\s*", value) if many else [value]:
        if kind == "email" and not EMAIL.fullmatch(part):
            return "it is no e-mail address"
        if kind == "url" and not all(urlsplit(part)[:2]):
            return "it is no address"
        if pattern and not _compiled(pattern).fullmatch(part):
            return f"its pattern {pattern!r} is not matched"
    return ""


def lengths(control: Control, asked: Constraint) -> tuple[int, int | None]:
    """The least and the most characters, by its limits and by what else is asked for."""
    least, most = (control.limits.get(name, "").strip() for name in ("minlength", "maxlength"))
    low, high = asked.of("", "characters", *["digits"] * (asked.kind == "digits")).whole
    ends = [int(most)] if most.isdecimal() else []
    ends += [high] if high is not None else []
    return max(int(least) if least.isdecimal() else 0, low), min(ends, default=None)


def point(control: Control, kind: str, asked: Constraint, chance: Random) -> str:
    """A number or moment of this kind; ValueError, which names the limits, if none fits these."""
    if max(asked.of(unit).whole[1] or 0 for unit in ("digits", "decimals")) > LONGEST:
        raise ValueError("no number has so many digits")
    accepted, step, base = _line(kind, control.limits if control.kind == kind else {})
    low, high = _ends(accepted, kind, asked)
    if step is None:
        whole = math.ceil(low) <= high
        step, base = (Fraction(1), Fraction(0)) if whole else ((high - low) / 4 or Fraction(1), low)
    first, last = math.ceil((low - base) / step), math.floor((high - base) / step)
    begin, decimals = chance.randint(first, max(first, last)), asked.of("decimals").whole[1]
    for turn in range(min(last - first + 1, STEPS)):
        at = base + (first + (begin - first + turn) % (last - first + 1)) * step
        exact = decimals is None or (at * 10**decimals).denominator == 1
        if kind not in NUMBERS or (exact and (not asked.step or at % asked.step == 0)):
            return _written(kind, at, seconds=step % 60 != 0)
    name = {"range": "number", "date": "day"}.get(kind, kind)
    steps = f"steps of {float(step):g}" if kind in NUMBERS else "its steps"
    raise ValueError(f"no {name} from {_written(kind, low)} to {_written(kind, high)} in {steps}")


def _ends(accepted: Range, kind: str, asked: Constraint) -> tuple[Fraction, Fraction]:
    """The least and the most; where one is open, the usual one, or one near the other."""
    spread = Fraction(SCALES[kind].spread)
    limits = [accepted]
    usual: tuple[Fraction, Fraction | None] = Fraction(1), None
    if kind in NUMBERS:
        limits.append(asked.of("", "years"))
        if digits := asked.of("digits").whole[1]:
            most = 10 ** (digits - (asked.of("decimals").whole[1] or 0)) - 1
            limits.append(Range(most=Fraction(most)))
        spread = max(spread, 4 * asked.step) if asked.step else spread
    elif kind == "time":
        usual = Fraction(9 * 3600), Fraction(17 * 3600)
    else:
        today = date.today().toordinal()
        earliest, latest = asked.of("date").whole  # 0 and None where it is open
        after, before = asked.of("days").whole
        if after or before:
            earliest = earliest or today + after
            latest = latest or (today + before if before else None)
        if years := asked.of("years").whole[0]:
            latest = today - round(365.25 * years) - 1
        if earliest == today != latest:  # where time zones differ it may be over
            earliest += 1
        if latest == today != earliest:
            latest -= 1
        first = _of_day(kind, earliest) if earliest else None
        limits.append(Range(least=first, most=None if latest is None else _of_day(kind, latest)))
        usual = _of_day(kind, today - 365), _of_day(kind, today - 1)
    low = max((one.least for one in limits if one.least is not None), default=None)
    high = min((one.most for one in limits if one.most is not None), default=None)
    if low is None:
        low = usual[0] if high is None or high >= usual[0] else high - spread
    if high is None and usual[1] is not None and low < usual[1]:
        low, high = max(low, usual[0]), usual[1]
    elif high is None:
        high = max(low, Fraction(0)) + spread
    if kind == "time":
        low, high = max(low, Fraction(0)), high if accepted.most else min(high, Fraction(DAY_S - 1))
    return low, high


def made(pattern: str, least: int, chance: Random) -> Iterator[str]:
    """Texts that match, each grown as long as it can still become a match."""
    compiled = _compiled(pattern)
    runs = [re.sub(r"\\(\W)", r"\1", run) for run in RUN.findall(pattern)]
    alphabets = list(ALPHABETS)
    for _ in range(TRIES):
        text = spare = ""
        while len(text) < least + MORE:
            if text and compiled.fullmatch(text):
                spare = text
                if len(text) >= least and chance.random() < 0.3:
                    break
            if chance.random() < 0.3:
                chance.shuffle(alphabets)
            for signs in (runs if chance.random() < 0.3 else "", *alphabets):
                first = chance.randrange(len(signs) or 1)
                turned = (*signs[first:], *signs[:first])
                fits = (one for one in turned if compiled.fullmatch(text + one, partial=True))
                if sign := next(fits, ""):
                    text += sign
                    break
            else:
                break
        if spare.strip():
            yield spare


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    """A pattern of JavaScript: its digits and words are ASCII's. ValueError if it can't be read."""

    def plain(escape: regex.Match[str]) -> str:
        if escape[1] or escape[2]:
            return re.escape(chr(int(escape[1] or escape[2], 16)))
        if escape[3]:
            return f"(?P={escape[3]})"
        if escape[4]:
            return f"[{'^' * escape[4].isupper()}{SHORT[escape[4].lower()]}]"
        return r"[\s\S]" if escape[5] else escape[0]

    try:
        return regex.compile(ESCAPE.sub(plain, pattern), regex.VERSION1)
    except regex.error as error:
        raise ValueError(f"its pattern {pattern!r} can't be read: {error}") from error
