"""Commands that are under way, as pages draw them: from their journals, and from what is stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse

from benchsuite import conf
from benchsuite.comparing.answer import ranking
from benchsuite.comparing.cells import cells
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status
from benchsuite.core.units import (
    MISSING,
    format_count,
    format_duration,
    format_percent,
    format_period,
    format_rate,
)
from benchsuite.models import Execution, Run, StudyRun, Tuning
from benchsuite.report import queries
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.system import journal, lock

RUN, BATCH, STUDY, TUNING = "run", "batch", "study", "tuning"
EXECUTIONS: Mapping[str, type[Execution]] = {STUDY: StudyRun, TUNING: Tuning}

RUNNING = Q(status=Status.RUNNING.value)
SHOWN = 12  #: Runs of a command that are drawn and told, the last ones.
REFRESH_S, REFRESH_WHOLE_S = 5, 30
"""Without scripts; the page of a study or a tuning works out what is known so far each time."""
DRAWN = 40  #: Seconds in a row of the list.

Second = Sequence[Any]  #: The place of its run, and a value for each of `journal.SECOND`.


@dataclass(slots=True)
class Follower:
    """What a journal has said so far."""

    reader: journal.Reader
    run: str = ""  #: The id of that under way, or of the last one.
    title: str = ""
    place: int = 0
    total: int | None = None
    unit: str = ""
    doing: str = ""  #: Its stage, or the phase of its load.
    seconds: list[Second] = field(default_factory=list)  #: Of all runs, one after another.
    begins: dict[str, int] = field(default_factory=dict)  #: Of each run, how many were before it.
    ended: list[journal.Line] = field(default_factory=list)
    _ends_at: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def read_on(self) -> None:
        with self._lock:
            for line in self.reader.lines():
                self._take(line)

    @property
    def place_words(self) -> str:
        """ "Run 3 of 9" """
        return f"Run {self.place}{f' of {self.total}' * bool(self.total)}"

    @property
    def left_s(self) -> float:
        """Until the last run should end."""
        return max(0.0, self._ends_at - monotonic())

    @property
    def last(self) -> list[Second]:
        """The seconds of the run under way."""
        return self.seconds[self.begins.get(self.run, 0) :]

    def first_shown(self, about: "Subject") -> int:
        """Where the seconds begin that its page draws."""
        if about.kind == RUN:
            return self.begins.get(str(about.pk), len(self.seconds))
        return next(iter([*self.begins.values()][-SHOWN:]), 0)

    def _take(self, line: journal.Line) -> None:
        self._ends_at = line["at"] + line["left_s"]
        if "run" in line:
            self.run, self.title, self.unit = line["run"], line["title"], line["unit"]
            self.place, self.total = line["place"], line["total"]
            self.begins[self.run] = len(self.seconds)
        elif "second" in line:
            self.seconds.append([self.place, *line["second"]])
        elif "end" in line:
            self.ended.append(line)
        self.doing = line.get("phase") or line.get("stage") or "has ended"


_followers: dict[str, Follower] = {}  #: By their keys: what has been read need not be read again.


def _follower(reader: journal.Reader | None) -> Follower | None:
    for key in [key for key, one in _followers.items() if not one.reader.is_open]:
        _followers.pop(key, None)
    if reader is None:
        return None
    follower = _followers.setdefault(reader.key, Follower(reader))
    follower.read_on()
    return follower


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about, as it is stored."""

    kind: str
    pk: UUID
    owner: str  #: Of its command; empty where nobody is known to be at work.

    @property
    def is_running(self) -> bool:
        return bool(self.owner) and not lock.has_ended(self.owner)

    def reader(self) -> journal.Reader | None:
        """None where it has ended, and where it can't be read here."""
        if self.is_running:
            return journal.of_process(lock.pid_of(self.owner))
        if self.kind == BATCH:  # it may be between two runs
            return next((one for one in journal.readers() if one.batch == str(self.pk)), None)
        return None

    @property
    def unseen(self) -> str:
        """Why its seconds can't be drawn here."""
        if not lock.can_be_seen(self.owner):
            where = f"on {lock.owner_host(self.owner)}"
            return f"It runs {where}: only a console there draws its seconds."
        return "Only a console of the user who runs it draws its seconds."


def subject(kind: str, pk: UUID) -> Subject | None:
    """None where there is no such thing."""
    rows: Any
    if kind in EXECUTIONS:
        rows = EXECUTIONS[kind]._default_manager.filter(pk=pk)
    elif kind in (RUN, BATCH):
        rows = Run.objects.filter(**{"pk" if kind == RUN else "batch": pk})
    else:
        return None
    owner = rows.filter(RUNNING).order_by().values_list("owner", flat=True).first()
    return Subject(kind, pk, owner or "") if owner or rows.exists() else None


class Watch:
    """Looks at a subject again and again, and tells a page what is new since."""

    def __init__(self, about: Subject, *, key: str = "", since: int = 0) -> None:
        """The page has the first so many seconds of the journal with that key."""
        self._about = about
        self._key, self._since = key, since
        self._follower = _follower(about.reader())

    def look(self) -> dict[str, Any] | None:
        """What `live.js` draws; None when it has ended."""
        about, follower = self._about, self._follower
        if follower is None or not follower.reader.is_open:
            renewed = subject(about.kind, about.pk)
            reader = renewed.reader() if renewed else None
            if renewed is None or not (reader or renewed.is_running):
                return None
            self._about, self._follower = renewed, _follower(reader)
            follower = self._follower
        if follower is None:
            return {"now": _part("now", why=self._about.unseen), "seconds": [], "since": 0}
        follower.read_on()
        own = str(about.pk)
        if about.kind == RUN and any(line["end"] == own for line in follower.ended):
            return None
        return self._new(follower)

    def _new(self, follower: Follower) -> dict[str, Any]:
        key, first = follower.reader.key, follower.first_shown(self._about)
        since = max(first, self._since if self._key == key else 0)
        seconds = follower.seconds[since:]
        self._key, self._since = key, since + len(seconds)
        left = format_period(max(1, round(follower.left_s)))
        ended = follower.ended if self._about.kind != RUN else []
        leader = _leader(self._about, (len(ended), follower.place))
        return {
            "journal": key,
            "first": first,
            "since": since,
            "seconds": seconds,
            "say": f"{follower.place_words}: {follower.title}. {leader}",
            "now": _part(
                "now", follower=follower, left=left, leader=leader, figures=_figures(follower)
            ),
            "ended": _part("ended", ended=ended[: -SHOWN - 1 : -1], count=len(ended)),
        }


