"""How well the search of `tunebench` finds the best size, in worlds whose best is known.

    python -m benchmarks.tuning [usual] [unlawful] [noisy] [steps] [budgets] [modes] [--tunings 40]

Prints, world by world and beside the baseline: by how much the pick falls short of the best size,
how often that is within 5 %, how often a rate is confirmed, and how often that holds for a minute
of that world. Then what each step is worth, and what a budget buys. Takes about half a second a
tuning.
"""

import argparse
import sys
from dataclasses import replace
from statistics import mean, median

from benchmarks.table import markdown, share
from benchmarks.tuning.opponents import WITHOUT, Found, Tuner, baseline, found, ours
from benchmarks.tuning.scaling import scaled
from benchmarks.tuning.simulated import Exhaustive, asked, candidate, size, tune
from benchmarks.tuning.worlds import CASES, CONNECTS, EQUAL, IN_VAIN, NOISY, UNLAWFUL, USUAL, Case
from benchsuite.tuning.answer import Outcome
from benchsuite.tuning.confirming import FEWEST_STARTS
from benchsuite.tuning.notebook import End, State
from benchsuite.tuning.trial import Phase

STEPS, BUDGETS, MODES = "steps", "budgets", "modes"
PARTS = {"usual": USUAL, "unlawful": UNLAWFUL, "noisy": NOISY, STEPS: (), BUDGETS: (), MODES: ()}
"""`modes`: two that are equal, a rate, one size alone, on several CPUs, what runs now."""
SEEDS = 10_000  #: Constants were chosen with others.
FEW = ("no recovery", "between", "10 %")
"""Worlds in which steps and budgets are compared."""
MINUTES = (2, 3, 5, 8, 15)
HEAD = ("world", "short of the best, mean / worst", "baseline", "within", "confirmed")
HEAD += ("holds a minute", "baseline", "rate told, of the true one", "minutes")


def row(case: Case, tunings: int) -> list[str]:
    """What so many tunings of that world found."""
    seeds = range(SEEDS, SEEDS + tunings)
    own, theirs = found(case, ours, seeds), found(case, baseline, seeds)
    short, near, confirmed, kept = own.cells
    other_short, _, _, other_kept = theirs.cells
    told = f"{100 * mean(own.rates):.0f} %" if own.rates else "—"
    minutes = f"{median(own.took_s) / 60:.1f}"
    return [
        *(case.world.name, short, other_short, near, confirmed),
        *(kept, other_kept, told, minutes),
    ]


def few(tuner: Tuner, tunings: int, budget_s: float = 900.0) -> list[str]:
    """The same of some worlds together."""
    together = Found()
    for case in CASES:
        if case.world.name in FEW:
            together.add(found(case, tuner, range(SEEDS, SEEDS + tunings), budget_s))
    told = f"{100 * mean(together.rates):.0f} %" if together.rates else "—"
    return [*together.cells, told]


def equals(tunings: int) -> str:
    """How often two that are equally good are not told apart, and the lesser memory is picked."""
    sizes = [candidate(*size) for size in (("gthread", 1, 16), ("granian", 1, 8), ("uwsgi", 1, 8))]
    alike = least = 0
    for seed in range(tunings):
        question = asked(EQUAL.world, EQUAL.objective, seed)
        told = Outcome(tune(EQUAL.world, question, sizes))
        if {told.pick, *told.notebook.decided(State.NOT_TOLD_APART)} == set(sizes[:2]):
            alike += 1
            least += told.pick == sizes[1]
    return (
        f"Two servers that are equally good are not told apart in {share(alike, tunings)} of "
        f"{tunings} tunings, and in {share(least, alike)} of these the one with less memory is "
        "recommended."
    )


