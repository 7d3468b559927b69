"""What would you run? All stored configurations answer for an objective."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from benchsuite.comparing import asking
from benchsuite.comparing.asking import Candidate, Fit
from benchsuite.comparing.titles import workload_title
from benchsuite.core.answer import Answer
from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs.objective import parse
from benchsuite.report import queries
from benchsuite.views.page import guarded, page

MOST = 1000  #: Runs that are asked, the newest.
OBJECTIVE = "p95 < 200ms"


@guarded
def show(request: HttpRequest) -> HttpResponse:
    given = {name: request.GET.get(name, "").strip() for name in ("work", "objective", "rate")}
    memory, text = request.GET.get("memory", "").strip(), given["objective"] or OBJECTIVE
    newest = queries.compared().filter(goodput__isnull=False).defer(*queries.HEAVY, "programs")
    runs = [run for run in newest.order_by("-started_at")[:MOST] if not run.unreadable]
    works = list(dict.fromkeys(workload_title(run) for run in runs))
    work = given["work"] or (works[0] if works else "")
    context: dict[str, Any] = {
        "title": "What would you run?",
        "works": works,
        "work": work,
        "given": {"objective": text, "rate": given["rate"]},
        "memory": memory,
    }
    status = 200
    try:
        try:
            rate = float(given["rate"] or 0)
        except ValueError:
            rate = -1.0
        if not 0 <= rate < 1e9:
            refused, such_as = given["rate"][:60], "write requests per second, such as 50."
            raise UsageError(f"{refused!r} is not a rate; {such_as}")
        objective = parse(f"{text}, memory <= {memory}" if memory else text)
        mine = [run for run in runs if workload_title(run) == work]
        here = [run for run in mine if run.environment_id == mine[0].environment_id]
        if works and work not in works:
            raise UsageError(f"Nothing is stored of {work[:60]!r}; choose from the list.")
        found = asking.candidates(here, objective, rate)
        context |= {"answer": _answer(found), "candidates": found, "plot": _plot(found)}
    except UsageError as error:
        context["error"], status = str(error), 400
    return page(request, "ask", context, status=status)


def _answer(found: Sequence[Candidate]) -> Answer:
    fitting = [one for one in found if one.fit is Fit.FITS]
    unknown = [one for one in found if one.fit is Fit.UNKNOWN]
    if fitting:
        headline = f"Take {fitting[0].title}: of those that fit it needs least memory."
    else:
        headline = "No stored configuration is known to fit."
    measurable = next((candidate for candidate in unknown if candidate.command), None)
    several, verb = "s" * (len(found) != 1), "fits" if len(fitting) == 1 else "fit"
    counts = f"{len(fitting)} of {len(found)} stored configuration{several} {verb}"
    if unknown:
        counts += f"; {len(unknown)} {'was' if len(unknown) == 1 else 'were'} not measured for it"
    return Answer(
        title="ask",
        headline=headline if found else "Nothing was measured yet.",
        reasons=[f"{counts}."] if found else [],
        next_steps=[f"Measure {measurable.title} there:"] if measurable else [],
        command=measurable.command if measurable else "",
    )


def _plot(found: Sequence[Candidate]) -> list[tuple[float, float, Candidate, bool]]:
    """Where each stands, in percent from the left (memory) and from the top (rate)."""
    able = [one for one in found if one.rate and one.memory_bytes]
    if len(able) < 2:
        return []
    most_rate = max(one.rate or 0.0 for one in able)
    most_memory = max(one.memory_bytes or 0.0 for one in able)
    best = asking.front(found)
    return [
        (
            round(5 + 90 * (one.memory_bytes or 0.0) / most_memory, 2),
            round(95 - 90 * (one.rate or 0.0) / most_rate, 2),
            one,
            one in best,
        )
        for one in able
    ]
