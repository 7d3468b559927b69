"""What the phases of a load ask of its users, whoever they are."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from locust.env import Environment

from benchsuite.core.results import Traffic


class UserPool(ABC):
    """The users, from a workload or from a locustfile."""

    standing_by: int = 0  #: Users to start before the load begins.
    unmade: int = 0  #: Journeys of a fixed amount of work that are not made yet.
    finished_at: float | None = None
    """When the last of them had ended; None before, and where nothing is fixed."""
    on_finish: Callable[[], object]  #: Called at that moment.
    _origin: float = 0.0

    @abstractmethod
    def environment(self, first_start: Callable[[], None]) -> Environment:
        """Locust's environment, whose users call `first_start` as they start."""

    def wait_for_standing_by(self, limit_s: float) -> bool:
        """Whether the users to start before the load all stand by within that time."""
        return True

    def begin(self, origin: float) -> None:
        """The load begins, at that moment."""
        self._origin = origin

    @abstractmethod
    def rise(self, level: float) -> int:
        """The load is to rise or fall to this level; how many users Locust must have started."""

    @abstractmethod
    def count(self) -> int:
        """Users at work, or journeys in flight in the open model."""

    def connections(self) -> int | None:
        """Open WebSockets; None where there never were any, or nobody can tell."""
        return None

    def traffic(self) -> Traffic | None:
        """What compression has made of messages so far; None where nobody was asked for it."""
        return None

    def overdue(self, since: float, before: float) -> int:
        """Open model: what was due between these moments and has no answer yet."""
        return 0

    def tallies(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Open model: arrivals that were sent and that never were, of each stage's window."""
        return (), ()

    @abstractmethod
    def end(self) -> None:
        """Lets no request start any more."""

    @abstractmethod
    def awaited(self) -> int:
        """How many answers are still waited for."""

    @abstractmethod
    def give_up(self, moment: float) -> None:
        """Writes what is in flight down as unfinished."""

    @abstractmethod
    def quit(self) -> None:
        """Lets the users undo what they did, shortly."""
