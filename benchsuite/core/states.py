"""The words that are stored of runs, and of what was found in them."""

from enum import StrEnum

LONGEST_OWNER = 200  #: Letters of the name of a process; a host name has at most 64.


class Phase(StrEnum):
    WARM_UP = "warm-up"
    WINDOW = "window"
    DRAIN = "drain"


class Status(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


UNREADABLE = "unreadable"  #: In place of the status of what can't be read; it is never stored.


class Verdict(StrEnum):
    VALID = "valid"
    WEAK = "weak"
    INVALID = "invalid"


class Level(StrEnum):
    """How much a finding weighs: `info` does not change the verdict."""

    INFO = "info"
    WEAK = "weak"
    INVALID = "invalid"
