"""What `runbench` says before its first run: the plan in a line, and run by run."""

from collections.abc import Sequence
from math import prod

from benchsuite.comparing.titles import around
from benchsuite.core.printable import hidden
from benchsuite.core.samples import REQUEST
from benchsuite.core.specs import KEEP, THROWAWAY, RunSpec
from benchsuite.core.specs.load import USER
from benchsuite.core.units import counted, format_period, listed
from benchsuite.runner.planning import Plan
from benchsuite.system import cpus
from benchsuite.system.cpus import available, usable, words

FACETS = ("Python", "size", "front", "load", "delay")
DIAGNOSTIC = "diagnostic run"
FEW = 3  #: Loads that are all named in the line.


def line(plans: Sequence[Plan], estimate_s: float) -> str:
    """One line: how many servers and repeats, which work, which load, how long."""
    extra = sum(bool(plan.spec.diagnoses) for plan in plans)
    plans = [plan for plan in plans if not plan.spec.diagnoses] or plans
    runs = [plan.spec for plan in plans]
    largest, load = max(runs, key=lambda run: run.server.processes or 0), runs[0].load

    warmup, window = format_period(load.warmup_s), format_period(load.duration_s)
    if load.stages:
        periods = f"{len(load.stages)} stages of {warmup} warm-up + {window}"
    elif load.iterations is not None:
        periods = f"until all journeys are made, {window} at most"
    else:
        periods = f"{warmup} warm-up + {window} each"
    ordered = sorted(plans, key=lambda plan: plan.spec.load.level)
    loads = list(dict.fromkeys(_facets(plan)["load"] for plan in ordered))
    parts = [
        *[plan.server.name for plan in plans[:1] if not plan.server.starts],
        _shape(plans),
        listed(list(dict.fromkeys(run.workload.workload for run in runs))),
        listed(loads) if len(loads) <= FEW else f"{loads[0]} … {loads[-1]}",
        periods,
        *["cookies kept"] * load.keep_cookies,
        *[words for words in _around(plans[0]) if all(words in _around(plan) for plan in plans)],
        *[counted(extra, DIAGNOSTIC)] * bool(extra),
    ]
    where = cpus_words(largest) if plans[0].server.starts else "nothing started or isolated"
    return f"{', '.join(parts)} · {where} · about {format_period(round(estimate_s))}"


def _shape(plans: Sequence[Plan]) -> str:
    """How many there are of whatever varies: "2 servers × 3 sizes × 5 repeats"."""
    cells = {plan.spec.key: plan for plan in plans}.values()
    facets = [{"server": plan.spec.server.server, **_facets(plan)} for plan in cells]
    counts = {name: len({one[name] for one in facets}) for name in ("server", *FACETS)}
    words = [counted(many, name) for name, many in counts.items() if name == "server" or many > 1]
    if prod(counts.values()) != len(cells):
        words[-1] += f" ({len(cells)} configurations)"
    repeats = len({plan.spec.repetition for plan in plans})
    return " × ".join([*words, *[f"{repeats} repeats"] * (repeats > 1)])


def _facets(plan: Plan) -> dict[str, str]:
    """What may vary from run to run, beside the server, in words."""
    server, load = plan.spec.server, plan.spec.load
    who = USER if plan.workload.unit == REQUEST else "connection"  # what the workload is about
    sizes = (("process", "processes", server.processes), ("thread", "threads", server.threads))
    values = (
        server.python_words or "this Python",
        ", ".join(f"{n} {one if n == 1 else many}" for one, many, n in sizes if n) or "usual size",
        server.front_words or "no front",
        DIAGNOSTIC if plan.spec.diagnoses else load.words_of(who),
        plan.spec.delay.words or "no delay",
    )
    return dict(zip(FACETS, values, strict=True))


def _around(plan: Plan) -> list[str]:
    """What stands around every server of the plan, where it is not the default."""
    run = plan.spec
    words = around(run.to_json())
    delay = words["delay"] and f"{words['delay']} added"
    beside = (words["application"], words["visitor"], words["front"])
    data, work = run.database, plan.workload
    # Where the data are, if not as usual; and what there are for pages of the project.
    reached = () if data.reached == (THROWAWAY,) else data.reached
    if data.filled or not plan.server.serves_project or work.needs_target_app:
        rows = data.filled
    elif data.use == KEEP:
        rows = ("your own data",)
    else:
        rows = (f"rows of {work.name}" if work.has_own_data else "empty database",)
    layers = (words["layer"], delay, words["static"], hidden(words["target"]))
    return [words for words in (*beside, *reached, *rows, *layers) if words]


def cpus_words(run: RunSpec) -> str:
    """Where server and load run: a server that may use fewer CPUs than there are must know it."""
    quota, limit = cpus.cpu_quota(), ""
    if quota is not None and quota < len(available()):
        limit = f", both limited to {quota:.3g} CPUs by the control group"
    if run.server.cpus is None or run.load.cpus is None:
        return f"server and load share all CPUs{limit}"
    crowded = (run.server.processes or 0) > usable(run.server.cpus)
    processes = f" with {run.server.processes} processes" * crowded
    return f"server{processes} on {words(run.server.cpus)}, load on {words(run.load.cpus)}{limit}"


def titles(plans: Sequence[Plan]) -> list[str]:
    """Of each run its server, and what varies among all of them."""
    facets = [_facets(plan) for plan in plans]
    varying = [name for name in FACETS if len({one[name] for one in facets}) > 1]
    return [
        ", ".join((plan.spec.server.server, *(mine[name] for name in varying)))
        for plan, mine in zip(plans, facets, strict=True)
    ]


def rows(plans: Sequence[Plan]) -> list[str]:
    """One line a run, in order: what `--dry-run` shows."""
    return [
        f"{number:>3}  {title}  {plan.spec.workload.workload}"
        f"  repetition {plan.spec.repetition}  seed {plan.spec.seed}"
        for number, (title, plan) in enumerate(zip(titles(plans), plans, strict=True), start=1)
    ]
