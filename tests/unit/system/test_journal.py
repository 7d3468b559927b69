"""What a command says while it makes its runs, read as another process of the same user does."""

import os
from contextlib import closing
from uuid import uuid4

from benchsuite.system import journal


def test_lines_come_once_and_whole():
    batch = uuid4()
    with closing(journal.Journal(batch)) as opened:
        reader = journal.of_process(os.getpid())
        assert (reader.batch, reader.lines()) == (str(batch), [])
        opened.write(stage="starting")
        os.write(opened._file, b'{"stage": "warm')
        (line,) = reader.lines()
        assert line["stage"] == "starting"
        assert line["at"] > 0
        os.write(opened._file, b'-up"}\n')
        opened.write(stage="window")
        assert [line["stage"] for line in reader.lines()] == ["warm-up", "window"]
        assert reader.is_open
    assert not reader.is_open
    assert reader.lines() == []
    assert journal.of_process(os.getpid()) is None


def test_what_the_system_refuses_ends_no_run(monkeypatch):
    def refuse(*arguments):
        raise OSError("no memory")

    with closing(journal.Journal(uuid4())) as opened:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            opened.write(stage="starting")
        opened.write(stage="window")
        assert journal.of_process(os.getpid()) is None, "half a journal would be worse than none"
    monkeypatch.setattr(os, "memfd_create", refuse)
    with closing(journal.Journal(uuid4())) as opened:
        opened.write(stage="starting")
    monkeypatch.delattr(os, "memfd_create")  # as in Pythons that uv installs
    with closing(journal.Journal(uuid4())) as opened:
        opened.write(stage="starting")


def test_that_of_another_user_is_not_read(monkeypatch):
    with closing(journal.Journal(uuid4())):
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
        assert journal.of_process(os.getpid()) is None
    assert journal.of_process(2**22 + 1) is None, "there is no such process"
