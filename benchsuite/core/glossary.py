"""What codes and terms mean, from glossary.md beside this file, for tooltips and `listbench`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchsuite.core.exceptions import UsageError, meant

FILE = Path(__file__).with_suffix(".md")
HOME = "glossary.md"
HOMES = {
    "Findings": "reading-results.md",
    "Limits": "bottlenecks.md#the-rules",
    "Failed requests": "reading-results.md#b201-failures",
}
"""Where the docs say more of what a heading of the file is about; of findings, each by itself."""
ROW = re.compile(r"\| (?P<terms>.+?) \| (?P<meaning>.+) \|")
CODE = re.compile(r"(?P<number>[BL]\d\d[0-9a-z]*) (?P<name>\S+)")


@dataclass(frozen=True, slots=True)
class Explanation:
    term: str  #: "B205 stall", "goodput".
    meaning: str  #: One sentence.
    place: str  #: Where the docs say more: "docs/reading-results.md#b205-stall".


def explain(name: str) -> Sequence[Explanation]:
    """What a code, its number or name, or a term means; UsageError for what nobody knows."""
    if (key := _key(name)) in explanations():
        return explanations()[key]
    terms = dict.fromkeys(one.term for some in explanations().values() for one in some)
    numbers = [code["number"] for code in map(CODE.fullmatch, terms) if code]
    near = meant(name.strip(), [*terms, *numbers])
    raise UsageError(
        f"{name!r} is no code or term that benchsuite explains; "
        f"{f'did you mean {near}? ' * bool(near)}listbench --explain lists all."
    )


def meaning(name: str) -> str:
    """The sentence for a tooltip; empty for what the glossary doesn't have."""
    some = explanations().get(_key(name))
    return some[0].meaning if some else ""


@cache
def explanations() -> Mapping[str, Sequence[Explanation]]:
    """By every name, in lower case, in the order of the file."""
    by_name: dict[str, list[Explanation]] = {}
    heading = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif (row := ROW.fullmatch(line)) and row["meaning"] not in ("meaning", "---"):
            terms, meaning = row["terms"], row["meaning"].removesuffix(".")
            home = HOMES.get(heading, f"{HOME}#{_slug(heading)}")
            code = CODE.fullmatch(terms)
            if code and "#" not in home:
                home = f"{home}#{_slug(terms)}"
            words = f"{meaning[:1].upper()}{meaning[1:]}."
            names = [terms, code["number"], code["name"]] if code else re.split("[;,] ", terms)
            for name in names:
                explanation = Explanation(terms if code else name, words, f"docs/{home}")
                by_name.setdefault(_key(name), []).append(explanation)
    return by_name


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()


def _slug(heading: str) -> str:
    """As Markdown makes the anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
