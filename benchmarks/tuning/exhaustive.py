"""Whether the pick of a real tuning is the best of its candidates: all are started side by side.

    python manage.py tunebench WORDS --json=DIR/tuning.json
    python -m benchmarks.tuning.exhaustive DIR [--blocks 6] -- WORDS

WORDS say what is measured, and the objective (`--workload=io_read --objective="p95 < 200ms"`). In
each block every candidate that the tuning did not refuse starts once, also those that it bounded
out or dropped, in random order, at the same arrivals at rates around the estimate of the pick. So a
machine whose speed changes favours none. What was seen stands in DIR and is not measured again. A
start takes about 18 seconds.

Prints the rate that each just holds, as the mean over blocks, and what share that is of the pick's,
with its 95 % interval over the blocks.
"""

import argparse
import json
import math
import os
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from time import monotonic
from typing import Any

import django

from benchmarks.false_alarms import Silent
from benchmarks.table import markdown
from benchsuite.core.plain import plain, read
from benchsuite.core.units import format_number
from benchsuite.tuning.confirming import FEWEST_STARTS, interval
from benchsuite.tuning.notebook import Entry, Notebook, State
from benchsuite.tuning.trial import Candidate, Load, Observation, Phase, Trial

TUNING, SEEN = "tuning.json", "seen.jsonl"
SETTINGS = "testproject.settings.target"
LEVELS = (0.85, 0.95, 1.05, 1.15)  #: Of the pick's estimate.
WARMUP_S, WINDOW_S = 1.0, 3.0  #: Of each of them.
HEAD = ("configuration", "just holds", "of the pick, 95 % interval", "blocks", "in the tuning")


def asked_by(words: Sequence[str]) -> Any:
    """What `tunebench` makes of these words."""
    from benchsuite.management.commands.tunebench import Command
    from benchsuite.management.options import tune

    options = Command().create_parser("manage.py", "tunebench").parse_args([*words])
    return tune.asked(vars(options))


def trials(candidates: Iterable[Candidate], rate: float, blocks: int) -> Iterator[Trial]:
    """All starts in their order, which is the same each time."""
    load = Load(rates=tuple(level * rate for level in LEVELS), warmup_s=WARMUP_S, window_s=WINDOW_S)
    for block in range(blocks):
        order = list(candidates)
        random.Random(block).shuffle(order)
        for one in order:
            yield Trial(
                candidate=one, phase=Phase.RACE, load=load, seed=block, reason=f"block {block + 1}"
            )


def measured(asked: Any, planned: list[Trial], file: Path) -> list[Entry]:
    """What all of them showed, now or earlier."""
    from benchsuite.management.tuning.observing import observation
    from benchsuite.management.tuning.trials import spec_of
    from benchsuite.runner import planning, preflight, session

    seen = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    entries = [Entry(read(Trial, one["trial"]), read(Observation, one["seen"])) for one in seen]
    if [one.trial for one in entries] != planned[: len(entries)]:
        raise SystemExit(f"{file} is of another tuning, or of other candidates: remove it.")
    objective = asked.question.objective
    with session(settings_module=SETTINGS) as at_work, file.open("a") as kept:
        for trial in planned[len(entries) :]:
            plan = planning.resolve(spec_of(trial, asked.spec, objective))
            preflight.check(plan)
            begun = monotonic()
            result = at_work.run(plan, Silent())
            found = observation(trial, result, objective, monotonic() - begun)
            entries.append(Entry(trial, found))
            kept.write(json.dumps({"trial": plain(trial), "seen": plain(found)}) + "\n")
            kept.flush()
            said = [f"{one.met[0]}/{one.planned} at {one.rate:.0f}/s" for one in found.levels]
            print(trial.reason, trial.candidate.name, *said, file=sys.stderr, flush=True)
    return entries


def table(
    logs: Mapping[Candidate, Mapping[int, float]], pick: Candidate, states: Mapping[Candidate, str]
) -> str:
    """The best first, by the logarithm of the rate that each just held in each block."""
    order = sorted(filter(logs.get, logs), key=lambda one: -mean(logs[one].values()))
    return markdown(HEAD, [_row(one, logs[one], logs[pick], states[one]) for one in order])


def _row(
    one: Candidate, own: Mapping[int, float], picks: Mapping[int, float], state: str
) -> list[str]:
    beside = [own[seed] - picks[seed] for seed in own if seed in picks]
    share = "—"
    if len(beside) >= FEWEST_STARTS and own != picks:
        middle, half = interval(beside)
        low, ratio, high = (100 * math.exp(middle + side) for side in (-half, 0.0, half))
        share = f"{ratio:.1f} % [{low:.1f}, {high:.1f}]"
    rate = f"{format_number(math.exp(mean(own.values())))} /s"
    return [one.name, rate, share, str(len(own)), state]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("words", nargs="+")
    parser.add_argument("--blocks", type=int, default=6)
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    rows = {
        read(Candidate, row["candidate"]): row
        for row in json.loads((given.folder / TUNING).read_text())["answer"]["rows"]
        if row["state"] != State.REFUSED.value and not row["candidate"]["changes"]
    }
    states = {one: row["state"] for one, row in rows.items()}
    pick = next(one for one, state in states.items() if state == State.RECOMMENDED.value)
    asked = asked_by(given.words)
    planned = [*trials(rows, rows[pick]["estimate"], given.blocks)]
    book = Notebook(asked.question, measured(asked, planned, given.folder / SEEN))
    logs = {one: book.blocks(one) for one in states}
    print(table(logs, pick, states))
    for one in states:
        if not logs[one]:
            print(f"{one.name} held no rate ({states[one]}).")


if __name__ == "__main__":
    main()
