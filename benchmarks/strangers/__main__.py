"""python -m benchmarks.strangers [NAME …] [--folder DIR] [--python PATH …] [--outside]"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.installing import built
from benchmarks.strangers import outside
from benchmarks.strangers.projects import STRANGERS, Stranger
from benchmarks.strangers.trying import Failed, Outcome, Trial, usable_python
from benchmarks.strangers.tuning import tune
from benchmarks.table import markdown

SHOWN = 5
"""Of what was changed of theirs, in the line of a project."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    names = [stranger.name for stranger in STRANGERS]
    add("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}")
    add("--folder", type=Path, help="keep the projects here, and go on with them")
    add("--python", action="append", default=[], help="another Python, for who needs a newer one")
    add("--fetched", type=Path, help="folder with checkouts of those that are on no index")
    add("--outside", action="store_true", help="by `benchsuite run`, with nothing added to them")
    add("--tune", type=Path, metavar="DIR", help="tune them, and write what comes out there")
    add("--further", default="", metavar="WORDS", help='for tunebench, such as "--window=2s"')
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in names]:
        parser.error(f"there is no {' or '.join(unknown)}; there are: {', '.join(names)}")
    if given.tune is not None and given.outside:
        parser.error("--tune adds benchsuite to the projects, so --outside contradicts it")
    if given.tune is not None and given.folder is None:
        parser.error("--tune goes on where it was stopped: give the projects a --folder")
    chosen = [one for one in STRANGERS if not given.names or one.name in given.names]
    with tempfile.TemporaryDirectory(prefix="strangers-") as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        # This checkout as it is installed everywhere, built once.
        given.benchsuite = str(built(Path(temporary)))
        if given.tune is not None:
            return _tune([one for one in chosen if one.tuned], folder, given)
        if given.outside:
            chosen = [one for one in chosen if "manage.py" in one.manage]
            given.benchsuite = outside.program(sys.executable, given.benchsuite, folder)
        return _try(chosen, folder, given)


def _try(chosen: list[Stranger], folder: Path, given: argparse.Namespace) -> int:
    """A table of what became of them."""
    rows, failed = [], False
    for stranger in chosen:
        trial = _trial(stranger, folder, given)
        outcome = Outcome(skipped=trial) if isinstance(trial, str) else trial.run()
        failed |= bool(outcome.failure or outcome.changed)
        print(f"{stranger.name}: {_line(outcome)}", file=sys.stderr, flush=True)
        rows.append([f"{stranger.name}: {stranger.kind}", *_cells(outcome)])
    head = ["project", "version", "Django", "runs", "measured in", "theirs", "took"]
    print(markdown(head, rows))
    return int(failed)


def _tune(chosen: list[Stranger], folder: Path, given: argparse.Namespace) -> int:
    """One after another; then all that they found."""
    given.tune.mkdir(parents=True, exist_ok=True)
    answers, failed = [], False
    for stranger in chosen:
        trial = _trial(stranger, folder, given)
        try:
            if isinstance(trial, str):
                raise Failed(trial)
            answers.append(tune(trial, given.tune.resolve(), given.further))
        except Failed as error:
            failed = True
            print(f"{stranger.name}: {error}", file=sys.stderr, flush=True)
    print("\n".join(answers))
    return int(failed)


def _trial(stranger: Stranger, folder: Path, given: argparse.Namespace) -> Trial | str:
    """How it is tried, or what is missing for that."""
    python = usable_python(stranger.python, given.python)
    if not python:
        wanted = ".".join(map(str, stranger.python))
        return f"needs Python {wanted}; name one with --python"
    checkout = None
    if stranger.fetched:
        checkout = (given.fetched or Path()) / stranger.fetched.rpartition("/")[2]
        if given.fetched is None or not checkout.is_dir():
            return f"fetch {stranger.fetched} from GitHub into --fetched by hand"
    kind = outside.Outside if given.outside else Trial
    return kind(stranger, folder, python, given.benchsuite, checkout)


def _line(outcome: Outcome) -> str:
    changed = outcome.changed
    more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
    lost = [f"CHANGED: {', '.join(changed[:SHOWN])}{more}"] if changed else []
    failure = [f"FAILED: {outcome.failure}"] if outcome.failure else []
    skipped = [f"skipped: {outcome.skipped}"] if outcome.skipped else []
    return " · ".join([*failure, *lost, *skipped]) or "as it should be"


def _cells(outcome: Outcome) -> list[str]:
    if outcome.skipped:
        return ["", "", f"skipped: {outcome.skipped}", "", "", ""]
    runs = ", ".join(
        f"{run['spec']['server']['server']} {run['goodput']:,.0f} /s {run['verdict']}"
        for run in outcome.runs
    )
    kept = f"{len(outcome.changed)} changed" if outcome.changed else f"{outcome.kept} as before"
    return [
        outcome.version,
        outcome.django,
        runs if not outcome.failure else "failed",
        f"{outcome.measured_s:.0f} s" if outcome.measured_s else "",
        kept if outcome.kept else "",
        f"{outcome.took_s:.0f} s",
    ]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
