"""Whether the pick of a real tuning is the best of its candidates: each is asked alone.

    python manage.py tunebench WORDS --json=DIR/tuning.json
    python -m benchmarks.tuning.exhaustive DIR -- WORDS

makes `tunebench --server=… --processes=… --threads=…` of each candidate that the tuning did not
refuse, also of those that it bounded out or dropped, in random order. What stands in DIR already is
not made again, so it goes on where it was stopped. WORDS say what is measured, and the objective
(`--workload=io_read --database=postgresql --objective="p95 < 200ms"`). Takes about two minutes a
candidate.

Prints the rate that each just holds, with its 95 % interval over starts, by all rates of all its
starts, what share that is of the best, and what the tuning made of it.
"""

import argparse
import json
import math
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.table import markdown
from benchsuite.core.plain import read
from benchsuite.core.units import format_number
from benchsuite.stats.capacity import crossing, shifted
from benchsuite.tuning.confirming import FEWEST_STARTS, interval
from benchsuite.tuning.notebook import Entry, Notebook, State
from benchsuite.tuning.question import Question
from benchsuite.tuning.trial import Candidate, Observation, Phase, Trial

TUNING = "tuning.json"
WINDOW_S = 3.0  #: Of each rate; the ladder's are half as long.
BUDGET_S = 150.0
ANSWERED = (0, 3)  #: Statuses of `tunebench` with an answer, confirmed or not.
TRIED = (Phase.LADDER, Phase.RACE, Phase.CONFIRM)
HEAD = ("configuration", "just holds", "95 % interval", "starts", "of the best", "in the tuning")


def measured(folder: Path, candidate: Candidate, words: list[str]) -> Notebook:
    """What one that is asked alone showed, now or earlier."""
    file = folder / f"{candidate.name.replace(' ', '_')}.json"
    if not file.exists():
        threads = [] if candidate.threads is None else [f"--threads={candidate.threads}"]
        command = [
            *(sys.executable, "manage.py", "tunebench", *words),
            *(f"--server={candidate.server}", f"--processes={candidate.processes}", *threads),
            *(f"--option={name}={value}" for name, value in candidate.options),
            *(f"--window={WINDOW_S:g}s", f"--budget={BUDGET_S:g}s", f"--json={file}"),
        ]
        done = subprocess.run(command, check=False)
        if done.returncode not in ANSWERED:
            raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return notebook(json.loads(file.read_text()))


def notebook(data: dict[str, Any]) -> Notebook:
    """What the JSON file of a tuning says that it saw."""
    entries = [
        Entry(
            read(Trial, {name: one[name] for name in one if name not in ("run", "observation")}),
            read(Observation, one["observation"]),
        )
        for one in data["trials"]
    ]
    return Notebook(read(Question, data["question"]), entries)


def rates(book: Notebook) -> list[float]:
    """Logarithms of the rate that each start of the only candidate just held."""
    assert book.question.only is not None
    entries = book.of(book.question.only, *TRIED)
    starts = [found for one in entries if (found := book.points([one]))]
    if not starts:
        return []
    whole = crossing([point for start in starts for point in start])
    return [shifted(start, whole) for start in starts]


def table(found: Mapping[Candidate, Sequence[float]], states: Mapping[Candidate, str]) -> str:
    """The best first."""
    means = {one: sum(logs) / len(logs) for one, logs in found.items()}
    best = max(means.values())
    rows = []
    for one in sorted(means, key=lambda one: -means[one]):
        ends = "—"
        if len(found[one]) >= FEWEST_STARTS:
            mean, half = interval(found[one])
            ends = " to ".join(format_number(math.exp(mean + side)) for side in (-half, half))
        rate, share = math.exp(means[one]), 100 * math.exp(means[one] - best)
        starts = str(len(found[one]))
        holds = f"{format_number(rate)} /s"
        rows.append([one.name, holds, ends, starts, f"{share:.1f} %", states[one]])
    return markdown(HEAD, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="+")
    given = parser.parse_args()
    data = json.loads((given.folder / TUNING).read_text())
    states = {
        read(Candidate, row["candidate"]): row["state"]
        for row in data["answer"]["rows"]
        if row["state"] != State.REFUSED.value and not row["candidate"]["changes"]
    }
    order = list(states)
    random.Random(0).shuffle(order)
    every = {one: rates(measured(given.folder, one, given.words)) for one in order}
    print(table({one: logs for one, logs in every.items() if logs}, states))
    for one in order:
        if not every[one]:
            print(f"{one.name} held no rate ({states[one]}).")


if __name__ == "__main__":
    main()
