"""A candidate against the others of its race, as the rules about bottlenecks compare them."""

import math

from benchsuite.bottlenecks.evidence import Other, ratio
from benchsuite.tuning.notebook import Notebook
from benchsuite.tuning.trial import Candidate, Phase


def others(book: Notebook, candidate: Candidate) -> list[Other]:
    """Other sizes of its server, and servers of the other interface, that were raced in the same
    blocks often enough for an interval.
    """
    found = []
    for one in book.states:
        if one.server != candidate.server and one.interface == candidate.interface:
            continue
        rate = ratio(book.blocks(candidate), book.blocks(one))
        cpu = ratio(_cpu(book, candidate), _cpu(book, one))
        if one != candidate and rate and cpu:
            found.append(
                Other(
                    processes=one.processes,
                    threads=one.threads or 1,
                    interface=one.interface,
                    rate=rate,
                    cpu=cpu,
                )
            )
    return found


def _cpu(book: Notebook, candidate: Candidate) -> dict[int, float]:
    """Seed of each block → the logarithm of a request's CPU time."""
    return {
        one.trial.seed: math.log(one.seen.cpu_s)
        for one in book.of(candidate, Phase.RACE)
        if one.seen.cpu_s
    }
