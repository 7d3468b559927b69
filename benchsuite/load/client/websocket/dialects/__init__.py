"""What servers other than Django's say inside their messages, one file a protocol."""

from urllib.parse import urlsplit

DOES = ("echo", "broadcast", "idle")  #: What every server of our own does with what it is told.


def wanted(path: str) -> str:
    """What the server is asked to do: the last word of a workload's path."""
    return urlsplit(path).path.rstrip("/").rpartition("/")[2]
