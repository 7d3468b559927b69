"""What codes and terms mean: each has a sentence, and each sentence a place in the docs."""

import re
from pathlib import Path

from django.core.management import call_command

import benchsuite.bottlenecks
import benchsuite.findings  # noqa: F401 - declare theirs
from benchsuite.bottlenecks.registry import RULES
from benchsuite.core.exceptions import BenchsuiteError
from benchsuite.core.glossary import explanations
from benchsuite.core.samples import Kind
from benchsuite.findings.registry import FINDINGS

ROOT = Path(__file__).parents[3]


def codes():
    """Whatever a run may be said to have, by which somebody may ask what that is."""
    kinds = {kind.words for kind in Kind if kind is not Kind.OK}
    return {rule.code for rule in (*FINDINGS.values(), *RULES.values())} | kinds | failures()


def failures(of=BenchsuiteError):
    return {of.code}.union(*(failures(one) for one in of.__subclasses__()))


def test_each_is_one_sentence_and_leads_to_a_heading_of_the_docs():
    for some in explanations().values():
        for one in some:
            path, _, anchor = one.place.partition("#")
            assert anchor in set(anchors(ROOT / path)), one
            assert re.fullmatch(r"\S((?!\. ).)+\.", one.meaning), one
            assert len(one.meaning.split()) <= 28, one


def anchors(page):
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_the_terminal_explains(capsys):
    call_command("listbench", explain="goodput")
    assert capsys.readouterr().out == (
        "goodput: Right answers per second of the window.\nMore: docs/glossary.md#results\n"
    )


def test_values(golden):
    golden.values()
