"""Which servers serve a target that they bring, and not the project, and the words for it."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchsuite.core.units import listed


def own_target_sentence(facts: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Says which of these servers, each with its facts, don't measure the project; empty when all
    do.
    """
    own = sorted({name for name, one in facts if not one.get("serves_project", True)})
    if not own:
        return ""
    if len(own) == 1:
        return f"{own[0]} serves a small target of its own, not this project."
    return f"{listed(own)} serve small targets of their own, not this project."
