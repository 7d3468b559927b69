"""What a plain text field is about: by `autocomplete`, or by the words around it."""

import re
from functools import lru_cache

from benchsuite.robot import formats
from benchsuite.robot.forms import Control
from benchsuite.robot.languages import TABLES

AUTOCOMPLETE: dict[str, str] = dict(
    pair.split("=") for pair in TABLES["autocomplete"]["tokens"].split()
)
RULES = tuple((re.compile(pattern), about) for about, pattern in TABLES["about"].items())
DATE = re.compile(
    r"\bdate\b|birthday|\bdob\b|datum\b|geboren|geburtstag|\bn[ée]{1,2}(?:\(e\))? le\b|naissance|"
    r"\bfecha\b|nacimiento"
)
NUMBER = re.compile(
    r"how many|how much|number of|\bcount\b|quantity|\bqty\b|amount|\bage\b|\byears?\b|how old|"
    r"anzahl|menge\b|wie ?viele?|wie alt|\balter\b|betrag|\bjahre?\b|"
    r"combien|nombre de(?! pila)|quantité|\bâge\b|montant|\bprice\b|\bpreis\b|\bprix\b|percent|"
    r"prozent|cuánt[oa]s?|cantidad|\bedad\b|\bprecio\b|\bnúmero de\b(?! (?:la )?tarjeta)"
)
PARTS = (
    ("day", re.compile(r"(?:^|[-_.\[ (])(?:day|tag|jour|día|dd)(?:$|[-_.\]:) ])")),
    ("month", re.compile(r"(?:^|[-_.\[ (])(?:month|monat|mois|mes|mm)(?:$|[-_.\]:) ])")),
    ("year", re.compile(r"(?:^|[-_.\[ (])(?:year|jahr|ann[ée]e|año|yyyy)(?:$|[-_.\]:) ])")),
)


def hint(control: Control) -> str:
    """What it is about; empty if unknown."""
    for token in control.limits.get("autocomplete", "").lower().split()[::-1]:
        if token in AUTOCOMPLETE:
            return AUTOCOMPLETE[token]
    return about(control.words.replace("_", " "))


@lru_cache(maxsize=4096)
def about(words: str) -> str:
    return next((meant for rule, meant in RULES if rule.search(words)), "")


def dated(control: Control) -> bool:
    """Whether it is for a day, by its words or the format that it shows."""
    shown = (control.limits.get("placeholder", ""), control.label, control.hint)
    words = control.words.replace("_", " ")
    return (
        DATE.search(words) is not None
        or hint(control) == "date"
        or any("%d" in formats.strftime(one) for one in shown)
    )


def numeric(control: Control) -> bool:
    if control.limits.get("inputmode") in ("numeric", "decimal"):
        return not hint(control)
    return not hint(control) and NUMBER.search(control.words.replace("_", " ")) is not None


def part_of_date(control: Control) -> str:
    """day, month or year, for a date in three fields."""
    short = control.limits.get("maxlength", "9")
    for part, rule in PARTS:
        if rule.search(control.name.lower()) and (
            rule.search(control.label.lower()) or short in ("2", "4") or not control.label
        ):
            return part
    return ""
