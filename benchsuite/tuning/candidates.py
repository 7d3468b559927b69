"""The sizes of each server that are worth a look, from what one user's request takes."""

from collections.abc import Iterable, Mapping
from itertools import product

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import DatabaseSpec, Option, ServerSpec
from benchsuite.servers.base import Application, Fit, ServerAdapter
from benchsuite.tuning.bounds import Probe, threads_needed
from benchsuite.tuning.trial import Candidate

THREADS = (1, 2, 4)  #: Times what keeps all CPUs busy.


def grid(
    servers: Mapping[str, type[ServerAdapter]],
    probe: Probe,
    cpus: int,
    database: DatabaseSpec | None = None,
) -> list[Candidate]:
    """For each server: processes around the number of CPUs, and of threads what their waiting
    needs, twice and four times as many; a server that answers one request at a time gets more
    processes instead. Each in all settings of the server's knobs. Sizes that a server can't have
    are left out.
    """
    found: dict[Candidate, None] = {}
    for name, server in servers.items():
        for processes, threads in _sizes(server, probe, cpus):
            need = threads_needed(probe, processes, cpus)
            for options in _settings(server, {Fit.NEED: need, Fit.THREADS: threads or 1}):
                candidate = sized(name, server, processes, threads, options, database)
                if candidate is not None:
                    found[candidate] = None
    return list(found)


def sized(
    name: str,
    server: type[ServerAdapter],
    processes: int,
    threads: int | None,
    options: Mapping[str, Option] | None = None,
    database: DatabaseSpec | None = None,
) -> Candidate | None:
    """That server in this size; None where it can't have it."""
    given = options or {}
    try:
        spec = ServerSpec(server=name, processes=processes, threads=threads, options=given)
        adapter = server(spec, Application())
    except UsageError:
        return None
    return Candidate(
        server=name,
        processes=processes,
        threads=threads,
        options=tuple(sorted(given.items())),
        slots=adapter.at_once(),
        connections=adapter.connections(database or DatabaseSpec()),
        interface=server.interface,
    )


def _settings(
    server: type[ServerAdapter], worked_out: Mapping[Fit, int]
) -> Iterable[Mapping[str, Option]]:
    """All combinations of what its knobs are set to; what is its default isn't set."""
    values = (
        [(name, worked_out[one] if isinstance(one, Fit) else one) for one in choices]
        for name, choices in server.knobs.items()
    )
    for chosen in product(*values):
        yield {name: one for name, one in chosen if one != server.options[name]}


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
