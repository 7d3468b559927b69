"""What would you run? All stored configurations answer for an objective."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from benchsuite.comparing import asking
from benchsuite.comparing.asking import Candidate, Fit
from benchsuite.comparing.titles import workload_title
from benchsuite.core.answer import Answer
from benchsuite.core.exceptions import UsageError
from benchsuite.core.results import Verdict
from benchsuite.core.specs.objective import parse
from benchsuite.core.units import counted, short
from benchsuite.models import Run
from benchsuite.report import queries
from benchsuite.views.page import guarded, page

MOST = 1000  #: Runs that are asked, the newest.
OBJECTIVE = "p95 < 200ms"
SOUND = (Verdict.VALID.value, Verdict.WEAK.value)
NONE = "Nothing was measured yet that gives answers."


@guarded
def show(request: HttpRequest) -> HttpResponse:
    given = {name: request.GET.get(name, "").strip() for name in ("work", "rate", "memory")}
    given["objective"] = request.GET.get("objective", "").strip() or OBJECTIVE
    newest = queries.compared().filter(requests__gt=0).defer(*queries.HEAVY, "programs")
    runs = [run for run in newest.order_by("-started_at")[:MOST] if not run.unreadable]
    queries.add_journeys(runs)
    works = list(dict.fromkeys(workload_title(run) for run in runs))
    sound = (workload_title(run) for run in runs if run.verdict in SOUND)
    given["work"] = given["work"] or next(sound, works[0] if works else "")
    context: dict[str, Any] = {"title": "What would you run?", "works": works, "given": given}
    status = 200
    try:
        candidates = _candidates(runs, given)
        context |= {
            "answer": _answer(candidates, given["work"]),
            "candidates": candidates,
            "plot": _plot(candidates),
        }
    except UsageError as error:
        context["error"], status = str(error), 400
        context["given"] = {name: short(text) for name, text in given.items()}
    return page(request, "ask", context, status=status)


def _candidates(runs: Sequence[Run], given: Mapping[str, str]) -> list[Candidate]:
    """Those of the work that is asked for, under the conditions of its newest run that counts."""
    try:
        rate = float(given["rate"] or 0)
    except ValueError:
        rate = -1.0
    if not 0 <= rate < 1e9:
        refused = f"{given['rate'][:60]!r} is not a rate"
        raise UsageError(f"{refused}; write requests per second, such as 50.")
    memory = f", memory <= {given['memory']}" * bool(given["memory"])
    objective = parse(given["objective"] + memory)
    mine = [run for run in runs if workload_title(run) == given["work"]]
    if runs and not mine:
        raise UsageError(f"Nothing is stored of {given['work'][:60]!r}; choose from the list.")
    sound = [run for run in mine if run.verdict in SOUND]
    newest = [asking.conditions(run) for run in (sound or mine)[:1]]
    alike = [run for run in mine if asking.conditions(run) in newest]
    return asking.candidates(alike, objective, rate)


def _answer(candidates: Sequence[Candidate], work: str) -> Answer:
    if not candidates:
        none = f"Nothing counts of {work}: no configuration of it is valid." if work else NONE
        return Answer(title="ask", headline=none)
    fitting = [one for one in candidates if one.fit is Fit.FITS]
    unknown = [one for one in candidates if one.fit is Fit.UNKNOWN]
    headline = "No stored configuration is known to fit."
    if fitting:
        headline = f"Take {fitting[0].title}: of those that fit it needs least memory."
        if fitting[0].memory_bytes is None:
            headline = f"Take {fitting[0].title}: it fits, and its memory is not known."
    measurable = next((candidate for candidate in unknown if candidate.command), None)
    known = counted(len(candidates), "stored configuration")
    more = f", {len(unknown)} not measured for it" if unknown else ""
    return Answer(
        title="ask",
        headline=headline,
        reasons=[f"{known}: {len(fitting)} {'fits' if len(fitting) == 1 else 'fit'}{more}."],
        next_steps=[f"Measure {measurable.title} there:"] if measurable else [],
        command=measurable.command if measurable else "",
    )


def _plot(candidates: Sequence[Candidate]) -> dict[str, Any] | None:
    """Points in percent from the left (memory) and from the top (rate), and where axes end."""
    able = [
        (one.memory_bytes, one.rate, one) for one in candidates if one.rate and one.memory_bytes
    ]
    if len(able) < 2:
        return None
    most_memory, most_rate = max(memory for memory, *_ in able), max(rate for _, rate, _ in able)
    best = asking.front(candidates)
    points = []
    for memory, rate, candidate in able:
        x, y = 90 * memory / most_memory, 100 - 90 * rate / most_rate
        points.append((round(x, 2), round(y, 2), candidate, candidate in best))
    return {"points": points, "most_memory": most_memory, "most_rate": most_rate}
