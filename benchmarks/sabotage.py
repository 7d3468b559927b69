"""Breaks runs at random and counts how often it is said: python -m benchmarks.sabotage

`--count` runs are made one after another. A fifth of them is left alone; in each of the others
something is wrong, drawn by chance: what, how much of it, when, of which server, under which load.
Each fault names the findings that are a true sentence about it. It is caught when one of them is
made, named wrongly when only others are, and missed when there is none. A fault below the threshold
that the docs state is no fault: like the runs left alone, it must not be accused of anything else.

The same seed draws the same cases. `--only` makes the cases of a number or of a kind; with
`--journal FILE` the outcomes are kept, and a call that was cut short (`--minutes`) goes on.
"""

import argparse
import dataclasses
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import django
import psutil

from benchmarks.faults.case import Case, NotPossible
from benchmarks.faults.drawing import drawn
from benchmarks.faults.judging import Ending, Outcome, judged
from benchmarks.machine import command_line, description
from benchmarks.table import markdown
from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.system import lock

FAULTY = (Ending.CAUGHT, Ending.WRONG, Ending.MISSED)
SOUND = (Ending.SILENT, Ending.WEAK, Ending.INVALID)


class Bench:
    """Makes runs, in one session for each project; databases are made once."""

    def __init__(self, stack: ExitStack) -> None:
        from tests.sabotage.runs import Laboratory

        self._stack = stack
        self._made: dict[str, Laboratory] = {}

    def outcome(self, case: Case) -> Outcome:
        from tests.sabotage.runs import laboratory

        if case.settings not in self._made:
            lab = self._stack.enter_context(laboratory(case.settings))
            self._made[case.settings] = lab
        lab = self._made[case.settings]
        run = dict(case.run)
        lab.ceilings[:] = run.pop("ceilings", ())
        try:
            with lock.alone(lambda pid: None), case.during() as more:
                return judged(case, lab.run(**{**run, **more}))
        except (BenchsuiteError, NotPossible, OSError, psutil.Error) as error:
            return Outcome(
                number=case.number,
                kind=case.kind,
                ending=Ending.UNMADE,
                disturbed=False,
                codes=(),
                said=[str(error)],
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="number of the first case")
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no case after these")
    parser.add_argument("--only", metavar="N|KIND", help="the case of this number, or this kind's")
    parser.add_argument("--journal", type=Path, help="where outcomes are kept")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    begun, busy = datetime.now().astimezone(), [os.getloadavg()[0]]
    outcomes = _kept(given.journal)
    done = {one.number for one in outcomes}
    cases = [one for one in _cases(given) if one.number not in done]
    latest = monotonic() + 60 * given.minutes
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="sabotage-")))
        os.environ["SICK_STORE"] = str(folder / "store")
        bench = Bench(stack)
        for case in takewhile(lambda _: monotonic() < latest, cases):
            outcome = bench.outcome(case)
            outcomes.append(outcome)
            busy.append(os.getloadavg()[0])
            print(_line(case, outcome, given.seed), file=sys.stderr, flush=True)
            _keep(given.journal, outcome)
    print(f"{description()}\n")
    print(
        f"`{command_line()}`, {begun:%Y-%m-%d %H:%M}; load average {min(busy):.1f} to "
        f"{max(busy):.1f}\n"
    )
    print(f"{table(outcomes)}\n\n{totals(outcomes)}")
    return 0


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    if given.only and given.only.isdecimal():
        return iter([drawn(given.seed, int(given.only))])
    numbers = range(given.first, given.first + given.count)
    cases = (drawn(given.seed, number) for number in numbers)
    return (one for one in cases if given.only in (None, one.kind))


def _kept(journal: Path | None) -> list[Outcome]:
    if journal is None or not journal.exists():
        return []
    rows = [json.loads(line) for line in journal.read_text().splitlines()]
    return [Outcome(**{**row, "ending": Ending(row["ending"])}) for row in rows]


def _keep(journal: Path | None, outcome: Outcome) -> None:
    if journal is not None:
        with journal.open("a") as file:
            file.write(json.dumps(dataclasses.asdict(outcome)) + "\n")


def _line(case: Case, outcome: Outcome, seed: int) -> str:
    told = f"{case.number}: {case.kind}, {case.words}: {outcome.ending} ({' '.join(outcome.codes)})"
    if outcome.ending in (Ending.CAUGHT, Ending.SILENT):
        return told
    said = "".join(f"\n  {one}" for one in outcome.said)
    return (
        f"{told}{said}\n  again: python -m benchmarks.sabotage --seed {seed} --only {case.number}"
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """How the runs of each kind ended."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in outcomes:
        for row in (counts[one.kind], counts["all"]):
            row.update(["runs", one.ending])
    order = sorted(counts, key=lambda kind: (kind == "all", kind))
    names = ["runs", *Ending]
    rows = [[kind, *(str(counts[kind][name]) for name in names)] for kind in order]
    return markdown(["kind", *names], rows)


def totals(outcomes: Sequence[Outcome]) -> str:
    """Shares of faults and of sound runs, of all and of those that nobody disturbed."""
    rows = []
    for words, among in (("", outcomes), (", undisturbed", _undisturbed(outcomes))):
        for endings, whole in ((FAULTY, "faults"), (SOUND, "sound runs")):
            all_of = [one for one in among if one.ending in endings]
            for ending in endings:
                count = sum(one.ending is ending for one in all_of)
                rows.append([f"{whole}{words}: {ending}", str(count), *_share(count, len(all_of))])
    return markdown(["", "runs", "of", "share", "95 % interval"], rows)


def _undisturbed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if not one.disturbed]


def _share(count: int, of: int) -> list[str]:
    """How many there are, the share, and Wilson's interval of it."""
    from scipy.stats import binomtest

    if not of:
        return ["0", "—", "—"]
    low, high = binomtest(count, of).proportion_ci(method="wilson")
    percent, least, most = (f"{100 * share:.1f}" for share in (count / of, low, high))
    return [str(of), f"{percent} %", f"{least} to {most} %"]


if __name__ == "__main__":
    sys.exit(main())
