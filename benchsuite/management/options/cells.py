"""The options of `runbench` as studies know them, and the run that a cell's arguments ask for."""

import argparse
from collections.abc import Sequence
from functools import cache
from typing import Never

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.management.options import run as run_options
from benchsuite.studies.options import Takes

OF_THE_COMMAND = frozenset(
    (
        *("help", "again", "json", "strict", "dry-run", "port", "start-timeout"),
        *("label", "seed", "repeat"),
    )
)
"""What a study doesn't say of its cells: `runstudy` does, or the study of all of them."""

PAIRS = "NAME=VALUE"


class _Parser(argparse.ArgumentParser):
    """Refuses in a sentence, without the end of the process."""

    def error(self, message: str) -> Never:
        raise UsageError(f"{message[:1].upper()}{message[1:].rstrip('.')}.")


@cache
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(allow_abbrev=False)
    run_options.add_to(parser)
    return parser


def known() -> dict[str, Takes]:
    """The options that a cell may have: long name → what it takes."""
    found = {
        name.removeprefix("--"): _takes(action)
        for action in _parser()._actions
        for name in action.option_strings
        if name.startswith("--")
    }
    return {name: takes for name, takes in found.items() if name not in OF_THE_COMMAND}


def spec(arguments: Sequence[str]) -> RunSpec:
    """The run that these arguments ask for; raises UsageError, also where they ask for several."""
    found = run_options.specs(vars(_parser().parse_args(arguments)))
    if len(found) != 1:
        raise UsageError(
            f"A cell is one run, and {' '.join(arguments)} asks for {len(found)}; make an axis of "
            "what varies."
        )
    return found[0]


def _takes(action: argparse.Action) -> Takes:
    if action.nargs == 0:
        return Takes.FLAG
    if action.metavar == PAIRS:
        return Takes.PAIRS
    repeated = isinstance(action.default, list) or type(action).__name__ == "_AppendAction"
    return Takes.SEVERAL if repeated else Takes.VALUE
