"""How well the search of `tunebench` finds the best size, in worlds whose best is known.

    python -m benchmarks.tuning [usual] [unlawful] [noisy] [modes] [--tunings 40]

Prints, world by world: by how much the pick falls short of the best size, how often that is within
5 %, what share the rate that was told is of the true one, how often it holds for a minute of that
world, how many of those that are told to be behind the pick are not, how long the tuning took, and
what share that is of measuring every size in six starts at five rates. Takes about two seconds a
tuning.
"""

import argparse
from dataclasses import replace
from statistics import mean, median

from benchmarks.table import markdown, share
from benchmarks.tuning.scaling import scaled
from benchmarks.tuning.simulated import Exhaustive, asked, candidate, keeps, size, tune
from benchmarks.tuning.worlds import CASES, CONNECTS, EQUAL, IN_VAIN, NOISY, UNLAWFUL, USUAL, Case
from benchsuite.core.units import format_period
from benchsuite.tuning.answer import outcome
from benchsuite.tuning.confirming import FEWEST_STARTS
from benchsuite.tuning.notebook import End, State
from benchsuite.tuning.trial import Phase

MODES = "modes"  #: Two that are equal, a rate, one size alone, on several CPUs, what runs now.
PARTS = {"usual": USUAL, "unlawful": UNLAWFUL, "noisy": NOISY, MODES: ()}
HEAD = (
    "world",
    "what it is",
    "sizes",
    "short of the best, mean / worst",
    "within 5 %",
    "confirmed",
    "rate told, of the true one",
    "holds a minute",
    "behind, and isn't",
    "time, median / longest",
    "of exhaustive",
)


def row(case: Case, tunings: int) -> list[str]:
    """What so many tunings of that world found."""
    truth = Exhaustive(case.world, case.objective)
    regrets, rates, kept, took, wrong, confirmed = [], [], [], [], [], 0
    for seed in range(tunings):
        question = asked(case.world, case.objective, seed)
        notebook = tune(case.world, question)
        told = outcome(notebook)
        took.append(notebook.spent_s)
        wrong += [
            truth.of(one.candidate) >= truth.of(told.pick)
            for one in told.rows
            if one.state is State.BEHIND and told.pick
        ]
        regrets.append(truth.regret(told.pick) if told.pick else 1.0)
        if notebook.end is End.CONFIRMED and told.pick and told.rate:
            confirmed += 1
            rates.append(told.rate / truth.of(told.pick))
            kept.append(keeps(case.world, question, told.pick, told.rate, notebook.spent_s))
    return [
        case.world.name,
        case.says,
        str(len(truth.sizes)),
        f"{100 * mean(regrets):.1f} / {100 * max(regrets):.1f} %",
        share(sum(one <= 0.05 for one in regrets), tunings),
        share(confirmed, tunings),
        f"{100 * mean(rates):.0f} %" if rates else "—",
        share(sum(kept), len(kept)),
        f"{sum(wrong)} of {len(wrong)}",
        f"{median(took) / 60:.1f} / {max(took) / 60:.1f} min",
        f"{100 * mean(took) / truth.took_s():.1f} % of {format_period(truth.took_s())}",
    ]


def equals(tunings: int) -> str:
    """How often two that are equally good are not told apart, and the lesser memory is picked."""
    sizes = [candidate(*size) for size in (("gthread", 1, 16), ("granian", 1, 8), ("uwsgi", 1, 8))]
    alike = least = 0
    for seed in range(tunings):
        question = asked(EQUAL.world, EQUAL.objective, seed)
        told = outcome(tune(EQUAL.world, question, sizes))
        if {told.pick, *(one.candidate for one in told.not_told_apart)} == set(sizes[:2]):
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
        if rate := outcome(tune(case.world, question)).rate:
            told.append(rate / truth.of(only))
    return (
        f"The capacity of one size there: confirmed in {share(len(told), tunings)} of {tunings} "
        f"tunings; the rate told is {100 * min(told):.0f} to {100 * max(told):.0f} % "
        f"of the true one, {100 * mean(told):.0f} % on average."
    )


def varied(tunings: int) -> str:
    """How often another setting is recommended where it helps, and where it does nothing."""
    found = []
    for world in (CONNECTS, IN_VAIN):
        taken = mentioned = 0
        for seed in range(tunings):
            question = replace(asked(world, seed=seed), budget_s=1500.0)
            notebook = tune(world, question, [candidate("gthread", 1, 4)])
            (one,) = (each for each in notebook.states if each.changes)
            taken += notebook.state(one) is State.RECOMMENDED
            mentioned += notebook.state(one) is State.WORTH_TRYING
        found.append(
            f"{share(taken, tunings)} (and is worth trying in {share(mentioned, tunings)})"
        )
    return (
        f"A pool that makes requests a fifth cheaper is recommended in {found[0]} of {tunings} "
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
    if cases := [case for part in options.part for case in PARTS[part]]:
        print(markdown(HEAD, [row(case, options.tunings) for case in cases]))
    if MODES in options.part:
        for told in (equals, rated, alone, current, scaled, varied):
            print(f"\n{told(options.tunings)}")


if __name__ == "__main__":
    main()
