"""Which case comes next: drawn by chance, the same again from seed and number."""

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle, islice

from benchmarks.faults import answers, clean, limits, machine, processes, slowness, sockets
from benchmarks.faults.case import Case, Kind

FAULTS: Mapping[str, Kind] = {
    **answers.KINDS,
    **processes.KINDS,
    **slowness.KINDS,
    **limits.KINDS,
    **machine.KINDS,
    **sockets.KINDS,
}
KINDS: Mapping[str, Kind] = {**FAULTS, **clean.KINDS}
DECK = (*FAULTS, *islice(cycle(clean.KINDS), round(len(FAULTS) / 4)))
"""Dealt shuffled, so that each fault comes as often as any other; a fifth is clean."""


def drawn(seed: int, number: int) -> Case:
    """The case of that number, from 1 on."""
    deal, place = divmod(number - 1, len(DECK))
    kinds = random.Random(f"{seed}, {deal}").sample(DECK, len(DECK))
    kind = kinds[place]
    case = KINDS[kind](random.Random(f"{seed}:{number}"))
    return replace(case, kind=kind, number=number)
