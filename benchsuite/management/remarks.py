"""What a person says of an execution of a study: one paragraph, stored with it."""

import re
import sys
from pathlib import Path

from benchsuite.core.exceptions import UsageError
from benchsuite.core.printable import is_control
from benchsuite.models import StudyRun

MOST = 2000  #: Characters.


def remark(row: StudyRun, file: str) -> str:
    """Stores the paragraph of that file ("-" for standard input) in place of the one before;
    an empty file takes it away. Returns what was done.

    Raises UsageError for what can't be read or is no paragraph, and stores nothing then.
    """
    row.remark = _paragraph(file)
    row.save(update_fields=["remark"])
    did = "is stored with" if row.remark else "was taken away from"
    return f"The remark {did} the execution of {row.name} of {row.started_at:%d %b %Y, %H:%M} UTC."


def _paragraph(file: str) -> str:
    name = f"--remark={file}"
    try:
        said = (sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()).decode()
    except OSError as error:
        raise UsageError(f"{name} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8; save it as text.") from error
    if re.search(r"\n\s*\n", said.strip()):
        raise UsageError(f"{name} has several paragraphs; a remark is one.")
    said = " ".join(said.split())
    if any(is_control(one) for one in said):
        raise UsageError(f"{name} has control characters, which terminals obey; leave them out.")
    if len(said) > MOST:
        raise UsageError(f"{name} may have {MOST} characters at most, and has {len(said)}.")
    return said
