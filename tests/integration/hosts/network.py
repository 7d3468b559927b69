"""Hosts as network namespaces, each joined to the test's own by a pair of virtual cards."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

OWN = f"10.213.{os.getpid() % 250}"  #: So that tests of several processes don't share any.
HERE = f"{OWN}.1"  #: Of the test, on its end of every pair.


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=10)


@dataclass(frozen=True)
class Namespace:
    """A host with a network of its own."""

    name: str
    card: str  #: The test's end of its pair.

    @property
    def before(self) -> Sequence[str]:
        """What a command line begins with that shall run there."""
        return ("ip", "netns", "exec", self.name)

    def cut(self) -> None:
        """Takes it off the network."""
        ip("link", "set", self.card, "down")

    def mend(self) -> None:
        ip("link", "set", self.card, "up")
        # the route to it went with the link
        ip("route", "replace", f"{address_of(self.name)}/32", "dev", self.card)


def address_of(name: str) -> str:
    return f"{OWN}.{2 + int(name.rpartition('-')[2])}"


@contextmanager
def namespaces(count: int) -> Iterator[list[Namespace]]:
    """So many of them, of which nothing stays."""
    with ExitStack() as stack:
        made = []
        for number in range(count):
            name, card = f"bst-{os.getpid()}-{number}", f"bst{os.getpid() % 100_000}-{number}"
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
            ip("link", "add", card, "type", "veth", "peer", "name", "eth0", "netns", name)
            stack.callback(ip, "link", "del", card)  # the kernel would do it some time later
            ip("addr", "add", f"{HERE}/32", "dev", card)
            ip("link", "set", card, "up")
            inside = ("netns", "exec", name, "ip")
            ip(*inside, "addr", "add", f"{address_of(name)}/32", "dev", "eth0")
            for own in ("lo", "eth0"):
                ip(*inside, "link", "set", own, "up")
            ip(*inside, "route", "add", f"{HERE}/32", "dev", "eth0")
            ip("route", "add", f"{address_of(name)}/32", "dev", card)
            made.append(Namespace(name, card))
        yield made
