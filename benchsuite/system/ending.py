"""How a program ended, in words: by its status, or by the signal that ended it."""

import signal


def in_words(status: int) -> str:
    """ "ended with status 1", "was ended by SIGKILL (out of memory?)"."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:  # one of those without a name
        name = f"signal {-status}"
    guess = " (out of memory?)" if -status == signal.SIGKILL else ""
    return f"was ended by {name}{guess}"
