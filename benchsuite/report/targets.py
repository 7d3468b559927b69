"""Which servers serve a target that they bring, and not the project, and the words for it."""

from collections.abc import Iterable

from benchsuite import conf
from benchsuite.core.exceptions import UsageError
from benchsuite.core.units import listed


def serves_own_target(server: str) -> bool:
    """Whether the server of that name does; not said of one that is not known any more."""
    try:
        return not conf.server_class(server).serves_project
    except UsageError:
        return False


def own_target_sentence(servers: Iterable[str]) -> str:
    """Says which of these don't measure the project; empty when all do."""
    own = [name for name in sorted(set(servers)) if serves_own_target(name)]
    if not own:
        return ""
    if len(own) == 1:
        return f"{own[0]} serves a small target of its own, not this project."
    return f"{listed(own)} serve small targets of their own, not this project."
