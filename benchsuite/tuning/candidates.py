"""The sizes of each server that are worth a look, from what one user's request takes."""

from collections.abc import Iterable, Mapping

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import ServerSpec
from benchsuite.servers.base import Application, ServerAdapter
from benchsuite.tuning.bounds import Probe, threads_needed
from benchsuite.tuning.trial import Candidate

THREADS = (1, 2, 4)  #: Times what keeps all CPUs busy.


def grid(servers: Mapping[str, type[ServerAdapter]], probe: Probe, cpus: int) -> list[Candidate]:
    """For each server: processes around the number of CPUs, and of threads what their waiting
    needs, twice and four times as many; a server that answers one request at a time gets more
    processes instead. Sizes that a server can't have are left out.
    """
    found: dict[Candidate, None] = {}
    for name, server in servers.items():
        for processes, threads in _sizes(server, probe, cpus):
            candidate = sized(name, server, processes, threads)
            if candidate is not None:
                found[candidate] = None
    return list(found)


def sized(
    name: str, server: type[ServerAdapter], processes: int, threads: int | None
) -> Candidate | None:
    """That server in this size; None where it can't have it."""
    try:
        adapter = server(
            ServerSpec(server=name, processes=processes, threads=threads), Application()
        )
    except UsageError:
        return None
    slots = adapter.at_once()
    return Candidate(
        server=name, processes=processes, threads=threads, slots=slots, connections=slots
    )


def _sizes(
    server: type[ServerAdapter], probe: Probe, cpus: int
) -> Iterable[tuple[int, int | None]]:
    most = server.max_processes or 8 * cpus
    if server.threads_word is not None:
        for processes in sorted({min(most, p) for p in (cpus, cpus + 1, 2 * cpus)}):
            need = threads_needed(probe, processes, cpus)
            yield from ((processes, need * factor) for factor in THREADS)
    elif server.interface == "wsgi" and server.one_at_a_time:
        many = (cpus, cpus + 1, 2 * cpus + 1, 4 * cpus, 8 * cpus)
        yield from ((processes, None) for processes in sorted({min(most, p) for p in many}))
    else:
        yield from ((p, None) for p in sorted({min(most, cpus), min(most, cpus + 1)}))
