"""What commands write, for people and machines, whether or not anybody reads it."""

import errno
import io
import json
import os
import sys
import unicodedata
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import load_command_class

import benchsuite
from benchsuite.management import output
from benchsuite.management.output import LOST, Outlasting, plainer, plainer_where_needed


def test_what_can_not_be_written_is_dropped():
    """To a pipe whose reader has left, and to a full disk."""
    reading, unread = os.pipe()
    os.close(reading)
    for place in (unread, "/dev/full"):
        with open(place, "w", encoding="utf-8") as opened:
            stream = Outlasting(opened)
            for _ in range(3):
                assert stream.write("a line\n" * 10_000) == 70_000
                stream.flush()


def test_what_can_is_written():
    inner = StringIO()
    stream = Outlasting(inner)
    stream.write("said")
    stream.flush()
    assert inner.getvalue() == "said"
    assert not stream.isatty()


def test_values(golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden.values(replace={str(tmp_path): "HERE"})


def test_every_sign_that_the_package_writes_has_something_plainer():
    """But letters of other alphabets, in which people answer forms."""
    signs = {
        sign
        for path in Path(benchsuite.__file__).parent.rglob("*.py")
        if not {"robot", "survey"} & set(path.parts)
        for sign in path.read_text(encoding="utf-8")
        if not sign.isascii() and unicodedata.category(sign)[0] != "L"
    }
    assert {"●", "–", "…"} < signs
    lost = {sign for sign in signs if LOST in plainer(sign)}
    assert not lost


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.django_db
def test_a_command_prints_in_any_encoding(encoding, monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", out)
    words = ["manage.py", "runbench", "--server=uvicorn", "--dry-run", "--stages=1:2x1s"]
    load_command_class("benchsuite", "runbench").run_from_argv([*words, "--label=ü●"])
    out.flush()
    said = out.buffer.getvalue().decode(encoding)
    assert "Plan " in said
    assert "about" in said
    assert ("·" in said) == (encoding != "ascii")


def test_what_is_for_machines_is_utf_8_in_any_encoding(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    plainer_where_needed()
    output.write("-", json.dumps({"label": "ü●"}, ensure_ascii=False))
    assert json.loads(out.buffer.getvalue().decode()) == {"label": "ü●"}


def test_a_file_or_standard_output(tmp_path, capsys):
    file = tmp_path / "found.json"
    output.write(str(file), "é\n")
    assert file.read_text(encoding="utf-8") == "é\n"
    output.write("-", "said\n")
    assert capsys.readouterr().out == "said\n"


def test_an_earlier_file_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    file, link = tmp_path / "runs.json", tmp_path / "newest.json"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file.name)

    def broken():
        yield "half"
        raise RuntimeError

    def mounted(*paths):
        raise OSError(errno.EBUSY, "Device or resource busy")

    with pytest.raises(RuntimeError):
        output.write(str(link), broken())
    assert file.read_text() == "before"
    output.write(str(link), iter(["af", "ter"]))
    assert (link.is_symlink(), file.read_text()) == (True, "after")
    assert file.stat().st_mode & 0o777 == 0o640
    output.write("/dev/null", "gone")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", mounted)
        output.write(str(file), "again")
    assert file.read_text() == "again"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["newest.json", "runs.json"]


def test_a_pipe_that_has_a_path_is_written_to():
    reading, writing = os.pipe()
    output.write(f"/dev/fd/{writing}", "said")
    os.close(writing)
    assert os.read(reading, 9) == b"said"
    os.close(reading)
