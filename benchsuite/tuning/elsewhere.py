"""What may be said of numbers of CPUs that were not measured: a bound, and nothing more."""

from benchsuite.core.units import format_duration, format_number
from benchsuite.tuning.bounds import counted
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate


def cautions(book: Notebook, pick: Candidate) -> list[str]:
    """Of the CPUs that were asked for, and of a single one."""
    asked, had, found = book.question.for_cpus, book.question.cpus, []
    beyond = asked is not None and asked > had
    if asked is not None and beyond:
        bound = _at_most(book, pick, asked)
        found.append(
            f"No rate is said for {asked} CPUs, which the server can't have here"
            + (f"; they answer {bound}." if bound else ".")
        )
    elif asked is not None:
        found.append(f"The server had {counted(asked, 'CPU')}, as was asked.")
    if had == 1:
        bound = "" if beyond else _at_most(book, pick, 1)
        found.append(
            "Measured on 1 CPU: how many processes several CPUs need is not known"
            + (f"; each more answers {bound}." if bound else ".")
        )
    return found


def _at_most(book: Notebook, pick: Candidate, cpus: int) -> str:
    """By the utilisation law, which holds for any number of processes."""
    cost_s = book.cpu_s(pick)
    if not cost_s:
        return ""
    limit = f"{counted(cpus, 'CPU')}, {format_duration(cost_s)} of CPU time a request"
    return f"at most about {format_number(cpus / cost_s)}/s ({limit}), if nothing else binds"
