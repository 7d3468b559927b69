"""Backends of a run in place of the project's own: a storage and a mailer."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage, Storage
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.utils.module_loading import import_string

from benchsuite.isolation.instructions import INSTRUCTIONS_VARIABLE

FILE = "mails"  #: Beside the instructions; a byte for each mail, so that processes can share it.


def storage_of_the_run(*, original: str, options: Mapping[str, Any], place: str) -> Storage:
    """The original with another folder if it keeps files in one, else one that does; no bucket."""
    kind = import_string(original)
    if not (isinstance(kind, type) and issubclass(kind, FileSystemStorage)):
        return FileSystemStorage(location=place)
    made: Any = kind(**options)
    if Path(made.location).is_relative_to(os.path.abspath(settings.MEDIA_ROOT)):
        return cast(Storage, made)  # with the uploads, which are a copy of the project's
    for name in ("base_location", "location"):  # cached properties
        made.__dict__.pop(name, None)
    made._location = place
    if os.path.abspath(made.location) != os.path.abspath(place):  # it has a property of its own
        return FileSystemStorage(location=place)
    return cast(Storage, made)


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        count = len(email_messages)
        if instructions := os.environ.get(INSTRUCTIONS_VARIABLE):
            path = Path(instructions).with_name(FILE)
            # A count that can't be written can't in the rehearsal either: mails are no evidence.
            with suppress(OSError), open(path, "ab", buffering=0) as file:
                file.write(b"." * count)
        return count


def mailer(path: str, *, overrides: Mapping[str, Any]) -> Any:
    """What `django.core.mail` makes of a dotted path, whichever setting names it: the run's own,
    unless the user's overrides name another one.
    """
    return import_string(path) if repr(path) in repr(overrides) else EmailBackend


def mails(run: Path) -> int:
    """How many the servers of the run in that folder would have sent until now."""
    with suppress(FileNotFoundError):
        return (run / FILE).stat().st_size
    return 0
