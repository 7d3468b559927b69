"""What a control accepts, by HTML's own rules: limits, steps, types and patterns; and numbers,
moments and texts within these.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from random import Random
from urllib.parse import urlsplit

import regex
import rstr

from benchsuite.robot.constraints import Constraint
from benchsuite.robot.forms import CHOSEN, Control
from benchsuite.robot.languages import says

DAY_S = 24 * 3600
EPOCH = datetime(1970, 1, 1)
MONDAY = date(1969, 12, 29).toordinal()  #: From which steps of weeks count.
LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})*")
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
MEASURED = frozenset(("text", "search", "url", "tel", "email", "password", "textarea"))
"""Kinds that have lengths; all but the last have patterns."""

STEPS = 10_000  #: Points looked at for one that fits all steps.
ALPHABETS = (
    "abcdefghijkmnopqrstuvwxyz23456789",
    "".join(map(chr, range(0x20, 0x7F))),
    "".join(map(chr, (*range(0xA1, 0x180), *range(0x391, 0x3CA), *range(0x1F600, 0x1F640)))),
)
"""What generated texts are made of: the first of these of which a class has any."""

CLASS = r"(?P<class>\[(?:\\.|[^\[\]\\]|(?&class))*\])"
ESCAPE = regex.compile(
    r"\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\k<(\w+)>|\\([dDwW])|(\[\^\])|\\[\s\S]"
)
SHORT = {"d": "0-9", "w": "A-Za-z0-9_"}
LOOK = regex.compile(
    rf"\(\?(<?[=!])(?P<in>(?:\\.|{CLASS}|[^()\[\\]|\((?&in)\))*)\)", regex.VERSION1
)
SET = regex.compile(rf"{CLASS}|\\[pP]\{{[^}}]*\}}|\\.|\.", regex.VERSION1)
REPEATED = re.compile(r"(?<!\\)(?:\{(\d+),\}|[*+])")
REPEATS = 12  #: The most of what may be repeated without end.
TRIES = 400


@dataclass(frozen=True, slots=True)
class Scale:
    """A kind whose values are points on a line, in units of its step."""

    parse: Callable[[str], Fraction]  #: Raises ValueError.
    write: Callable[[Fraction], str]
    form: str = ""  #: Of a day on it, in the syntax of strftime.
    step: int = 1
    base: int = 0
    spread: int = 100  #: Distance from the only known limit.


def _number(text: str) -> Fraction:
    if not re.fullmatch(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text):
        raise ValueError(text)
    return Fraction(text)


def _decimal(point: Fraction) -> str:
    places = next((places for places in range(12) if (point * 10**places).denominator == 1), 12)
    return f"{float(point):.{places}f}" if places else str(int(point))


def _month(text: str) -> Fraction:
    day = date.fromisoformat(f"{text}-01")
    return Fraction(day.year * 12 + day.month - 1)


def _week(text: str) -> Fraction:
    return Fraction(datetime.strptime(f"{text}-1", "%G-W%V-%u").toordinal() - MONDAY, 7)


def _moment(text: str) -> Fraction:
    return Fraction(str((datetime.fromisoformat(text) - EPOCH).total_seconds()))


def _written(point: Fraction) -> str:
    """A moment, with seconds only where they count."""
    moment = EPOCH + timedelta(seconds=float(point))
    return moment.strftime("%Y-%m-%dT%H:%M" + (":%S" if moment.second else ""))


SCALES = {
    "number": Scale(_number, _decimal),
    "range": Scale(_number, _decimal),
    "date": Scale(
        lambda text: Fraction(date.fromisoformat(text).toordinal()),
        lambda point: date.fromordinal(int(point)).isoformat(),
        form="%Y-%m-%d",
        base=EPOCH.toordinal(),
        spread=60,
    ),
    "month": Scale(
        _month,
        lambda point: f"{int(point) // 12:04}-{int(point) % 12 + 1:02}",
        form="%Y-%m",
        base=1970 * 12,
        spread=6,
    ),
    "week": Scale(
        _week,
        lambda point: date.fromordinal(int(point) * 7 + MONDAY).strftime("%G-W%V"),
        form="%G-W%V",
        spread=8,
    ),
    "time": Scale(
        lambda text: _moment(f"1970-01-01T{text}"),
        lambda point: _written(point % DAY_S)[11:],
        step=60,
        spread=8 * 3600,
    ),
    "datetime-local": Scale(_moment, _written, form="%Y-%m-%dT12:00", step=60, spread=60 * DAY_S),
}


@dataclass(frozen=True, slots=True)
class Line:
    """The points that a control accepts: base + k·step from low to high."""

    low: Fraction | None
    high: Fraction | None
    step: Fraction | None  #: None for any.
    base: Fraction

    def __contains__(self, point: Fraction) -> bool:
        return (
            (self.low is None or point >= self.low)
            and (self.high is None or point <= self.high)
            and (self.step is None or (point - self.base) % self.step == 0)
        )


def _line(kind: str, limits: dict[str, str]) -> Line:
    """What a control of one of these kinds accepts; of limits that can't be read, nothing."""
    scale = SCALES[kind]
    ends = {"min": "0", "max": "100"} if kind == "range" else {}
    low, high = (_parsed(scale.parse, limits.get(end, ends.get(end))) for end in ("min", "max"))
    if kind == "time" and low is not None and high is not None and low > high:
        high += DAY_S  # over midnight
    starts = (limits.get("min"), limits.get("value"), ends.get("min"))
    bases = (_parsed(scale.parse, text) for text in starts)
    base = next((point for point in bases if point is not None), Fraction(scale.base))
    step = _parsed(_number, limits.get("step"))
    usual = step if step and step > 0 else Fraction(scale.step)
    return Line(low, high, None if limits.get("step", "").lower() == "any" else usual, base)


