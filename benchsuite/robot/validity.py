"""HTML's own rules of what a control accepts: limits, steps, types and patterns."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from urllib.parse import urlsplit

from benchsuite.robot.forms import CHOSEN, Control
from benchsuite.robot.patterns import matches

DAY_S = 24 * 3600
EPOCH = datetime(1970, 1, 1)
MONDAY = date(1969, 12, 29).toordinal()  #: From which steps of weeks count.
MULTIPLE = re.compile(r"\s*,\s*")
LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{LABEL}(?:\.{LABEL})*")
COLOR = re.compile(r"#[0-9a-fA-F]{6}")
MEASURED = frozenset(("text", "search", "url", "tel", "email", "password", "textarea"))
"""Kinds that have lengths; all but the last have patterns."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A kind whose values are points on a line, in units of its step."""

    parse: Callable[[str], Fraction]  #: Raises ValueError.
    write: Callable[[Fraction], str]
    step: int = 1
    base: int = 0


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
    day = datetime.strptime(f"{text}-1", "%G-W%V-%u")
    return Fraction(day.toordinal() - MONDAY, 7)


def _seconds(text: str) -> Fraction:
    moment = datetime.fromisoformat(f"1970-01-01T{text}")
    return Fraction(str((moment - EPOCH).total_seconds()))


def _moment(text: str) -> Fraction:
    return Fraction(str((datetime.fromisoformat(text) - EPOCH).total_seconds()))


def _written(form: str) -> Callable[[Fraction], str]:
    """A moment, with seconds only where they count."""

    def write(point: Fraction) -> str:
        moment = EPOCH + timedelta(seconds=float(point))
        return moment.strftime(form + (":%S" if moment.second else ""))

    return write


SCALES = {
    "number": Scale(_number, _decimal),
    "range": Scale(_number, _decimal),
    "date": Scale(
        lambda text: Fraction(date.fromisoformat(text).toordinal()),
        lambda point: date.fromordinal(int(point)).isoformat(),
        base=EPOCH.toordinal(),
    ),
    "month": Scale(
        _month, lambda point: f"{int(point) // 12:04}-{int(point) % 12 + 1:02}", base=1970 * 12
    ),
    "week": Scale(
        _week, lambda point: date.fromordinal(int(point) * 7 + MONDAY).strftime("%G-W%V")
    ),
    "time": Scale(_seconds, lambda point: _written("%H:%M")(point % DAY_S), 60),
    "datetime-local": Scale(_moment, _written("%Y-%m-%dT%H:%M"), 60),
}


def line(control: Control) -> Line:
    """What a control of one of these kinds accepts; of limits that can't be read, nothing."""
    scale, limits = SCALES[control.kind], control.limits
    ends = {"min": "0", "max": "100"} if control.kind == "range" else {}
    low, high = (_read(scale.parse, limits.get(end, ends.get(end))) for end in ("min", "max"))
    if control.kind == "time" and low is not None and high is not None and low > high:
        high += DAY_S  # over midnight
    starts = (limits.get("min"), limits.get("value"), ends.get("min"))
    base = next((at for text in starts if (at := _read(scale.parse, text)) is not None), scale.base)
    step = _read(_number, limits.get("step"))
    usual = Fraction(scale.step)
    step = None if limits.get("step", "").lower() == "any" else step if step and step > 0 else usual
    return Line(low, high, step, Fraction(base))


def invalid(control: Control, value: str) -> str:
    """Why a browser would refuse to send this value; empty if it wouldn't."""
    limits = control.limits
    if not value:
        return "it is required" if control.required else ""
    if control.kind in CHOSEN:
        return "" if any(value == one.value for one in control.choices) else "it is not offered"
    if control.kind in SCALES:
        return _off(control, value)
    if control.kind == "color":
        return "" if COLOR.fullmatch(value) else "it is no colour"
    if control.kind in MEASURED:
        length = len(value.encode("utf-16-le")) // 2
        least, most = lengths(control)
        if most is not None and least > most:
            return f"it must have at least {least} and at most {most} characters"
        if not least <= length <= (length if most is None else most):
            return f"{length} characters are not from {least} to {most}"
    parts = MULTIPLE.split(value) if "multiple" in limits and control.kind == "email" else [value]
    for part in parts:
        if control.kind == "email" and not EMAIL.fullmatch(part):
            return "it is no e-mail address"
        if control.kind == "url" and not all(urlsplit(part)[:2]):
            return "it is no address"
        pattern = limits.get("pattern") if control.kind != "textarea" else None
        if pattern and not matches(pattern, part):
            return f"its pattern {pattern!r} is not matched"
    return ""


def lengths(control: Control) -> tuple[int, int | None]:
    """The least and the most characters."""
    least, most = (control.limits.get(name, "").strip() for name in ("minlength", "maxlength"))
    return int(least) if least.isdigit() else 0, int(most) if most.isdigit() else None


def _off(control: Control, value: str) -> str:
    scale = SCALES[control.kind]
    point = _read(scale.parse, value)
    if point is None:
        return f"it is no {control.kind}"
    accepted = line(control)
    later = point + DAY_S  # of a time over midnight
    fits = point in accepted or (control.kind == "time" and later in accepted)
    return "" if fits else "it is outside its limits and steps"


def _read(parse: Callable[[str], Fraction], text: str | None) -> Fraction | None:
    try:
        return parse(text) if text else None
    except ValueError:
        return None
