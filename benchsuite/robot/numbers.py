"""Numbers and moments within all limits: those of the control, and those in errors."""

import math
import re
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from random import Random

from benchsuite.robot.constraints import Constraint
from benchsuite.robot.forms import Control
from benchsuite.robot.validity import DAY_S, SCALES, Line, line

SPREAD = 100  #: Distance of a number from the only known limit.
DAYS = 60  #: Of a day.
STEPS = 10_000  #: Points looked at for one that fits all steps.
YEAR = re.compile(r"\b(?:year|jahr|année|año)")
AGE = re.compile(r"\b(?:age|old|alt|alter|âge|edad)\b")
BIRTH = re.compile(r"birth|born|bday|\bdob\b|geb[ou]|naissance|nacimiento")


class OutOfRange(ValueError):
    """No value fits the limits, which the message names."""


def value(control: Control, kind: str, constraint: Constraint, chance: Random) -> str:
    """A value of this kind, which is the control's own or what a text field asks for."""
    scale = SCALES[kind]
    free = Line(None, None, Fraction(scale.step), Fraction(scale.base))
    accepted = line(control) if control.kind == kind else free
    words = control.words.replace("_", " ").replace("-", " ")
    if kind in ("number", "range"):
        low, high = _counted(accepted, constraint, words)
    elif kind == "time":
        low, high = _opened(accepted, Fraction(9 * 3600), Fraction(17 * 3600), 8 * 3600)
        low, high = max(low, Fraction(0)), high if accepted.high else min(high, Fraction(DAY_S - 1))
    else:
        low, high = _dated(accepted, kind, constraint, words)
    step, base = accepted.step, accepted.base
    if step is None:
        step = Fraction(1) if math.ceil(low) <= high else (high - low) / 4 or Fraction(1)
        base = Fraction(0) if step == 1 else low
    first, last = math.ceil((low - base) / step), math.floor((high - base) / step)
    if first <= last:
        begin = chance.randint(first, last)
        for turn in range(min(last - first + 1, STEPS)):
            point = base + (first + (begin - first + turn) % (last - first + 1)) * step
            if kind not in ("number", "range") or _fits(point, constraint):
                text = scale.write(point)
                seconds = scale.step == 60 and step % 60 and text.count(":") == 1
                return f"{text}:00" if seconds else text
    if kind in ("number", "range"):
        raise OutOfRange(
            f"no number from {float(low):g} to {float(high):g} in steps of {float(step):g}"
        )
    ends = f"{scale.write(low)} to {scale.write(high)}"
    raise OutOfRange(f"no {'day' if kind == 'date' else kind} from {ends} in its steps")


def day(control: Control, constraint: Constraint, chance: Random) -> date:
    return date.fromisoformat(value(control, "date", constraint, chance))


def _fits(point: Fraction, constraint: Constraint) -> bool:
    decimals = constraint.of("decimals").whole[1]
    return (
        (constraint.step is None or point % constraint.step == 0)
        and (decimals is None or (point * 10**decimals).denominator == 1)
        and point in constraint.of("") | constraint.of("years")
    )


def _opened(
    accepted: Line, low: Fraction, high: Fraction, spread: int
) -> tuple[Fraction, Fraction]:
    """The ends of a line; where it has none, the usual ones, or those near the other end."""
    if accepted.low is None:
        end = accepted.high
        return (low, high) if end is None else (end - spread, end)
    return accepted.low, accepted.low + spread if accepted.high is None else accepted.high


def _counted(accepted: Line, constraint: Constraint, words: str) -> tuple[Fraction, Fraction]:
    said = constraint.of("") | constraint.of("years")
    digits = constraint.of("digits").whole[1]
    lows = [end for end in (accepted.low, said.least) if end is not None]
    highs = [end for end in (accepted.high, said.most) if end is not None]
    if digits:
        highs.append(Fraction(10 ** (digits - (constraint.of("decimals").whole[1] or 0)) - 1))
    low, high = max(lows, default=None), min(highs, default=None)
    if low is None:
        low = Fraction(1) if high is None or high >= 1 else high - SPREAD
    if high is None:
        high = max(low, Fraction(0)) + max(SPREAD, 4 * (constraint.step or 0))
        if YEAR.search(words) and low <= 1900:
            return Fraction(1950), Fraction(2020)
        if AGE.search(words) and low < 80:
            return max(low, Fraction(18)), Fraction(80)
    return low, high


def _dated(
    accepted: Line, kind: str, constraint: Constraint, words: str
) -> tuple[Fraction, Fraction]:
    """The ends in the units of the kind, else in the past or of last year."""
    today = date.today()
    earliest, latest = constraint.earliest, constraint.latest
    days, years = constraint.of("days"), constraint.of("years")
    if days.least or days.most:
        earliest = earliest or today + timedelta(days=days.whole[0])
        latest = latest or (today + timedelta(days=days.whole[1]) if days.whole[1] else None)
    if years.least:
        latest = today - timedelta(days=round(365.25 * years.whole[0]) + 1)
        earliest = earliest or latest - timedelta(days=365 * 30)
    if earliest == today and latest != today:  # where time zones differ it may be over
        earliest += timedelta(days=1)
    if latest == today and earliest != today:
        latest -= timedelta(days=1)
    open_ended = (accepted.low, accepted.high, earliest, latest) == (None,) * 4
    if open_ended:
        born = BIRTH.search(words)
        earliest = date(today.year - 70, 1, 1) if born else today - timedelta(days=365)
        latest = date(today.year - 19, 1, 1) if born else today - timedelta(days=1)
    lows = [at for at in (accepted.low, _at(earliest, kind, end=False)) if at is not None]
    highs = [at for at in (accepted.high, _at(latest, kind, end=True)) if at is not None]
    ends = Line(max(lows, default=None), min(highs, default=None), None, Fraction(0))
    spread = {"month": 6, "week": 8, "datetime-local": DAYS * DAY_S}.get(kind, DAYS)
    return _opened(ends, Fraction(0), Fraction(0), spread)


def _at(day: date | None, kind: str, *, end: bool) -> Fraction | None:
    """The first or last point of a kind that is wholly from, or until, a day."""
    if day is None:
        return None
    if kind == "datetime-local":
        hour = time(17) if end else time(8)
        return SCALES[kind].parse(datetime.combine(day, hour).isoformat())
    form = {"month": "%Y-%m", "week": "%G-W%V"}.get(kind, "%Y-%m-%d")
    within = SCALES[kind].parse(day.strftime(form))
    beside = (day + timedelta(days=1 if end else -1)).strftime(form)
    cut = SCALES[kind].parse(beside) == within  # the day is inside of a month or a week
    return within + (-1 if end else 1) * cut
