"""The race: blocks in which each candidate that is left starts once, at rates near its estimate."""

from collections.abc import Sequence

from benchsuite.stats import ranks
from benchsuite.tuning.making import Making, Narrowed, Steps
from benchsuite.tuning.planning import LEVELS, Plan, block_s, reserve_s
from benchsuite.tuning.trial import Candidate, Phase

CLOSE = 0.03  #: All that are left within this: more starts would not matter.
ALONE = 2  #: Starts of a candidate that races nobody, to know its rate.
ON_SEVERAL_CPUS = 6  #: The same, where its rate is compared with that on other CPUs.


def race(making: Making, alive: list[Candidate], plan: Plan) -> Narrowed:
    """Those that are left."""
    book, looks = making.book, max(1, plan.blocks - ranks.FIRST_LOOK + 1)
    alone = ON_SEVERAL_CPUS if any(one.cpus for one in alive) else ALONE
    for block in range(plan.blocks):
        cost = block_s(making, len(alive)) + reserve_s(making, plan)
        if (len(book.known(alive)) == 1 and block >= alone) or cost > making.left_s:
            break
        for one in making.shuffled(alive):
            yield from _start(making, one, block)
        known = book.known(alive)
        if len(known) > 1:
            out = ranks.given_up(in_step(making, known), looks=looks)
            for one in [one for one in known if one.name in out]:
                book.drop(one)
            alive = [one for one in alive if one.name not in out]
            if block >= ranks.FIRST_LOOK and _close(making, book.known(alive)):
                break
    return alive


def in_step(making: Making, alive: Sequence[Candidate]) -> dict[str, list[float]]:
    """Logarithms of their rates, block by block, of the blocks in which all of them were seen."""
    blocks = {one.name: making.book.blocks(one) for one in alive}
    common = sorted(set.intersection(*(set(seen) for seen in blocks.values())))
    return {name: [seen[seed] for seed in common] for name, seen in blocks.items()}


def _start(making: Making, candidate: Candidate, block: int) -> Steps:
    rate = making.book.estimate(candidate)
    assert rate is not None
    load = making.arrivals([level * rate for level in LEVELS], 1, 5)
    reason = f"block {block + 1} of the race"
    yield from making.start(candidate, Phase.RACE, load, reason, place=block, ends_early=True)


def _close(making: Making, alive: Sequence[Candidate]) -> bool:
    found = [rate for one in alive if (rate := making.book.estimate(one))]
    return max(found) <= (1 + CLOSE) * min(found)
