"""How well the search of `tunebench` finds the best size, in worlds whose best is known.

    python -m benchmarks.tuning [--tunings 40] [--world CPU]

Prints, world by world: by how much the pick falls short of the best size, how often that is
within 5 %, how often the rate that was told holds for a minute of that world, how long the tuning
took, and what share that is of measuring every size in six starts at five rates. Takes about a
second a tuning, and a minute a world for the truth.
"""

import argparse
from statistics import mean, median

from benchmarks.table import markdown
from benchmarks.tuning.simulated import Exhaustive, asked, candidate, holds, tune
from benchmarks.tuning.worlds import CASES, EQUAL, Case
from benchsuite.core.units import format_period
from benchsuite.tuning.answer import answer
from benchsuite.tuning.notebook import End

HEAD = (
    "world",
    "what it is",
    "sizes",
    "short of the best, mean / worst",
    "within 5 %",
    "confirmed",
    "rate holds a minute",
    "time, median / longest",
    "of exhaustive",
)


def row(case: Case, tunings: int) -> list[str]:
    """What so many tunings of that world found."""
    truth = Exhaustive(case.world, case.objective)
    regrets, kept, took, confirmed = [], [], [], 0
    for seed in range(tunings):
        question = asked(case.world, case.objective, seed)
        book = tune(case.world, question)
        told = answer(book)
        took.append(book.spent_s)
        regrets.append(truth.regret(told.pick) if told.pick else 1.0)
        if book.end is End.CONFIRMED and told.pick and told.rate:
            confirmed += 1
            kept.append(holds(case.world, question, told.pick, told.rate, book.spent_s))
    return [
        case.world.name,
        case.says,
        str(len(truth.sizes)),
        f"{100 * mean(regrets):.1f} / {100 * max(regrets):.1f} %",
        _share(sum(one <= 0.05 for one in regrets), tunings),
        _share(confirmed, tunings),
        _share(sum(kept), len(kept)),
        f"{median(took) / 60:.1f} / {max(took) / 60:.1f} min",
        f"{100 * mean(took) / truth.took_s():.1f} % of {format_period(truth.took_s())}",
    ]


def equals(tunings: int) -> str:
    """How often two that are equally good are not told apart, and the lesser memory is picked."""
    sizes = [candidate(*size) for size in (("gthread", 1, 16), ("granian", 1, 8), ("uwsgi", 1, 8))]
    alike = least = 0
    for seed in range(tunings):
        question = asked(EQUAL.world, EQUAL.objective, seed)
        told = answer(tune(EQUAL.world, question, sizes))
        if {told.pick, *(one.candidate for one in told.not_told_apart)} == set(sizes[:2]):
            alike += 1
            least += told.pick == sizes[1]
    return (
        f"Two servers that are equally good are not told apart in {_share(alike, tunings)} of "
        f"{tunings} tunings, and in {_share(least, alike)} of these the one with less memory is "
        "recommended."
    )


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.0f} %" if of else "—"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tunings", type=int, default=40)
    parser.add_argument("--world", choices=[case.world.name for case in CASES])
    options = parser.parse_args()
    chosen = [case for case in CASES if options.world in (None, case.world.name)]
    print(markdown(HEAD, [row(case, options.tunings) for case in chosen]))
    if options.world is None:
        print(f"\n{equals(options.tunings)}")


if __name__ == "__main__":
    main()
