"""Ctrl-C in a command, wherever it strikes."""

import signal

import pytest
from django.core.management import CommandError, call_command

from benchsuite.management.options.parsing import BriefCommand


class Struck(BriefCommand):
    requires_system_checks = []

    def handle(self, **options):
        raise KeyboardInterrupt


def test_it_is_a_sentence_and_the_status_that_shells_expect():
    with pytest.raises(CommandError, match=r"^Interrupted\.$") as raised:
        call_command(Struck())
    assert raised.value.returncode == 130


class Early(Struck):
    """Struck while it reads its words, before anything runs."""

    number = signal.SIGTERM

    def add_arguments(self, parser):
        signal.raise_signal(self.number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_before_the_run_is_a_sentence_too(number, capsys, monkeypatch):
    monkeypatch.setattr(Early, "number", number)
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as raised:
        Early().run_from_argv(["manage.py", "early"])
    assert raised.value.code == 130
    assert capsys.readouterr().err.strip() == "Interrupted."
    assert signal.getsignal(number) is before
