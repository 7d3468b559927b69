"""How often an injected bottleneck is named, and how often one is named of a healthy run.

python -m benchmarks.bottlenecks [--times 10] [--seconds 3] [--only L03,L10] [--record FILE]

What was seen is written to the file, run by run; what is there already is not measured again, and
the table is made of all of it, by the rules of today.
"""

import argparse
import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import django

from benchmarks.limited.cases import CASES, HEALTHY, Case
from benchmarks.machine import command_line, description
from benchmarks.table import markdown
from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import Alone, LimitEvidence, Other
from benchsuite.core.plain import plain, read
from benchsuite.core.results import RunResult
from benchsuite.stats.compare import Estimate, ratio
from benchsuite.system import cpus
from tests.integration.runs import Quiet

SETTINGS = "benchmarks.limited.settings"
BLOCKS = 6  #: Of how many rounds paired starts are compared.
FEWER = 4  #: Rounds with healthy runs, of which there are five each.

Key = tuple[str, int]  #: The words of a case, and its round.


def measured(
    cases: Sequence[Case], times: int, seconds: float, seen: dict[Key, LimitEvidence]
) -> Iterator[tuple[Key, LimitEvidence]]:
    """What is not seen yet, round by round."""
    from benchsuite.runner import Session, planning

    target, load = cpus.split(cpus.available(), 1) or (None, None)
    with Session(settings_module=SETTINGS).opened() as at_work:
        for turn in range(times):
            for case in cases:
                key = (case.words, turn)
                if key in seen or (case.number == HEALTHY and turn >= FEWER):
                    continue
                spec = case.spec(target, load, seconds, seed=turn)
                result = at_work.run(planning.resolve(spec), Quiet())
                if result.total is None:  # the next call measures it
                    print(f"{case.words}: {result.failure}", file=sys.stderr, flush=True)
                    continue
                found = evidence_of(result)
                if case.is_diagnosed:
                    again = at_work.run(planning.resolve(spec.diagnosed), Quiet())
                    found = replace(found, diagnosis=evidence_of(again).diagnosis)
                if case.beside_one:
                    one = evidence_of(at_work.run(planning.resolve(case.alone(spec)), Quiet()))
                    alone = Alone(mean_s=one.response_s or math.nan, p95_s=one.p95_s)
                    found = replace(found, alone=alone)
                yield key, found


def evidence_of(result: RunResult) -> LimitEvidence:
    """As of its stored row."""
    from benchsuite import store
    from benchsuite.report.limiting import evidence
    from benchsuite.runner import planning

    facts = planning.resolve(result.spec).server_facts
    run = store.begun(result.spec, batch=uuid4(), started_at=result.started_at, server_facts=facts)
    store.fill(run, result)
    found = evidence(run)
    if found is None:
        raise SystemExit(f"{result.spec.server.server}: {result.failure or 'no answers'}")
    return found


def named(case: Case, turn: int, seen: Mapping[Key, LimitEvidence]) -> set[str] | None:
    """The rules that speak of it; None where there are too few rounds to compare it."""
    found = seen[case.words, turn]
    if case.beside:
        other = beside(case, turn, seen)
        if other is None:
            return None
        found = replace(found, alternatives=[other])
    return {one.code.split()[0] for one in bottlenecks.name(found)}


def beside(case: Case, turn: int, seen: Mapping[Key, LimitEvidence]) -> Other | None:
    """What it is compared with, in this round and those after it; after the last in the first."""
    words = case.words, case.beside
    both = sorted({one for _, one in seen if all((name, one) in seen for name in words)})
    place = both.index(turn) if turn in both else 0
    turns = (both + both)[place : place + BLOCKS] if len(both) >= BLOCKS else []

    def compared(name: str) -> Estimate | None:
        own, theirs = (
            {one: math.log(getattr(seen[which, one], name) or math.nan) for one in turns}
            for which in words
        )
        return ratio(own, theirs)

    rate, cpu = compared("rate"), compared("own_cpu_s")
    if rate is None or cpu is None:
        return None
    base = seen[case.beside, turns[0]]
    size = {"processes": base.processes or 1, "threads": base.threads or 1}
    return Other(**size, interface=base.interface, rate=rate, cpu=cpu)


def recorded(file: Path | None) -> dict[Key, LimitEvidence]:
    if file is None or not file.exists():
        return {}
    rows = map(json.loads, file.read_text().splitlines())
    return {(row["case"], row["round"]): read(LimitEvidence, row["evidence"]) for row in rows}


def rows(cases: Sequence[Case], seen: Mapping[Key, LimitEvidence]) -> Iterator[list[str]]:
    for case in cases:
        turns = sorted(turn for words, turn in seen if words == case.words)
        said = [one for turn in turns if (one := named(case, turn, seen)) is not None]
        if not said:
            continue
        right = sum(case.number in one if case.number != HEALTHY else not one for one in said)
        others = Counter(number for one in said for number in one - {case.number})
        yield [
            case.words,
            case.number,
            f"{right} of {len(said)}",
            ", ".join(f"{many} × {number}" for number, many in sorted(others.items())) or "—",
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=10, help="of each case")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each window")
    parser.add_argument("--only", default="", help="the cases of these rules, or none")
    parser.add_argument("--record", type=Path, help="where it is kept, to go on from there")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "testproject.settings.console")
    django.setup()
    sys.argv[0] = str(Path(sys.argv[0]).resolve())
    only = set(filter(None, given.only.split(",")))
    wanted = {case.beside for case in CASES if case.number in only}
    cases = [one for one in CASES if not only or one.number in only or one.words in wanted]
    begun, load = datetime.now().astimezone(), [os.getloadavg()[0]]
    seen = recorded(given.record)
    for key, found in measured(cases, given.times, given.seconds, seen):
        seen[key] = found
        load.append(os.getloadavg()[0])
        if given.record:
            line = {"case": key[0], "round": key[1], "evidence": plain(found)}
            with given.record.open("a") as stream:
                stream.write(f"{json.dumps(line)}\n")
        numbers = sorted(one.code.split()[0] for one in bottlenecks.name(found))
        print(f"{key[1] + 1}. {key[0]}: {numbers}", file=sys.stderr, flush=True)
    busy = f"load average {min(load):.1f} to {max(load):.1f}"
    print(f"{description()}\n\n`{command_line()}`, {begun:%Y-%m-%d %H:%M}; {busy}\n")
    print(markdown(["injected", "rule", "named", "others that spoke"], list(rows(cases, seen))))


if __name__ == "__main__":
    main()
