"""What `listbench` shows."""

import pytest
from django.core.management import CommandError, call_command

from benchsuite import conf
from benchsuite.servers.base import Available

COMMAND = "apt install gcc libev-dev python3-dev && pip install 'bjoern>=3.2' --no-binary bjoern"


def test_what_helps_stands_on_one_line_from_where_it_can_be_copied(capsys, monkeypatch):
    missing = Available(False, "bjoern is not installed, and has no wheel", COMMAND)
    monkeypatch.setattr(conf.server_class("bjoern"), "available", classmethod(lambda *_: missing))
    paths = conf.paths
    only = {"SERVERS": {"bjoern": paths("SERVERS")["bjoern"]}, "FRONTS": {}}
    monkeypatch.setattr(conf, "paths", lambda key: only.get(key, paths(key)))
    call_command("listbench")
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert COMMAND in lines
    assert any(line.endswith("no: bjoern is not installed, and has no wheel") for line in lines)


def test_findings_are_listed_with_their_limits(capsys):
    call_command("listbench", findings=True)
    lines = capsys.readouterr().out.splitlines()
    assert any("B101 generator-cpu" in one and "above 70 %" in one for one in lines)
    assert not any("workload" in one.split()[:1] for one in lines)


def test_two_things_are_not_listed_at_once():
    with pytest.raises(CommandError, match="leave one of them out"):
        call_command("listbench", "--findings", "--explain=B205")
