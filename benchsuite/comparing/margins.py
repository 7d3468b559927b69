"""How much of a difference in each figure matters; figures by the names that commands use."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from benchsuite.core.exceptions import UsageError
from benchsuite.core.metrics.every import compared
from benchsuite.core.metrics.metric import Metric, Scale
from benchsuite.core.suggestions import choices
from benchsuite.core.units import listed

DEFAULT = ("goodput", "p95", "memory")

ALL = "all"  #: In margins: every figure that is compared by ratio and has none of its own.

MARGIN = re.compile(r"(?:([a-z0-9]+)\s*=)?\s*(\d+(?:\.\d+)?)\s*%?")
MOST_PERCENT = 100


def metric(name: str, *margins: Mapping[str, float]) -> Metric:
    """The figure of that short name with its margin from the first of these (see `parsed`) that
    has one, else its own. Raises UsageError with the valid names.
    """
    known = _known(name)
    for given in margins:
        for key in (name, ALL):
            if key in given and (key == name or known.scale is Scale.RATIO):
                return replace(known, margin=given[key])
    return known


def parsed(texts: Iterable[str]) -> dict[str, float]:
    """Margins from "2%" (of all that are compared by ratio) and "p95=5%"; raises UsageError."""
    found = {}
    for text in texts:
        match = MARGIN.fullmatch(text.strip())
        if match is None or not 0 <= float(match[2]) < MOST_PERCENT:
            raise UsageError(
                f"--margin {text!r} is not a margin; write a percentage below 100, for one figure "
                'or for all: "p95=5%" or "2%".'
            )
        name = match[1] or ALL
        found[name if name == ALL else _known(name).short] = float(match[2]) / 100
    return found


def margins_sentence(metrics: Iterable[Metric]) -> str:
    """What counts as too small in each of these figures."""
    names: dict[str, list[str]] = {}
    for one in metrics:
        names.setdefault(one.margin_words, []).append(one.short)
    told = ", ".join(f"{words} in {listed(each)}" for words, each in names.items())
    return f"Too small to matter is a difference below {told} (--margin)."


def _known(name: str) -> Metric:
    known = compared()
    if name not in known:
        raise UsageError(f"There is no metric {name!r}; {choices(name, known)}")
    return known[name]
