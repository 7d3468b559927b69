"""Text from elsewhere steers no terminal and breaks no XML."""

from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.exceptions import ValidationError
from rich.table import Table

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import hidden, printable
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.management.output import Screen
from benchsuite.models import validate_printable

CONTROLS = ["\x1b[2J", "\0", "\x07", "\x9b31m", "\x7f", "\u202e", "\u2028", "\ud800", "\uffff"]
HARMLESS = ["plain", "größer 日本 😀 👩‍💻", "e\u0301", "a\u00a0b", "50 % · “x”"]


def test_the_console_prints_none_in_lines_or_tables():
    out = StringIO()
    console = Screen(file=out, force_terminal=True, width=80)
    table = Table("label")
    for text in CONTROLS[:-2]:
        console.print(f"a{text}b", markup=False)
        table.add_row(f"a{text}b")
    console.print(table)
    shown = out.getvalue()
    assert "2Jb" in shown
    assert not any(text in shown for text in CONTROLS)


def test_what_is_hidden_already_takes_nothing_with_it():
    line = "header Authorization: ***907fcdfd, your data, copied · about 27 s"
    assert hidden(line) == line
    for line in ("Token secret, and more", "*** secret", "***, secret", "***907fcdfd secret"):
        assert "secret" not in hidden(f"Authorization: {line}")


@pytest.mark.parametrize("text", [*CONTROLS, '<&>"', "]]>", "a\nb"])
def test_xml_can_be_read_again(text):
    written = ElementTree.Element("a", {"name": printable(text)})
    written.text = printable(text)
    read = ElementTree.fromstring(ElementTree.tostring(written, encoding="utf-8"))
    assert read.text == printable(text)


def label(text):
    """As a run and the database take it."""
    try:
        made = RunSpec(server=ServerSpec(server="uvicorn"), label=text).label
    except UsageError:
        with pytest.raises(ValidationError):
            validate_printable(text)
        raise
    validate_printable(text)
    return made


def test_values(golden):
    golden.values()
