"""A candidate in the spec of a run."""

from dataclasses import replace

from benchsuite.core.specs import RunSpec
from benchsuite.core.specs.spec import changed
from benchsuite.tuning.trial import Candidate


def configured(base: RunSpec, candidate: Candidate) -> RunSpec:
    """The same run with the candidate's server, in its size, and with what else it changes."""
    server = replace(
        base.server,
        server=candidate.server,
        processes=candidate.processes,
        threads=candidate.threads,
        options=dict(candidate.options),
    )
    return changed(replace(base, server=server), dict(candidate.changes))
