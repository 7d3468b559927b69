"""What failed because the run itself was restarting the server is nobody's failure."""

from collections.abc import Sequence
from dataclasses import replace

from benchsuite.core.samples import CONNECTION, RESTARTED, Kind
from benchsuite.load.parent.spool import NameEntry, Samples
from benchsuite.stats.summary import inside


def without_restart(
    samples: Samples, names: Sequence[NameEntry], away: tuple[float, float] | None
) -> tuple[Samples, Sequence[NameEntry]]:
    """The samples with the handshakes and journeys that failed while the server was away, and the
    connections that ended, in scopes of their own.
    """
    if away is None:
        return samples, names
    samples, entries = samples.copy(), list(names)
    begun, ended = (inside(samples[edge], away, ()) for edge in ("start", "finish"))
    for place, entry in enumerate(names):
        if entry.scope not in RESTARTED:
            continue
        within = ended if entry.scope == CONNECTION else begun | ended
        failed = (samples["name"] == place) & (samples["kind"] != Kind.OK) & within
        if failed.any():
            samples["name"][failed] = len(entries)
            entries.append(replace(entry, scope=RESTARTED[entry.scope]))
    return samples, entries
