"""Judgements as JUnit XML, which CI systems show as tests.

A held condition is a passed test, a broken one a failure. An undecided one is an error, not
skipped: the command ends with a status of its own for it, and a report that shows only green beside
a failed job would mislead.
"""

from collections.abc import Sequence
from xml.etree import ElementTree

from benchsuite.comparing.gate import Decision, Judgement
from benchsuite.core.printable import printable

ELEMENTS = {Decision.BROKEN: "failure", Decision.UNDECIDED: "error"}


def as_junit(judgements: Sequence[Judgement], first: Sequence[str] = ()) -> str:
    """One suite with a test case for each judgement; `first` is what must be known of them all."""
    count = {
        "tests": str(len(judgements)),
        "failures": str(sum(one.decision is Decision.BROKEN for one in judgements)),
        "errors": str(sum(one.decision is Decision.UNDECIDED for one in judgements)),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", count)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "comparebench", **count})
    if first:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(first)
    for one in judgements:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": f"benchsuite.{one.condition.metric.short}",
                "name": one.name,
                "time": "0",
            },
        )
        if one.decision in ELEMENTS:
            problem = ElementTree.SubElement(
                case,
                ELEMENTS[one.decision],
                {"type": one.decision.value, "message": one.sentence},
            )
            problem.text = one.contrast.sentence
        else:
            ElementTree.SubElement(case, "system-out").text = one.sentence
    ElementTree.indent(root)
    for element in root.iter():  # XML has no control characters, not even escaped
        element.attrib = {name: printable(value) for name, value in element.attrib.items()}
        element.text = printable(element.text or "") or None
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
