"""What servers other than Django's say inside their messages, one file a protocol."""

from urllib.parse import urlsplit


def wanted(path: str) -> str:
    """What the server is asked to do: the last word of a workload's path."""
    return urlsplit(path).path.rstrip("/").rpartition("/")[2]
