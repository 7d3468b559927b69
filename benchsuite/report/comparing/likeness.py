"""Which things may be compared: the same work, load and data on the same kind of machine."""

from collections.abc import Sequence

from benchsuite.report.comparing.comparison import Comparison
from benchsuite.report.comparing.differences import Difference


def unlike(comparison: Comparison) -> list[str]:
    """Why these runs should not be compared; empty when they may."""
    found = [one for one in comparison.differences if one.matters and not one.may_be_the_question]
    if not found:
        return comparison.unlike
    words = "; ".join(described(found, limit=6))
    return [*comparison.unlike, f"Not the same environment: {words}."]


def described(differences: Sequence[Difference], *, limit: int) -> list[str]:
    """In words, for as many as the limit allows, then how many more there are."""
    shown = [one.words for one in differences[:limit]]
    return shown if len(differences) <= limit else [*shown, f"{len(differences) - limit} more"]


def said_first(comparison: Comparison, *, limit: int) -> list[str]:
    """The sentence about what differs, where something does."""
    if not comparison.differences:
        return []
    return [f"What differs: {'; '.join(described(comparison.differences, limit=limit))}."]