def rated(tunings: int) -> str:
    """How often the least memory that holds a rate is found, and how much more it is else."""
    case = next(case for case in CASES if case.world.name == "waits")
    truth = Exhaustive(case.world, case.objective)
    rate = round(0.6 * truth.best)
    able = [one for one in truth.sizes if truth.does_hold(one, 1.05 * rate)]
    least = min(case.world.memory_of(size(one)) for one in able)
    found, held, more = 0, 0, [0.0]
    for seed in range(tunings):
        pick = tune(case.world, asked(case.world, case.objective, seed, rate)).pick()
        if pick is not None:
            found += 1
            held += truth.does_hold(pick, rate)
            more.append(case.world.memory_of(size(pick)) / least - 1)
    return (
        f'--rate={rate} in the world "waits": a size is recommended in {share(found, tunings)} of '
        f"{tunings} tunings, and {share(held, found)} of these hold the rate; they take at most "
        f"{100 * max(more):.0f} % more memory than the least that holds 5 % more."
    )


def alone(tunings: int) -> str:
    """What share of its true capacity is told of one size."""
    case = next(case for case in CASES if case.world.name == "waits")
    truth, only = Exhaustive(case.world, case.objective), candidate("gthread", 2, 8)
    told = []
    for seed in range(tunings):
        question = replace(asked(case.world, case.objective, seed), only=only)
        if rate := Outcome(tune(case.world, question)).rate:
            told.append(rate / truth.of(only))
    return (
        f"The capacity of one size there: confirmed in {share(len(told), tunings)} of {tunings} "
        f"tunings; the rate told is {100 * min(told):.0f} to {100 * max(told):.0f} % "
        f"of the true one, {100 * mean(told):.0f} % on average."
    )


def varied(tunings: int) -> str:
    """How often another setting is worth trying where it helps, and where it does nothing."""
    found = []
    for world in (CONNECTS, IN_VAIN):
        worth = 0
        for seed in range(tunings):
            notebook = tune(world, asked(world, seed=seed), [candidate("gthread", 1, 4)])
            (one,) = (each for each in notebook.states if each.changes)
            worth += notebook.state(one) is State.WORTH_TRYING
        found.append(share(worth, tunings))
    return (
        f"A pool that makes requests a fifth cheaper is worth trying in {found[0]} of {tunings} "
        f"tunings, one that changes nothing in {found[1]}."
    )


def current(tunings: int) -> str:
    """How often what runs now has fresh starts, and the pick its rate."""
    fresh = confirmed = 0
    for case in (CASES[2], NOISY[-1]):
        for seed in range(tunings):
            question = replace(
                asked(case.world, case.objective, seed), current=candidate("gthread", 3, 2)
            )
            notebook = tune(case.world, question)
            fresh += len(notebook.of(question.current, Phase.CONFIRM)) >= FEWEST_STARTS
            confirmed += notebook.end is End.CONFIRMED
    count = 2 * tunings
    return (
        f'--current in the worlds "waits" and "waits, 15 %": it has fresh starts in '
        f"{share(fresh, count)} of {count} tunings, and the pick is confirmed in "
        f"{share(confirmed, count)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", default=[*PARTS], choices=[*PARTS])
    parser.add_argument("--tunings", type=int, default=40)
    options = parser.parse_args()
    tunings = options.tunings
    figures = ("short of the best", "within", "confirmed", "holds", "rate told")
    if cases := [case for part in options.part for case in PARTS[part]]:
        rows = []
        for case in cases:
            rows.append(row(case, tunings))
            print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)  # some worlds take a minute
        print(markdown(HEAD, rows), flush=True)
    if STEPS in options.part:
        rows = [[name, *few(tuner, tunings)] for name, tuner in WITHOUT.items()]
        print(f"\n{markdown(('search', *figures), rows)}", flush=True)
    if BUDGETS in options.part:
        rows = [
            [
                f"{minutes} min",
                *few(ours, tunings, 60.0 * minutes),
                *few(baseline, tunings, 60.0 * minutes),
            ]
            for minutes in MINUTES
        ]
        head = ("budget", *figures, *(f"baseline: {name}" for name in figures))
        print(f"\n{markdown(head, rows)}", flush=True)
    if MODES in options.part:
        for told in (equals, rated, alone, current, scaled, varied):
            print(f"\n{told(tunings)}")


if __name__ == "__main__":
    main()
