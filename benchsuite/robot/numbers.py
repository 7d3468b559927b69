"""Numbers and moments within their limits."""

import math
from datetime import date, datetime, time, timedelta
from random import Random

from benchsuite.robot.demands import Demand
from benchsuite.robot.forms import Control

SPREAD = 100.0
"""How far a number goes from the only limit that is known."""


class OutOfRange(ValueError):
    """No value fits the limits; the words say which."""


def number(control: Control, demand: Demand, chance: Random) -> str:
    """A number within min, max, step and what errors have said."""
    limits = control.limits
    low = _known(demand.least, _float(limits.get("min")))
    high = _known(demand.most, _float(limits.get("max")))
    step = demand.step or _float(limits.get("step")) or 1.0
    if limits.get("step") == "any":
        step = 1.0
    base = _float(limits.get("min")) or 0.0
    if low is None:
        low = 1.0 if high is None or high >= 1.0 else high - SPREAD
    if high is None:
        high = max(low, 0.0) + (SPREAD if not demand.digits else 10.0**demand.digits - 1)
        if demand.digits is None and "year" in control.words and low <= 1900:
            low, high = 1950.0, 2020.0
        elif _is_age(control) and low <= 18:
            low, high = 18.0, 80.0
    if demand.digits is not None:
        high = min(high, 10.0 ** (demand.digits - (demand.decimals or 0)) - 1)
    first, last = math.ceil((low - base) / step - 1e-9), math.floor((high - base) / step + 1e-9)
    if first > last:
        raise OutOfRange(f"no number from {low:g} to {high:g} in steps of {step:g}")
    found = base + chance.randint(first, last) * step
    places = _places(step) if demand.decimals is None else min(demand.decimals, _places(step))
    return f"{found:.{max(places, _places(base))}f}"


def _is_age(control: Control) -> bool:
    words = control.words.replace("_", " ").replace("-", " ").split()
    return any(word.strip("?.:,*()") in ("age", "old") for word in words)


def day(control: Control, demand: Demand, chance: Random) -> date:
    """A day within the limits; else one of the past for what has been, or of last year."""
    limits = control.limits
    today = date.today()
    low = demand.earliest or _date(limits.get("min"))
    high = demand.latest or _date(limits.get("max"))
    if demand.earliest:
        low = demand.earliest + timedelta(days=1)
    if demand.latest:
        high = demand.latest - timedelta(days=1)
    if demand.when == "past":
        high = min(high or today, today - timedelta(days=1))
    if demand.when == "future":
        low = max(low or today, today + timedelta(days=1))
    if any(word in control.words for word in ("birth", "born", "bday")) and not (low or high):
        low, high = date(today.year - 70, 1, 1), date(today.year - 19, 1, 1)
    if low is None and high is None:
        low, high = today - timedelta(days=365), today - timedelta(days=1)
    low = low or (high or today) - timedelta(days=60)
    high = high or low + timedelta(days=60)
    if low > high:
        raise OutOfRange(f"no day from {low} to {high}")
    return low + timedelta(days=chance.randint(0, (high - low).days))


def moment(control: Control, demand: Demand, chance: Random) -> datetime:
    """A day and a time of its own, both within the limits."""
    limits = control.limits
    low, high = _datetime(limits.get("min")), _datetime(limits.get("max"))
    if low and high:
        if low > high:
            raise OutOfRange(f"no moment from {low} to {high}")
        minutes = int((high - low).total_seconds() // 60)
        return low + timedelta(minutes=chance.randint(0, minutes))
    found = datetime.combine(day(control, demand, chance), time(chance.randint(8, 17), 30))
    return max(low, found) if low else min(high, found) if high else found


def clock(control: Control, chance: Random) -> str:
    """hh:mm between min and max, office hours else."""
    low = _minutes(control.limits.get("min"), 9 * 60)
    high = _minutes(control.limits.get("max"), max(low, 17 * 60))
    if low > high:  # a range over midnight
        high += 24 * 60
    step = max(1, int((_float(control.limits.get("step")) or 60.0) // 60))
    found = (low + chance.randint(0, (high - low) // step) * step) % (24 * 60)
    return f"{found // 60:02}:{found % 60:02}"


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


def _minutes(text: str | None, otherwise: int) -> int:
    hours, colon, rest = (text or "").partition(":")
    if not colon or not hours.isdigit() or not rest[:2].isdigit():
        return otherwise
    return int(hours) * 60 + int(rest[:2])
