"""Text from elsewhere steers no terminal and breaks no XML."""

from io import StringIO
from xml.etree import ElementTree

import pytest
from django.core.exceptions import ValidationError
from rich.table import Table

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import is_control, printable
from benchsuite.core.specs import RunSpec, ServerSpec
from benchsuite.management.output import SafeConsole
from benchsuite.models import validate_printable
from benchsuite.report.writers import escaped

CONTROLS = ["\x1b[2J", "\0", "\x07", "\x9b31m", "\x7f", "\u202e", "\u2028", "\ud800", "\uffff"]
HARMLESS = ["plain", "größer 日本 😀 👩‍💻", "e\u0301", "a\u00a0b", "50 % · “x”"]


@pytest.mark.parametrize("text", CONTROLS)
def test_controls_are_written_out(text: str) -> None:
    shown = printable(f"a{text}b")
    assert not any(is_control(one) for one in shown.replace("\n", ""))
    assert shown[0] + shown[-1] == "ab"


@pytest.mark.parametrize("text", [*HARMLESS, "two\nlines\tand a tab"])
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("text", [*CONTROLS, "two\nlines", "a\tb", "a\rb"])
def test_labels_have_none(text: str) -> None:
    with pytest.raises(UsageError, match=r"--label=.* has control characters"):
        RunSpec(server=ServerSpec(server="uvicorn"), label=f"a{text}")
    with pytest.raises(ValidationError):
        validate_printable(f"a{text}")


@pytest.mark.parametrize("text", HARMLESS)
def test_labels_are_in_any_language(text: str) -> None:
    assert RunSpec(server=ServerSpec(server="uvicorn"), label=text).label == text
    validate_printable(text)


def test_the_console_prints_none_in_lines_or_tables() -> None:
    out = StringIO()
    console = SafeConsole(file=out, force_terminal=True, width=80)
    table = Table("label")
    for text in CONTROLS[:-2]:
        console.print(f"a{text}b", markup=False)
        table.add_row(f"a{text}b")
    console.print(table)
    shown = out.getvalue()
    assert "2Jb" in shown
    assert not any(text in shown for text in CONTROLS)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a|b", "a\\|b"),
        ("`rm`", "\\`rm\\`"),
        ("a\nb\r\n# c", "a b # c"),
        ("<b>*x*</b>", "\\<b\\>\\*x\\*\\</b\\>"),
        ("[a](javascript:b)", "[a\\](javascript:b)"),
        ("io_read _x_", "io_read \\_x\\_"),
        ("a\\|b", "a\\\\\\|b"),
        ("\x1b[31m", "\\\\x1b[31m"),
    ],
)
def test_markdown_means_nothing_else(text: str, written: str) -> None:
    assert escaped(text) == written


@pytest.mark.parametrize("text", [*CONTROLS, '<&>"', "]]>", "a\nb"])
def test_xml_can_be_read_again(text: str) -> None:
    written = ElementTree.Element("a", {"name": printable(text)})
    written.text = printable(text)
    read = ElementTree.fromstring(ElementTree.tostring(written, encoding="utf-8"))
    assert read.text == printable(text)
