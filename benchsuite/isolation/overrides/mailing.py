"""Mails of the measured server: none is sent, and each is counted."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE

FILE = "mails"  #: Beside the instructions; a byte for each mail, so that processes can share it.


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        count = len(email_messages)
        if instructions := os.environ.get(INSTRUCTIONS_VARIABLE):
            path = Path(instructions).with_name(FILE)
            # A count that can't be written can't in the rehearsal either: mails are no evidence.
            with suppress(OSError), open(path, "ab", buffering=0) as file:
                file.write(b"." * count)
        return count


def mails(instructions: Path) -> int:
    """How many the servers with those instructions would have sent until now."""
    try:
        return instructions.with_name(FILE).stat().st_size
    except FileNotFoundError:
        return 0
