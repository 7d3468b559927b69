"""A search under way: what it knows, and which trial is next."""

from collections.abc import Sequence

from benchsuite.core.exceptions import UsageError
from benchsuite.core.plain import plain
from benchsuite.tuning.notebook import Entry
from benchsuite.tuning.search import Search
from benchsuite.tuning.trial import Observation, Trial


class Searching:
    """Is told what each trial showed. It goes on by being told all that was seen before."""

    def __init__(self, search: Search, entries: Sequence[Entry] = ()) -> None:
        """Goes on after these. Raises UsageError where it would not have made their trials."""
        self.book = search.book
        self._steps = search.steps()
        self.next: Trial | None = next(self._steps, None)  #: None at its end.
        for entry in entries:
            if self.next is None or plain(self.next) != plain(entry.trial):
                raise UsageError(
                    f"Trial {len(self.book.entries) + 1} would be another one today: leave "
                    "--resume out, or go on with the benchsuite that began it."
                )
            self.tell(entry.seen)

    def tell(self, seen: Observation) -> None:
        """What the next trial showed."""
        try:
            self.next = self._steps.send(seen)
        except StopIteration:
            self.next = None
