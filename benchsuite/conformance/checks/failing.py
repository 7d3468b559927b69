"""What most forbidden things come to: the server must fail the connection with a certain code."""

from benchsuite.conformance.connection import Connection
from benchsuite.conformance.outcomes import Note


def fails_with(connection: Connection, *codes: int) -> Note | None:
    """Raises Deviation when the server goes on; a note when it fails the connection otherwise.

    The RFC demands that the connection ends (section 7.1.7) and only recommends the close frame
    with its code, so an end without one is no failure.
    """
    ending = connection.ending()
    if ending.code in codes:
        return None
    wanted = " or ".join(str(code) for code in codes)
    return Note(f"{ending} ({wanted} is expected)")
