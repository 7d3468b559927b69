"""Numbers and moments within their limits."""

import math
from datetime import date, datetime, time, timedelta
from random import Random

from benchsuite.robot.constraints import Constraint
from benchsuite.robot.forms import Control

SPREAD = 100.0  #: Distance of a number from the only known limit.


DAY_S = 24 * 3600
EPOCH = date(1970, 1, 1)
EPOCHS = {"week": date(1969, 12, 29)}  #: Where steps start without a min.


class OutOfRange(ValueError):
    """No value fits the limits, which the message names."""


def number(control: Control, constraint: Constraint, chance: Random) -> str:
    """A number within min, max, step and the limits in errors."""
    limits = control.limits
    ranged = control.kind == "range"
    low = _known(constraint.least, _float(limits.get("min", "0" if ranged else None)))
    high = _known(constraint.most, _float(limits.get("max", "100" if ranged else None)))
    step = constraint.step or _float(limits.get("step")) or 1.0
    if limits.get("step") == "any":
        step = 1.0
    if constraint.above is not None:
        low = constraint.above + min(step, 1.0)
    if constraint.below is not None:
        high = constraint.below - min(step, 1.0)
    base = _known(_float(limits.get("min")), _float(control.value)) or 0.0
    if low is None:
        low = 1.0 if high is None or high >= 1.0 else high - SPREAD
    if high is None:
        high = max(low, 0.0) + (SPREAD if not constraint.digits else 10.0**constraint.digits - 1)
        if constraint.digits is None and "year" in control.words and low <= 1900:
            low, high = 1950.0, 2020.0
        elif _is_age(control) and low <= 18:
            low, high = 18.0, 80.0
    if constraint.digits is not None:
        high = min(high, 10.0 ** (constraint.digits - (constraint.decimals or 0)) - 1)
    first, last = math.ceil((low - base) / step - 1e-9), math.floor((high - base) / step + 1e-9)
    if first > last:
        raise OutOfRange(f"no number from {low:g} to {high:g} in steps of {step:g}")
    found = base + chance.randint(first, last) * step
    places = (
        _places(step) if constraint.decimals is None else min(constraint.decimals, _places(step))
    )
    return f"{found:.{max(places, _places(base))}f}"


def least(control: Control, constraint: Constraint) -> float:
    found = _known(constraint.least, _float(control.limits.get("min")))
    return _known(constraint.above, found) or 0.0


def _is_age(control: Control) -> bool:
    words = control.words.replace("_", " ").replace("-", " ").split()
    return any(word.strip("?.:,*()") in ("age", "old") for word in words)


def day(control: Control, constraint: Constraint, chance: Random) -> date:
    """A day within the limits, else in the past or of last year."""
    limits = control.limits
    today = date.today()
    low = constraint.earliest or _date(limits.get("min"))
    high = constraint.latest or _date(limits.get("max"))
    if constraint.earliest:
        low = constraint.earliest + timedelta(days=1)
    if constraint.latest:
        high = constraint.latest - timedelta(days=1)
    if constraint.years and constraint.least:
        high = today - timedelta(days=round(365.25 * constraint.least) + 1)
        low = low or high - timedelta(days=365 * 30)
    if constraint.when == "past":
        high = min(high or today, today - timedelta(days=1))
    if constraint.when == "future":
        low = max(low or today, today + timedelta(days=1))
    if any(word in control.words for word in ("birth", "born", "bday")) and not (low or high):
        low, high = date(today.year - 70, 1, 1), date(today.year - 19, 1, 1)
    if low is None and high is None:
        low, high = today - timedelta(days=365), today - timedelta(days=1)
    low = low or (high or today) - timedelta(days=60)
    high = high or low + timedelta(days=60)
    if low > high:
        raise OutOfRange(f"no day from {low} to {high}")
    base = _date(limits.get("min")) or EPOCHS.get(control.kind, EPOCH)
    if control.kind == "month":
        found = _stepped(_month(low), _month(high), _month(base), _step(control), chance)
        return date(found // 12, found % 12 + 1, 1)
    days = _step(control) * (7 if control.kind == "week" else 1)
    return date.fromordinal(
        _stepped(low.toordinal(), high.toordinal(), base.toordinal(), days, chance)
    )


def moment(control: Control, constraint: Constraint, chance: Random) -> str:
    """A day and a time, both within the limits and in steps."""
    limits = control.limits
    low, high = _datetime(limits.get("min")), _datetime(limits.get("max"))
    base = low or datetime.combine(EPOCH, time())
    if low is None or high is None:
        found = datetime.combine(day(control, constraint, chance), time(chance.randint(8, 17), 30))
        low = max(low, found) if low else min(high, found) if high else found
        high = low + timedelta(days=1) if high is None else high
    if low > high:
        raise OutOfRange(f"no moment from {low} to {high}")
    step = _step(control, 60)
    first, last = ((one - base).total_seconds() for one in (low, high))
    seconds = _stepped(math.ceil(first), math.floor(last), 0, step, chance)
    separator = "T" if control.kind == "datetime-local" else " "
    return (base + timedelta(seconds=seconds)).strftime(f"%Y-%m-%d{separator}{_clock(step)}")


def clock(control: Control, chance: Random) -> str:
    """hh:mm between min and max, else during office hours."""
    limits = control.limits
    low = _seconds(limits.get("min"), 9 * 3600)
    high = _seconds(limits.get("max"), max(low, 17 * 3600))
    if low > high:  # a range over midnight
        high += DAY_S
    step = _step(control, 60)
    base = low if limits.get("min") else 0
    found = _stepped(low, high, base, step, chance) % DAY_S
    return time(found // 3600, found // 60 % 60, found % 60).strftime(_clock(step))


def _clock(step: int) -> str:
    return "%H:%M" if step % 60 == 0 else "%H:%M:%S"


def _step(control: Control, otherwise: int = 1) -> int:
    return max(1, round(_float(control.limits.get("step")) or otherwise))


def _stepped(low: int, high: int, base: int, step: int, chance: Random) -> int:
    """A step from the base within the limits."""
    first, last = -(-(low - base) // step), (high - base) // step
    if first > last:
        raise OutOfRange(f"nothing from {low} to {high} in steps of {step}")
    return base + chance.randint(first, last) * step


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _known(first: float | None, second: float | None) -> float | None:
    return second if first is None else first


def _float(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _places(step: float) -> int:
    text = f"{step:.10f}".rstrip("0")
    return len(text.partition(".")[2])


def _date(text: str | None) -> date | None:
    """A day, month (its first day) or week (its Monday) as HTML writes it."""
    found = (text or "")[:10]
    try:
        if "W" in found:
            return datetime.strptime(f"{found}-1", "%G-W%V-%u").date()
        return date.fromisoformat(found + "-01" if len(found) == 7 else found)
    except ValueError:
        return None


def _datetime(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def _seconds(text: str | None, otherwise: int) -> int:
    try:
        found = time.fromisoformat(text) if text else None
    except ValueError:
        found = None
    return otherwise if found is None else found.hour * 3600 + found.minute * 60 + found.second