def _part(name: str, **context: Any) -> str:
    return render_to_string(f"benchsuite/_live_{name}.html", context)


def _figures(follower: Follower) -> list[tuple[str, str, str]]:
    """Of the last second: title, value, and a note."""
    if not follower.last:
        return []
    last = dict(zip(journal.SECOND, follower.last[-1][1:], strict=True))
    failed = sum(second[1 + journal.SECOND.index("failed")] for second in follower.last)
    unit = follower.unit if follower.unit != "requests" else ""

    def shown(name: str, write: Callable[[Any], str]) -> str:
        return MISSING if last[name] is None else write(last[name])

    return [
        ("goodput", shown("goodput", format_rate), unit),
        ("p95", shown("p95_s", format_duration), f"p50 {shown('p50_s', format_duration)}"),
        ("failed", format_count(failed), "since its load began"),
        ("CPU of the server", shown("cpu_percent", format_percent), "100 % is one CPU"),
    ]


_leaders: dict[UUID, tuple[tuple[int, int], str]] = {}


def _leader(about: Subject, made: tuple[int, int]) -> str:
    """The best configuration so far; empty while there is none. It is asked again only when other
    runs have been made: how many have ended, and which is under way.
    """
    if about.kind not in (BATCH, TUNING) or not made[0]:
        return ""
    known = _leaders.get(about.pk)
    if known is None or known[0] != made:
        _leaders.clear()
        _leaders[about.pk] = known = (made, _best(about))
    return known[1]


def _best(about: Subject) -> str:
    if about.kind == TUNING:
        try:
            report = tuning_report(Tuning.objects.get(pk=about.pk))
        except (UsageError, Tuning.DoesNotExist):
            return ""
        spent_s, budget_s = report.notebook.spent_s, report.notebook.question.budget_s
        spent = f"{format_period(spent_s)} of {format_period(budget_s)} are used."
        return f"{report.answer.headline} {spent}"
    runs = queries.compared().filter(batch=about.pk, status=Status.FINISHED.value)
    answer = ranking(cells(list(runs)), conf.margins())
    return " ".join([answer.headline, *answer.cautions[:1]])


def context(kind: str, pk: UUID, *, by_socket: bool) -> dict[str, Any] | None:
    """What `_live.html` shows; None for what is not under way."""
    about = subject(kind, pk)
    first = about and Watch(about).look()
    if not first:
        return None
    return {
        **first,
        "url": reverse("benchsuite:live", args=[kind, pk]),
        "by_socket": by_socket,
        "leads": kind != STUDY and "journal" in first,  # it says what the page's answer would
        "refresh_s": REFRESH_S if kind == RUN else REFRESH_WHOLE_S,
    }


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A command that is at work, as a row of the list."""

    title: str
    url: str  #: Of the page that draws it.
    follower: Follower | None  #: None where its journal can't be read here.

    @property
    def left(self) -> str:
        return format_period(max(1, round(self.follower.left_s))) if self.follower else ""

    @property
    def rate(self) -> str:
        rates = self._rates()
        return format_rate(rates[-1]) if rates else ""

    @property
    def points(self) -> str:
        """The goodput of its last seconds, for an SVG of 100 × 20."""
        rates = self._rates()
        most = max(rates, default=0.0) or 1.0
        step = 100 / max(1, DRAWN - 1)
        return " ".join(
            f"{i * step:.1f},{20 - 20 * rate / most:.1f}" for i, rate in enumerate(rates)
        )

    def _rates(self) -> list[float]:
        seconds = self.follower.last[-DRAWN:] if self.follower else []
        return [second[2] for second in seconds if second[2] is not None]


def under_way() -> list[UnderWay]:
    """All commands at work whose runs are stored here, whoever makes them and wherever."""
    pages: dict[str, tuple[str, str]] = {}  #: By the owner: title and URL.
    for run in Run.objects.filter(RUNNING).only("batch", "owner", "workload"):
        pages[run.owner] = _page(run)
    studies, tunings = StudyRun.objects.filter(RUNNING), Tuning.objects.filter(RUNNING)
    executions: list[StudyRun | Tuning] = [*studies, *tunings]
    for execution in executions:
        pages[execution.owner] = (str(execution), execution.get_absolute_url())
    pages = {owner: page for owner, page in pages.items() if not lock.has_ended(owner)}
    pids = {lock.pid_of(owner): page for owner, page in pages.items()}
    here = {reader.pid: reader for reader in journal.readers()}
    rows = [UnderWay(*page, _follower(here.get(pid))) for pid, page in pids.items()]
    for pid in here.keys() - pids:  # between two of its runs
        last = Run.objects.filter(batch=here[pid].batch).only("batch", "workload").first()
        if last is not None:
            rows.append(UnderWay(*_page(last), _follower(here[pid])))
    return rows


def _page(run: Run) -> tuple[str, str]:
    return run.workload, f"{reverse('benchsuite:compare')}?batch={run.batch}"
