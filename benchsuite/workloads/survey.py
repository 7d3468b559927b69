"""People who complete surveys, simulated by the robot."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from benchsuite.core.exceptions import AnswerError, DatabaseError, UsageError, choices
from benchsuite.core.specs import DatabaseSpec, Option
from benchsuite.robot import ensure_installed
from benchsuite.workloads.base import Client, Workload

if TYPE_CHECKING:
    from benchsuite.robot.completion import Completion

SLUGS = ("coffee", "conference", "workplace", "health", "travel", "housing", "census")
"""The seven surveys of benchsuite, short ones first."""

DATABASE, CASSANDRA = "database", "cassandra"
"""Where answers are kept: with the surveys, or in a Cassandra that the run starts."""


class Survey(Workload):
    """Each user completes one survey after another, first the one that its number gives: so that
    users are not all at the same one.
    """

    name = "survey"
    unchecked = ""
    summary = "complete the seven surveys, one after the other: how many people can finish?"
    options = {"surveys": ",".join(SLUGS), "seed": 0, "store": DATABASE}
    limits = {"store": (DATABASE, CASSANDRA)}
    ready_path = "/bench/survey/"
    needs_target_app = True
    whole_journeys = True
    path: ClassVar[str] = "/bench/survey/"

    def __init__(self, **options: Option) -> None:
        super().__init__(**options)
        ensure_installed()
        self._slugs = [slug.strip() for slug in self.settings["surveys"].split(",")]
        if unknown := [slug for slug in self._slugs if slug not in SLUGS]:
            raise UsageError(f"There is no survey {unknown[0]!r}; {choices(unknown[0], SLUGS)}")
        if self.settings["store"] == CASSANDRA:
            self.services = {CASSANDRA: {}}
            self.libraries = {"cassandra-driver": CASSANDRA}
        self._users = count()
        self._turns: WeakKeyDictionary[Client, tuple[int, Iterator[int]]] = WeakKeyDictionary()
        """Each user's number and number of journeys."""

    def journey(self, client: Client) -> None:
        if client not in self._turns:
            self._turns[client] = getattr(client, "user", next(self._users)), count()
        user, turns = self._turns[client]
        turn = next(turns)
        slug = self._slugs[(user + turn) % len(self._slugs)]
        self.complete(client, slug, seed=f"{self.settings['seed']}:{user}:{turn}")

    def complete(self, client: Any, slug: str, *, seed: object) -> "Completion":
        """Completes this survey; its name is the journey's in the results."""
        from benchsuite.robot.walk import complete

        client.journey_name = f"{self.name} {slug}"
        start = f"{self.path}{slug}/"

        def naming(method: str, path: str) -> str:
            place = path.removeprefix(start).partition("?")[0].partition("/")[0]
            where = f"page {place}" if place.isdecimal() else place or "start"
            return f"{slug} {where}" + (" answers" if method == "POST" else "")

        try:
            done = complete(client, start, seed=seed, naming=naming)
        except AnswerError as error:
            raise AnswerError(f"{slug}, {error}") from error
        if not done.page.completion_code:
            last = f"{slug}, page {len(done.visits) + 1} ({done.path})"
            raise AnswerError(f"{last}: expected a completion code at the end")
        return done

    def prepare(self, database: DatabaseSpec) -> None:
        """Loads the surveys into the throw-away database."""
        from benchsuite.target.survey.definitions import load_surveys

        load_surveys()

    def inspect(self, database: DatabaseSpec) -> None:
        """Checks that the kept database has the surveys."""
        from benchsuite.target.survey.definitions import Survey as Stored

        there = set(Stored.objects.values_list("slug", flat=True))
        if missing := [slug for slug in self._slugs if slug not in there]:
            raise DatabaseError(
                f"The kept database lacks the surveys {', '.join(missing)}; load them: python "
                "manage.py seedbench --surveys"
            )

    def count(self, database: DatabaseSpec) -> Mapping[str, int]:
        """The stored participations, completions, answers and uploads."""
        from benchsuite.target.survey.store import DatabaseStore

        if self.settings["store"] == DATABASE:
            return DatabaseStore().counts()
        from benchsuite.target.survey.cassandra import CassandraStore

        with closing(CassandraStore()) as kept:
            return kept.counts()
