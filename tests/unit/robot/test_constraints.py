"""What errors ask for: negation × relation × quantity, in four languages."""

from datetime import date

from benchsuite.robot.constraints import TINY, constraint

TODAY = date.today().toordinal()


def ends(unit, limits, *, is_dated):
    """ ">= 3", "> 10", ">= 2 and <= 6"; days by their date, or from today on."""
    if unit == "date":
        low, high = limits.whole
        days = [low if limits.least is not None else None, high]
        told = (f"today{day - TODAY:+d}" if day and not is_dated else day for day in days)
        shown = [date.fromordinal(day) if isinstance(day, int) else day for day in told]
        named = zip(("from", "to"), shown, strict=True)
        return " and ".join(f"{sign} {day}" for sign, day in named if day)
    words = []
    for end, sign in ((limits.least, ">"), (limits.most, "<")):
        if end is not None:
            is_open = end.denominator == TINY.denominator
            words.append(
                f"{sign}{'' if is_open else '='} {float(round(end) if is_open else end):g}"
            )
    return " and ".join(words)


def words(sentence):
    read, dated = constraint((sentence,)), any(sign.isdigit() for sign in sentence)
    ranges = {unit: ends(unit, limits, is_dated=dated) for unit, limits in read.ranges.items()}
    parts = [f"{unit or 'it'} {limits}" for unit, limits in ranges.items()]
    parts += [f"steps of {float(read.step):g}"] if read.step else []
    parts += filter(None, (read.kind, *sorted(read.says), read.example))
    return ", ".join([*parts, *read.extensions]) or "nothing"


def test_what_errors_ask_for(golden):
    golden.cases(words)


def test_values(golden):
    golden.values()