def _parsed(parse: Callable[[str], Fraction], text: str | None) -> Fraction | None:
    try:
        return parse(text) if text else None
    except ValueError:
        return None


def invalid(control: Control, value: str) -> str:
    """Why a browser would refuse to send this value; empty if it wouldn't."""
    kind, limits = control.kind, control.limits
    if not value:
        return "it is required" if control.required else ""
    if kind in CHOSEN:
        return (
            "" if any(value == choice.value for choice in control.choices) else "it isn't offered"
        )
    if kind in SCALES:
        point, accepted = _parsed(SCALES[kind].parse, value), _line(kind, limits)
        if point is None:
            return f"it is no {kind}"
        fits = point in accepted or (kind == "time" and point + DAY_S in accepted)
        return "" if fits else "it is outside its limits and steps"
    if kind == "color":
        return "" if COLOR.fullmatch(value) else "it is no colour"
    if kind in MEASURED:
        length = len(value.encode("utf-16-le")) // 2
        least, most = lengths(control)
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


def lengths(control: Control) -> tuple[int, int | None]:
    """The least and the most characters."""
    least, most = (control.limits.get(name, "").strip() for name in ("minlength", "maxlength"))
    return int(least) if least.isdigit() else 0, int(most) if most.isdigit() else None


def point(control: Control, kind: str, asked: Constraint, chance: Random) -> str:
    """A number or moment of this kind, which is the control's own or what a text field asks for.

    Raises ValueError, which names the limits, when no value fits these.
    """
    scale, counted = SCALES[kind], kind in ("number", "range")
    accepted = _line(kind, control.limits if control.kind == kind else {})
    low, high = _ends(accepted, kind, asked, control.words.replace("-", " "))
    step, base = accepted.step, accepted.base
    if step is None:
        whole = math.ceil(low) <= high
        step, base = (Fraction(1), Fraction(0)) if whole else ((high - low) / 4 or Fraction(1), low)
    first, last = math.ceil((low - base) / step), math.floor((high - base) / step)
    if first <= last:
        begin = chance.randint(first, last)
        for turn in range(min(last - first + 1, STEPS)):
            at = base + (first + (begin - first + turn) % (last - first + 1)) * step
            if not counted or _fits(at, asked):
                text = scale.write(at)
                bare = scale.step == 60 and step % 60 and text.count(":") == 1
                return f"{text}:00" if bare else text
    if counted:
        raise ValueError(
            f"no number from {float(low):g} to {float(high):g} in steps of {float(step):g}"
        )
    ends = f"{scale.write(low)} to {scale.write(high)}"
    raise ValueError(f"no {'day' if kind == 'date' else kind} from {ends} in its steps")


def _fits(at: Fraction, asked: Constraint) -> bool:
    decimals = asked.of("decimals").whole[1]
    exact = decimals is None or (at * 10**decimals).denominator == 1
    return exact and (not asked.step or at % asked.step == 0) and at in asked.of("", "years")


