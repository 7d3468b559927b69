"""How often an injected bottleneck is named, and how often one is named of a healthy run.

python -m benchmarks.bottlenecks [--times 10] [--seconds 4] [--only L03,L10] [--record FILE]

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
from typing import Any

import django

from benchmarks.false_alarms import Silent
from benchmarks.limited.cases import CASES, HEALTHY, Case
from benchmarks.machine import command_line, description
from benchmarks.table import markdown
from benchsuite import bottlenecks
from benchsuite.bottlenecks.evidence import Evidence, Other
from benchsuite.bottlenecks.paired import ratio
from benchsuite.core.plain import plain, read
from benchsuite.core.results import RunResult
from benchsuite.system import cpus

SETTINGS = "benchmarks.limited.settings"
BLOCKS = 3  #: Of how many rounds paired starts are compared.
FEWER = 4  #: Rounds with healthy runs, of which there are five each.

Key = tuple[str, int]  #: The words of a case, and its round.


def measured(
    cases: Sequence[Case], times: int, seconds: float, seen: dict[Key, Evidence]
) -> Iterator[tuple[Key, Evidence]]:
    """What is not seen yet, round by round."""
    from benchsuite.runner import planning, session

    target, load = cpus.split(cpus.available(), 1) or (None, None)
    with session(settings_module=SETTINGS) as at_work:
        for turn in range(times):
            for case in cases:
                key = (case.words, turn)
                if key in seen or (case.number == HEALTHY and turn >= FEWER):
                    continue
                spec = case.spec(target, load, seconds, seed=turn)
                result = at_work.run(planning.resolve(spec), Silent())
                if result.total is None:
                    raise SystemExit(f"{case.words}: {result.failure}")
                found = evidence_of(result)
                if case.is_diagnosed:
                    again = at_work.run(planning.resolve(spec.diagnosed), Silent())
                    found = replace(found, diagnosis=evidence_of(again).diagnosis)
                if case.beside_one:
                    one = at_work.run(planning.resolve(case.alone(spec)), Silent())
                    found = replace(found, alone=alone_of(one))
                yield key, found


def evidence_of(result: RunResult) -> Evidence:
    """As of its stored row."""
    from benchsuite.comparing.limiting import evidence

    found = evidence(_row(result))
    if found is None:
        raise SystemExit(f"{result.spec.server.server}: {result.failure or 'no answers'}")
    return found


def alone_of(result: RunResult) -> Any:
    from benchsuite.comparing.limiting import one_user

    return one_user(_row(result))


def _row(result: RunResult) -> Any:
    from uuid import uuid4

    from benchsuite import store
    from benchsuite.runner import planning

    facts = planning.resolve(result.spec).server_facts
    run = store.begun(result.spec, batch=uuid4(), started_at=result.started_at, server_facts=facts)
    store.fill(run, result)
    return run


def named(case: Case, turn: int, seen: Mapping[Key, Evidence]) -> set[str] | None:
    """The rules that speak of it; None where the starts to compare it with are missing."""
    found = seen[case.words, turn]
    if case.beside:
        turns = range(turn, turn + BLOCKS)
        both = [_pair(case, one, seen) for one in turns]
        if None in both:
            return None
        own, base = zip(*(one for one in both if one), strict=True)
        found = replace(found, others=[_other(own, base)])
    return {one.code.split()[0] for one in bottlenecks.name(found)}


def _pair(case: Case, turn: int, seen: Mapping[Key, Evidence]) -> tuple[Evidence, Evidence] | None:
    """This case and what it stands beside, in one round; after the last, in the first again."""
    rounds = sorted(one for words, one in seen if words == case.words)
    place = rounds[turn % len(rounds)]
    own, base = seen.get((case.words, place)), seen.get((case.beside, place))
    return (own, base) if own and base and len(rounds) >= BLOCKS else None


def _other(own: Sequence[Evidence], base: Sequence[Evidence]) -> Other:
    rate, cpu = (
        ratio(
            {place: math.log(getattr(one, name) or math.nan) for place, one in enumerate(own)},
            {place: math.log(getattr(one, name) or math.nan) for place, one in enumerate(base)},
        )
        for name in ("rate", "cpu_s")
    )
    if rate is None or cpu is None:
        raise ValueError(f"{BLOCKS} blocks are too few for a ratio.")
    first = base[0]
    return Other(
        processes=first.processes or 1,
        threads=first.threads or 1,
        interface=first.interface,
        rate=rate,
        cpu=cpu,
    )


def recorded(file: Path | None) -> dict[Key, Evidence]:
    if file is None or not file.exists():
        return {}
    lines = (json.loads(line) for line in file.read_text().splitlines())
    return {(one["case"], one["round"]): read(Evidence, one["evidence"]) for one in lines}


def rows(cases: Sequence[Case], seen: Mapping[Key, Evidence]) -> Iterator[list[str]]:
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
    parser.add_argument("--seconds", type=float, default=4.0, help="of each window")
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
    print(f"{description()}\n")
    print(
        f"`{command_line()}`, {begun:%Y-%m-%d %H:%M}; "
        f"load average {min(load):.1f} to {max(load):.1f}\n"
    )
    print(markdown(["injected", "rule", "named", "others that spoke"], list(rows(cases, seen))))


if __name__ == "__main__":
    main()
