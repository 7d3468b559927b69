"""A cell of a study as the options of `runbench`, and the one run that they stand for."""

import argparse
from collections.abc import Sequence
from functools import cache

from django.core.management import CommandError

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.management.options import run as run_options
from benchsuite.management.options.parsing import Parser
from benchsuite.studies.options import Known, Takes

OF_A_COMMAND = frozenset(
    ("again", "repeat", "seed", "label", "port", "start-timeout", "json", "strict", "dry-run")
)
"""What `runbench` is told of its runs together, and a cell can't say."""


def known() -> Known:
    """What a study may say, by its long name without dashes, and what that takes."""
    found: dict[str, Takes] = {}
    for action in _parser()._actions:
        for text in action.option_strings:
            if text.startswith("--") and text[2:] not in (*OF_A_COMMAND, "help"):
                found[text[2:]] = _takes(action)
    return found


def spec(arguments: Sequence[str]) -> RunSpec:
    """The run of these arguments; raises UsageError where they are none, or several."""
    try:
        options = vars(_parser().parse_args(list(arguments)))
    except CommandError as error:
        raise UsageError(str(error).removeprefix("Error: ")) from error
    specs = run_options.specs(options)
    if len(specs) > 1:
        raise UsageError(
            f"These options are {len(specs)} runs, and a cell of a study is one: make what varies "
            "an axis of the study."
        )
    return specs[0]


@cache
def _parser() -> Parser:
    parser = Parser(prog="runbench", called_from_command_line=False, allow_abbrev=False)
    run_options.add_to(parser)
    return parser


def _takes(action: argparse.Action) -> Takes:
    if action.nargs == 0:
        return Takes.FLAG
    if isinstance(action, argparse._AppendAction):
        return Takes.PAIRS if action.metavar == "NAME=VALUE" else Takes.SEVERAL
    return Takes.VALUE