def _ends(accepted: Line, kind: str, asked: Constraint, words: str) -> tuple[Fraction, Fraction]:
    """The least and the most; where one is open, the usual one, or one near the other."""
    scale, spread = SCALES[kind], Fraction(SCALES[kind].spread)
    lows, highs = [accepted.low], [accepted.high]
    usual: tuple[Fraction, Fraction | None] = Fraction(1), None
    if kind in ("number", "range"):
        limits, digits = asked.of("", "years"), asked.of("digits").whole[1]
        lows.append(limits.least)
        highs.append(limits.most)
        if digits:
            highs.append(Fraction(10 ** (digits - (asked.of("decimals").whole[1] or 0)) - 1))
        if says("calendar", words):
            usual = Fraction(1950), Fraction(2020)
        elif says("age", words):
            usual = Fraction(18), Fraction(80)
        spread = max(spread, 4 * (asked.step or spread / 4))
    elif kind == "time":
        usual = Fraction(9 * 3600), Fraction(17 * 3600)
    else:
        today = date.today().toordinal()
        earliest, latest = _days(asked, today)
        lows.append(_at(scale, earliest, -1))
        highs.append(_at(scale, latest, 1))
        past = (70 * 365, 20 * 365) if says("birth", words) else (365, 1)
        first, last = (_at(scale, today - days, 0) for days in past)
        usual = first or Fraction(0), last
    low = max((end for end in lows if end is not None), default=None)
    high = min((end for end in highs if end is not None), default=None)
    if low is None:
        low = usual[0] if high is None or high >= usual[0] else high - spread
    if high is None and usual[1] is not None and low < usual[1]:
        low, high = max(low, usual[0]), usual[1]
    elif high is None:
        high = max(low, Fraction(0)) + spread
    if kind == "time" and accepted.high is None:
        high = min(high, Fraction(DAY_S - 1))
    return (max(low, Fraction(0)) if kind == "time" else low), high


def _days(asked: Constraint, today: int) -> tuple[int | None, int | None]:
    """The numbers of the first and the last day that are asked for."""
    days, (after, before) = asked.of("date"), asked.of("days").whole
    low = None if days.least is None else math.ceil(days.least)
    high = None if days.most is None else math.floor(days.most)
    if after or before:
        low, high = low or today + after, high or (today + before if before else None)
    if years := asked.of("years").whole[0]:
        high = today - round(365.25 * years) - 1
    if low == today != high:  # where time zones differ it may be over
        low += 1
    if high == today != low:
        high -= 1
    return low, high


def _at(scale: Scale, number: int | None, beside: int) -> Fraction | None:
    """The point of a day; the next one if the day beside it is inside of the same week or month."""
    if number is None:
        return None
    points = [
        scale.parse(date.fromordinal(number + apart).strftime(scale.form)) for apart in (0, beside)
    ]
    return points[0] - beside * (points[0] == points[1])


def made(pattern: str, least: int, chance: Random) -> Iterator[str]:
    """Texts that may match: of its look-arounds only what is to be found somewhere is kept."""
    plain = _plain(pattern)
    sought = [found["in"] for found in LOOK.finditer(plain) if found[1] == "="]
    body = _generated(LOOK.sub("", plain), max(least, REPEATS))
    pieces = [_generated(re.sub(r"^\.[*+]\??", "", piece), REPEATS) for piece in sought]
    generator = rstr.Rstr(chance)
    for number in range(TRIES):
        text = str(generator.xeger(body))
        for piece in pieces if number % 2 else ():  # lay what is looked for over the rest
            over = str(generator.xeger(piece))
            place = chance.randint(0, max(0, len(text) - len(over)))
            text = text[:place] + over + text[place + len(over) :]
        if text.strip() and text.isprintable():
            yield text


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile(_plain(pattern), regex.VERSION1)
    except regex.error as error:
        raise ValueError(f"its pattern {pattern!r} can't be read: {error}") from error


def _plain(pattern: str) -> str:
    """With the escapes of `regex`: digits and words are ASCII's in JavaScript."""

    def plain(escape: regex.Match[str]) -> str:
        if escape[1] or escape[2]:
            return re.escape(chr(int(escape[1] or escape[2], 16)))
        if escape[3]:
            return f"(?P={escape[3]})"
        if escape[4]:
            return f"[{'^' * escape[4].isupper()}{SHORT[escape[4].lower()]}]"
        return r"[\s\S]" if escape[5] else escape[0]

    return ESCAPE.sub(plain, pattern)


@lru_cache(maxsize=1024)
def _generated(body: str, repeats: int) -> str:
    """For a generator that reads Python's syntax: classes written out, repetitions with an end."""

    def end(repeated: re.Match[str]) -> str:
        least = int(repeated[1] or (repeated[0] == "+"))
        return f"{{{least},{least + repeats}}}"

    return REPEATED.sub(end, SET.sub(_members, body).replace("(?<", "(?P<"))


def _members(found: regex.Match[str]) -> str:
    """A class, written out in the plainest alphabet that it has any of."""
    if re.fullmatch(r"\\[^pPsS]", found[0]):
        return found[0]
    wanted = regex.compile(found[0], regex.VERSION1)
    for alphabet in ALPHABETS:
        if members := "".join(re.escape(sign) for sign in alphabet if wanted.fullmatch(sign)):
            return f"[{members}]"
    raise ValueError(f"nothing was found for its class {found[0]!r}")
