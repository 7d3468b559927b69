"""In which other settings a search may try its pick."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from benchsuite.core.specs import Option
from benchsuite.core.specs.spec import changed
from benchsuite.management.options.tune import Asked
from benchsuite.management.tuning.databases import KEPT_S, reached
from benchsuite.runner import planning
from benchsuite.servers.base import Against, ServerAdapter
from benchsuite.tuning import candidates
from benchsuite.tuning.trial import Candidate
from benchsuite.tuning.variants import Variants

Settings = tuple[Mapping[str, Option], Mapping[str, Option]]
"""Options of the server, and fields of a RunSpec by their dotted names."""

POOL = 10  #: Connections of each process, where its server says not how many it needs.


def variants(asked: Asked) -> Variants:
    """Each with one thing changed; what its server can't have is left out."""

    def of(pick: Candidate, against: Against) -> list[Candidate]:
        server, question, found = asked.servers[pick.server], asked.question, []
        for options, changes in _settings(asked, server, pick, against):
            spec = changed(asked.spec, dict(changes))
            pool = spec.database.pool or question.pool
            keeps = bool(spec.database.conn_max_age_s) or question.keeps_connections
            database = reached(spec.database, pool=pool, keeps=keeps)
            size = pick.processes, pick.threads, {**dict(pick.options), **options}, database
            one = candidates.sized(pick.server, server, *size)
            if one is not None and not {*options} & {name for name, _ in pick.options}:
                found.append(replace(one, changes=(*pick.changes, *changes.items())))
        return found

    return of


def _settings(
    asked: Asked, server: type[ServerAdapter], pick: Candidate, against: Against
) -> Iterator[Settings]:
    if against is Against.CONNECTING:
        alone = server.threads_word is not None or server.one_at_a_time
        if server.interface == "wsgi" and server.keeps_threads and alone:
            yield {}, {"database.conn_max_age_s": KEPT_S}
        if any(kind.startswith("postgresql") for kind in asked.question.connections_limit):
            yield {}, {"database.pool": pick.slots // pick.processes if pick.slots else POOL}
    elif against is Against.SYNC_VIEWS:
        if twin := planning.async_twin(asked.spec.workload.workload):
            yield {}, {"workload.workload": twin}
    elif options := server.remedies.get(against):
        yield options, {}
