"""Commands that are under way, as pages draw them, from their journals and what is stored."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Model, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache

from benchsuite import conf
from benchsuite.comparing.answer import ranking
from benchsuite.comparing.cells import cells
from benchsuite.core import units
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Status
from benchsuite.models import Run, StudyRun, Tuning
from benchsuite.report import queries
from benchsuite.report.tuning.evidence import tuning_report
from benchsuite.system import journal, lock
from benchsuite.views.access import NotShown
from benchsuite.views.page import guarded

SOCKET = "benchsuite.live"  #: In the scope of requests where `benchsuite.asgi.live` serves.

REFRESH_S, REFRESH_WHOLE_S = 5, 30
"""Without scripts; the page of a study or a tuning works out what is known so far each time."""
OVER = {"over": True}

RUN, BATCH, STUDY, TUNING = "run", "batch", "study", "tuning"
STORED: dict[str, tuple[type[Model], str]] = {
    RUN: (Run, "pk"),
    BATCH: (Run, "batch"),
    STUDY: (StudyRun, "pk"),
    TUNING: (Tuning, "pk"),
}
"""Where each of them is stored, and which column has its id."""

RUNNING = Q(status=Status.RUNNING.value)
SHOWN = 12  #: Runs of a command that are drawn and told, the last ones.
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

    @property
    def place_words(self) -> str:
        """ "Run 3 of 9" """
        return f"Run {self.place}{f' of {self.total}' * bool(self.total)}"

    @property
    def left(self) -> str:
        """Until the last run should end."""
        return units.format_period(max(1, round(self._ends_at - monotonic())))

    @property
    def last(self) -> list[Second]:
        return self.seconds[self.begins.get(self.run, 0) :]


_followers: dict[str, Follower] = {}  #: By their keys: what has been read need not be read again.


def _follower(reader: journal.Reader | None) -> Follower | None:
    for key in [key for key, one in [*_followers.items()] if not one.reader.is_open]:
        _followers.pop(key, None)
    if reader is None:
        return None
    follower = _followers.setdefault(reader.key, Follower(reader))
    follower.read_on()
    return follower


class Watch:
    """Looks at a command again and again, and tells a page what is new since."""

    def __init__(self, kind: str, pk: UUID, *, key: str = "", since: int = 0) -> None:
        """The page has the first so many seconds of the journal with that key."""
        self._kind, self._pk = kind, pk
        self._key, self._since = key, since
        self.exists = self._find()

    def _find(self) -> bool:
        """Whether there is such a thing; finds who is at work, and a readable journal."""
        model, column = STORED[self._kind]
        rows = model._default_manager.filter(**{column: self._pk})
        owners = rows.filter(RUNNING).order_by().values_list("owner", flat=True)
        self._owner = owners.first() or ""  #: Empty where nobody is known to be at work.
        ended = lock.has_ended(self._owner)
        self._is_running = not ended
        reader = None
        if ended is False:
            reader = journal.of_process(lock.pid_of(self._owner))
        elif self._kind == BATCH:  # it may be between two runs
            reader = next((one for one in journal.readers() if one.batch == str(self._pk)), None)
        self._follower = _follower(reader)
        return bool(self._owner) or rows.exists()

    def look(self) -> dict[str, Any] | None:
        """What `live.js` draws; None when it has ended."""
        is_open = self._follower is not None and self._follower.reader.is_open
        if not is_open and not (self._find() and (self._follower or self._is_running)):
            return None
        follower, own = self._follower, str(self._pk)
        if follower is not None:
            follower.read_on()
        if follower is None or not follower.run:
            why = "Its first run is being prepared."
            if follower is None:
                host = lock.owner_host(self._owner)
                why = f"Only a console of the user who runs it on {host} draws its seconds."
            return {"now": _part("now", why=why), "seconds": [], "since": 0}
        if self._kind == RUN:
            if any(line["end"] == own for line in follower.ended):
                return None
            first, ended = follower.begins.get(own, len(follower.seconds)), []
        else:
            first, ended = next(iter([*follower.begins.values()][-SHOWN:]), 0), follower.ended
        key = follower.reader.key
        since = max(first, self._since if self._key == key else 0)
        seconds = follower.seconds[since:]
        self._key, self._since = key, since + len(seconds)
        leader = _leader(self._kind, self._pk, len(ended), follower.place)
        return {
            "journal": key,
            "first": first,
            "since": since,
            "seconds": seconds,
            "say": f"{follower.place_words}: {follower.title}. {leader}",
            "now": _part("now", follower=follower, leader=leader, figures=_figures(follower)),
            "ended": _part("ended", ended=ended[: -SHOWN - 1 : -1], count=len(ended)),
        }


def _part(name: str, **context: Any) -> str:
    return render_to_string(f"benchsuite/_live_{name}.html", context)


def _figures(follower: Follower) -> list[tuple[str, str, str]]:
    if not follower.last:
        return []
    last = dict(zip(journal.SECOND, follower.last[-1][1:], strict=True))
    p50, p95 = (units.format_duration(last[name]) for name in ("p50_s", "p95_s"))
    failed = sum(second[1 + journal.SECOND.index("failed")] for second in follower.last)
    unit = follower.unit if follower.unit != "requests" else ""
    return [
        ("goodput", units.format_rate(last["goodput"]), unit),
        ("p95", p95, f"p50 {p50}"),
        ("failed", units.format_count(failed), "since its load began"),
        ("CPU of the server", units.format_percent(last["cpu_percent"]), "100 % is one CPU"),
    ]


@lru_cache(maxsize=1)
def _leader(kind: str, pk: UUID, ended: int, place: int) -> str:
    """The best configuration so far, or nothing; asked again only when more runs were made."""
    if kind == BATCH and ended:
        runs = queries.compared().filter(batch=pk, status=Status.FINISHED.value)
        answer = ranking(cells(list(runs)), conf.margins())
        return " ".join([answer.headline, *answer.cautions[:1]])
    if kind == TUNING and ended:
        with suppress(UsageError, Tuning.DoesNotExist):
            report = tuning_report(Tuning.objects.get(pk=pk))
            spent_s, budget_s = report.notebook.spent_s, report.notebook.question.budget_s
            spent = f"{units.format_period(spent_s)} of {units.format_period(budget_s)} are used."
            return f"{report.outcome.headline} {spent}"
    return ""


class UnderWay(NamedTuple):
    """A command that is at work, as a row of the list."""

    title: str
    url: str  #: Of the page that draws it.
    follower: Follower | None  #: None where its journal can't be read here.

    @property
    def rates(self) -> list[float]:
        seconds = self.follower.last[-DRAWN:] if self.follower else []
        return [second[2] for second in seconds if second[2] is not None]

    @property
    def points(self) -> str:
        """The same for an SVG of 100 × 20."""
        most = max(self.rates, default=0.0) or 1.0
        places = enumerate(self.rates)
        step = 100 / (DRAWN - 1)
        return " ".join(f"{at * step:.1f},{20 - 20 * rate / most:.1f}" for at, rate in places)


def under_way() -> list[UnderWay]:
    """All commands at work whose runs are stored here, whoever makes them and wherever."""
    compare = reverse("benchsuite:compare")
    pages: dict[str, tuple[str, str]] = {}  #: By the owner: title and URL.
    for run in Run.objects.filter(RUNNING).only("batch", "owner", "workload"):
        pages[run.owner] = run.workload, f"{compare}?batch={run.batch}"
    for kind in (StudyRun, Tuning):
        for execution in kind._default_manager.filter(RUNNING):
            pages[execution.owner] = str(execution), execution.get_absolute_url()
    here, rows = {reader.pid: reader for reader in journal.readers()}, []
    for owner, page in pages.items():  # the number of one elsewhere is another process here
        if not (ended := lock.has_ended(owner)):
            reader = here.pop(lock.pid_of(owner), None) if ended is False else None
            rows.append(UnderWay(*page, _follower(reader)))
    for other in here.values():  # between two of its runs
        last = Run.objects.filter(batch=other.batch).only("batch", "workload").first()
        if last is not None:
            rows.append(UnderWay(last.workload, f"{compare}?batch={last.batch}", _follower(other)))
    return rows


@never_cache
@guarded
def show(request: HttpRequest, kind: str, pk: UUID) -> HttpResponse:
    """What is new since the seconds that the page has (`since`) of a command (`journal`)."""
    if (watch := watch_of(request, kind, pk)) is None:
        raise NotShown(f"There is no {kind[:20]} {pk} to be followed.")
    return JsonResponse(watch.look() or OVER)


def watch_of(request: HttpRequest, kind: str, pk: UUID) -> Watch | None:
    if kind not in STORED:
        return None
    since = request.GET.get("since", "")
    many = int(since) if since.isascii() and since.isdigit() and len(since) < 9 else 0
    watch = Watch(kind, pk, key=request.GET.get("journal", ""), since=many)
    return watch if watch.exists else None


def context(request: HttpRequest, kind: str, pk: UUID) -> dict[str, Any] | None:
    """What a page needs to draw it, as its variable `live`; None for what is not under way."""
    if not (first := Watch(kind, pk).look()):
        return None
    return {
        **first,
        "url": reverse("benchsuite:live", args=[kind, pk]),
        "by_socket": bool(getattr(request, "scope", {}).get(SOCKET)),
        "leads": kind != STUDY and "journal" in first,  # it says what the page's answer would
        "refresh_s": REFRESH_S if kind == RUN else REFRESH_WHOLE_S,
    }


@never_cache
@guarded
def rows(request: HttpRequest) -> HttpResponse:
    """The rows of the list that are under way, as HTML, and how many they are."""
    commands = under_way()
    html = render_to_string("benchsuite/_under_way.html", {"under_way": commands})
    return JsonResponse({"html": html, "count": len(commands)})
