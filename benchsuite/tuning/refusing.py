"""What is refused by arithmetic, before it is started, and what exceeds a limit once it was."""

from benchsuite.core.units import format_bytes
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.question import Question
from benchsuite.tuning.trial import Candidate


def refusal(question: Question, candidate: Candidate) -> str:
    """Why it isn't started; empty where it may be."""
    if why := question.unable.get(candidate.server):
        return why
    if question.keeps_connections and candidate.interface == "asgi":
        return (
            "CONN_MAX_AGE keeps connections for a next request, and under ASGI none finds them "
            "again: set it to 0, or use a pool"
        )
    if candidate.connections is None:
        return ""
    allowed = question.objective.connections
    needed = candidate.connections * question.instances
    every = needed * sum(question.aliases.values() or [1])
    if allowed is not None and every > allowed:
        return f"{_counted(question, candidate, every)}, and the objective allows {allowed}"
    for kind, limit in question.connections_limit.items():
        here = needed * question.aliases.get(kind, 1)
        if limit is not None and here > limit:
            return f"{_counted(question, candidate, here)}, and {kind} has {limit} to give"
    return ""


def _counted(question: Question, candidate: Candidate, total: int) -> str:
    """ "512 connections at most (128 × 4 instances)": the product, where it is one."""
    factors = [str(candidate.connections)]
    if question.instances > 1:
        factors.append(f"{question.instances} instances")
    aliases = total // ((candidate.connections or 1) * question.instances)
    if aliases > 1:
        factors.append(f"{aliases} aliases")
    product = f" ({' × '.join(factors)})" if len(factors) > 1 else ""
    return f"it may open {total} database connections{product}"


def excess(book: Notebook, candidate: Candidate) -> str:
    """Which limit of the objective its starts exceeded; empty where none."""
    objective = book.question.objective
    memory, limit = book.memory_bytes(candidate), objective.memory_bytes
    if memory is not None and limit is not None and memory > limit:
        return f"it takes {format_bytes(memory)}, and the objective allows {format_bytes(limit)}"
    opened, allowed = book.connections(candidate), objective.connections
    if opened is not None and allowed is not None and opened > allowed:
        return f"it opened {opened} database connections, and the objective allows {allowed}"
    return ""
