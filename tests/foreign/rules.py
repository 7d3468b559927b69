"""What servers hold against values; each rule is given the words that its page will show."""

import ipaddress
import json
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from uuid import UUID

from tests.foreign.site import Rule, Values


def matches(pattern: str, words: str) -> Rule:
    return lambda value, data: "" if re.fullmatch(pattern, value) else words


def long(least: int, most: int, words: str) -> Rule:
    return lambda value, data: "" if least <= len(value) <= most else words


def number(least: float, most: float, words: str) -> Rule:
    def rule(value: str, data: Values) -> str:
        with suppress(ValueError):
            return "" if least <= float(value.replace(",", ".")) <= most else words
        return words

    return rule


def ticks(name: str, least: int, most: int, words: str) -> Rule:
    return lambda value, data: "" if least <= len(data[name]) <= most else words


def day(
    form: str, words: str, fits: Callable[[date], bool] = lambda day: True, not_so: str = ""
) -> Rule:
    def rule(value: str, data: Values) -> str:
        try:
            found = datetime.strptime(value, form).date()
        except ValueError:
            return words
        return "" if fits(found) else not_so

    return rule


def same_as(other: str, words: str) -> Rule:
    return lambda value, data: "" if value == data[other][-1] else words


def distinct(names: tuple[str, ...], words: str) -> Rule:
    def rule(value: str, data: Values) -> str:
        given = [data.get(name, [""])[-1] for name in names]
        return "" if len(set(given)) == len(given) else words

    return rule


def empty(*names: str) -> Rule:
    """Traps that must stay empty."""
    return lambda value, data: "Spam." if any(any(data.get(name, [])) for name in names) else ""


def iban(words: str) -> Rule:
    def rule(value: str, data: Values) -> str:
        plain = value.replace(" ", "")
        if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
            return words
        digits = "".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])
        return "" if int(digits) % 97 == 1 else words

    return rule


def card(words: str) -> Rule:
    def rule(value: str, data: Values) -> str:
        digits = [int(sign) for sign in value if sign.isdigit()][::-1]
        total = sum(digits[::2]) + sum(sum(divmod(2 * one, 10)) for one in digits[1::2])
        return "" if len(digits) >= 13 and total % 10 == 0 else words

    return rule


def parsed(parse: Callable[[str], object], words: str) -> Rule:
    def rule(value: str, data: Values) -> str:
        with suppress(ValueError):
            parse(value)
            return ""
        return words

    return rule


def uuid(words: str) -> Rule:
    return parsed(UUID, words)


def ip(words: str) -> Rule:
    return parsed(ipaddress.ip_address, words)


def json_object(words: str) -> Rule:
    return lambda value, data: (
        words
        if parsed(json.loads, words)(value, data)
        else ("" if isinstance(json.loads(value), dict) else words)
    )


def every(*rules: Rule) -> Rule:
    return lambda value, data: next((words for rule in rules if (words := rule(value, data))), "")


def fresh(words: str) -> Rule:
    """The first value that is sent is there already."""
    seen: list[str] = []

    def rule(value: str, data: Values) -> str:
        seen.append(value)
        return words if value == seen[0] else ""

    return rule


def never(words: str) -> Rule:
    return lambda value, data: words
