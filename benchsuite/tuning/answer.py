"""What a tuning answers, at any time: from its notebook alone."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from benchsuite.core.answer import Answer, Section, Shown, Table, Tile
from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.tuning import confirming, scaling
from benchsuite.tuning.choosing import against
from benchsuite.tuning.confirming import FEWEST_MISSES, STARTS, Held, cliff
from benchsuite.tuning.notebook import RISING, End, Notebook, State
from benchsuite.tuning.planning import CONFIRMING_S
from benchsuite.tuning.scaling import Scaling
from benchsuite.tuning.trial import Candidate, Phase


def headline(notebook: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """The answer in one sentence; a second one where more than one run of the pick failed."""
    objective, rate, said = notebook.question.objective, notebook.question.rate, notebook.said
    asked = f" at {format_number(rate)}/s" if rate else ""
    ends = {
        End.REFUSED: f"Nothing was started. {said[:1].upper()}{said[1:]}.",
        End.NOTHING_RAN: f"Nothing could be measured{f': {said}' * bool(said)}.",
        End.UNSTABLE: f"No rate holds {objective.words} for sure: unstable, {said}.",
        End.NOTHING_HOLDS: f"Nothing holds {objective.words}{asked}: {said}.",
    }
    if notebook.end in ends:
        return ends[notebook.end]
    if pick is None and notebook.probe is not None:
        whole, cpu = map(format_duration, (notebook.probe.response_s, notebook.probe.cpu_s))
        return f"So far only one size was probed: a request takes {whole}, {cpu} of that on a CPU."
    if pick is None:
        return "Nothing has been measured yet."
    if held is not None:
        at_least = "at least " if notebook.is_limited(pick) else ""
        goals = " and ".join(goal.words for goal in objective.goals)
        number = format_number(rate or held.rate)
        answer = f"{described(pick)} holds {at_least}{number}/s with {goals}."
    elif notebook.end is not None and (rates := confirming.by_rate(notebook, pick)):
        answer = (
            f"{described(pick)} is the best found, and not confirmed: at "
            f"{format_number(min(rates))}/s {_seen(notebook, pick)}."
        )
    else:
        answer = f"So far {leading(notebook, pick)}; not confirmed."
    entries = [entry for entry in notebook.entries if entry.trial.candidate == pick]
    failed = sum(bool(entry.seen.failure) for entry in entries)
    return f"{answer} But {failed} of its {len(entries)} runs failed." if failed > 1 else answer


def became(state: State, why: str, between: str = ": ") -> str:
    """ "refused: it may open 512 connections", "dropped after 3 starts"; of what a failed start
    said the first line, as its log stands elsewhere.
    """
    why, word = why.partition("\n")[0], WORDS.get(state, state.value)
    return why if word in why else between.join(filter(None, (word, why)))


WORDS = {State.NOT_TOLD_APART: "not clearly different"}
"""Of states that people read otherwise than they are stored."""


def described(candidate: Candidate) -> str:
    """ "uwsgi, 2 processes × 6 threads"."""
    if candidate.runs_already:
        return candidate.server
    parts = [
        f"{count} {word}{ending * (count != 1)}"
        for count, word, ending in (
            (candidate.processes, "process", "es"),
            (candidate.threads, "thread", "s"),
        )
        if count is not None
    ]
    return ", ".join([candidate.server, " × ".join(parts), *candidate.settings])


def _reasons(notebook: Notebook, pick: Candidate, held: Held | None) -> list[str]:
    """What follows from the answer: what runs now, what is as good, what is worth trying."""
    sentences = [_now(notebook, pick)]
    if pick.runs_already:
        seen = "" if notebook.memory_bytes(pick) else ", and what limits it was not watched"
        sentences.append(
            f"It already runs: this is one configuration, no settings were tried{seen}."
        )
    if held and notebook.is_limited(pick):
        most = notebook.question.most_per_s
        what = f"What it may be asked ({most:g}/s in TARGETS)" if most else "The load generator"
        sentences.append(f"{what} was the limit, not the server.")
    memory = notebook.memory_bytes(pick)
    if notebook.question.rate is not None and notebook.end is End.CONFIRMED and memory:
        sentences.append(f"Of all that were tried it needs least: {format_bytes(memory)}.")
    if close := list(_close(notebook, pick)):
        least = min(notebook.memory_bytes(one.candidate) or 0.0 for one in close)
        more = ", more memory" if memory and memory <= least else ""
        names = [
            one.candidate.name
            + (f" ({one.ratio:.2f}" if one.ratio else "")
            + (f" [{one.low:.2f}, {one.high:.2f}]" if one.low and one.high else "")
            + ")" * bool(one.ratio)
            for one in close
        ]
        sentences.append(f"As good{more}: {', '.join(names)}.")
    sentences += [
        f"Worth trying: {variant.name}: {why}."
        for variant, (state, why) in notebook.states.items()
        if state is State.WORTH_TRYING
    ]
    return [one for one in sentences if one]


def _sure(
    notebook: Notebook, pick: Candidate, held: Held | None, rows: Sequence["Row"]
) -> list[str]:
    """How sure the rate is, and where it ends."""
    sentences = []
    if held is not None:
        first, *_ = notebook.question.objective.goals
        met = first.reached(held.share)
        if not first.is_mean:
            met += f", [{100 * held.low:.1f}, {100 * held.high:.1f}]"
        planned, most = format_count(held.planned), confirming.at_most(held.failures, held.planned)
        failed = f"{held.failures} of {planned}" if held.failures else f"None of {planned}"
        sentences += [
            f"In {held.starts} fresh runs of {held.window_s:.3g} s at "
            f"{format_number(held.shown)}/s: {met}. {failed} failed, so at most "
            f"{100 * most:.2g} % do.",
            f"{100 * (1 - held.rate / held.shown):.2g} % of that is taken off, as windows so short "
            "flatter and the next start may be a slower one.",
        ]
        own = notebook.estimate(pick)
        if own and any(row.rate is None and (row.estimate or 0.0) > held.rate for row in rows):
            sentences.append(
                "Estimates come from the search's short windows: compare them with its own, "
                f"{format_number(own)}/s."
            )
    if fall := cliff(notebook, pick):
        low, high = map(format_number, fall)
        sentences.append(f"It collapses between {low} and {high}/s: stay below the first.")
    return sentences


def _cautions(notebook: Notebook, pick: Candidate) -> list[str]:
    """What the figures don't say by themselves."""
    question, lines = notebook.question, []
    if notebook.recovers(pick) is False:
        lines.append(
            "It does not recover from overload: seconds after more came than it holds, most were "
            "still late at half of that rate. Keep it below, or restart it."
        )
    for kind, limit in question.connections_limit.items():
        if pick.connections is None or limit is None:
            continue
        needed = pick.connections * question.instances * question.aliases.get(kind, 1)
        twice = f"; while a restart overlaps, {2 * needed}, too many" if 2 * needed > limit else ""
        lines.append(
            f"It opens at most {needed} of the {limit} connections that {kind} has{twice}."
        )
    return [*lines, *_unsteady(notebook, pick), *scaling.unmeasured_cautions(notebook, pick)]


APART_OVER_TIME = 1.4
"""Times as much CPU time of a request in one start as in another with no lower rates. What a
request takes changes with the rate, too: more where requests are in each other's way, which is
why higher rates show nothing, and some tenths where so few come that caches forget them."""
ENOUGH_S = 1.0  #: Of CPU time in a start, which telemetry of each second tells exactly enough.


def _unsteady(notebook: Notebook, pick: Candidate) -> list[str]:
    """Of starts of the pick whose requests cost much more than those of others."""
    costs = [
        (max(level.rate for level in entry.seen.levels), cpu_s)
        for entry in notebook.of(pick, *RISING, Phase.CONFIRM)
        if (cpu_s := entry.seen.cpu_s)
        and cpu_s * sum(level.planned for level in entry.seen.levels) >= ENOUGH_S
    ]
    slower = [
        (cost / other, other, cost)
        for (rate, cost), (higher, other) in permutations(costs, 2)
        if rate <= higher and cost >= APART_OVER_TIME * other
    ]
    if not slower:
        return []
    _, least, most = max(slower)
    return [
        f"The machine was not equally fast all the time: a request took {format_duration(least)} "
        f"of CPU in one run of {pick.name} and {format_duration(most)} in another. Tune again "
        "where nothing else uses it."
    ]


def longer_search(notebook: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """What the next minutes of a search would add, or a longer one."""
    if notebook.end is None:
        phases = {entry.trial.phase for entry in notebook.entries}
        confirmed = len(notebook.of(pick, Phase.CONFIRM)) if pick else 0
        is_first = Phase.SCREEN not in phases and notebook.question.only is None
        adds = "a first look at each size, " * is_first
        adds += "rising rates for the best and fresh runs that confirm one"
        if 0 < confirmed < STARTS:
            adds = f"{STARTS - confirmed} more fresh runs that confirm it"
        elif Phase.CONFIRM in phases:
            adds = "what limits it, and other settings"
        return f"The next minutes add {adds}."
    additions = []
    cut = sum(state is State.NOT_TRIED for state, _ in notebook.states.values())
    if cut:
        additions.append(f"{cut} candidate{'s' * (cut != 1)} for which the budget left no time")
    now = notebook.question.current
    ended = notebook.end in (End.CONFIRMED, End.NOT_CONFIRMED)
    if ended and now and now in notebook.states and not notebook.of(now, Phase.CONFIRM):
        additions.append("fresh runs of what runs now")
    if held is not None:
        # goals that allow so few misses that so few requests can't show them
        additions += [
            f"{format_count(FEWEST_MISSES / (1 - goal.share))} requests, which {goal.words} takes "
            f"to be shown ({format_count(held.planned)} were planned)"
            for goal in notebook.question.objective.goals
            if held.planned * (1 - goal.share) < FEWEST_MISSES
        ]
        if held.window_s <= CONFIRMING_S:
            additions.append(f"windows longer than {held.window_s:.3g} s (--thorough)")
    return f"A longer search would add {'; '.join(additions)}." if additions else ""


def _now(notebook: Notebook, pick: Candidate) -> str:
    """What runs now, beside the pick."""
    now = notebook.question.current
    if now is None or now not in notebook.states:
        return ""
    if now == pick:
        return "You run it now."
    you = f"You run {now.name} now"
    if held := confirming.held_by(notebook, now):
        return f"{you}: {format_number(held.rate)}/s."
    if rates := confirming.by_rate(notebook, now):
        rate = f"{format_number(min(rates))}/s"
        if confirming.missed(notebook, now, min(rates)):
            return f"{you}, which did not hold {rate}."
        return f"{you}, which is not shown to hold {rate}: {_seen(notebook, now)}."
    return f"{you}: {became(*notebook.states[now], between=', ')}."


def _seen(notebook: Notebook, candidate: Candidate) -> str:
    """ "90.6 % in time in 3 fresh runs", at the lowest of their rates."""
    levels = next(iter(confirming.by_rate(notebook, candidate).values()))
    shares = [level.met[0] / level.planned for level in levels]
    goal, *_ = notebook.question.objective.goals
    runs = f"{len(shares)} fresh run{'s' * (len(shares) != 1)}"
    return f"{goal.reached(sum(shares) / len(shares))} in {runs}"


def leading(notebook: Notebook, pick: Candidate) -> str:
    """ "uwsgi, 2 processes × 6 threads, leads with about 168/s [160, 176] (2 runs)", for a live
    line, too.
    """
    asked = notebook.question.rate
    if estimated := leads_with(notebook, pick):
        count = len(notebook.of(pick, *RISING, Phase.CONFIRM))
        runs = f"{count} run{'s' * (count != 1)}"
        return f"{described(pick)} leads with about {estimated} ({runs})"
    if asked is not None:
        return f"{described(pick)} needs least of those that may hold {format_number(asked)}/s"
    through = notebook.screened(pick)
    most = f": {format_number(through)}/s under a full load" if through else ""
    return f"{described(pick)} gets most through{most}"


def leads_with(notebook: Notebook, pick: Candidate) -> str:
    """ "168/s [160, 176]", by how much starts of one size differ here; empty before any rate."""
    if (estimate := notebook.estimate(pick)) is None:
        return ""
    factor = math.exp(2 * notebook.spread() / math.sqrt(max(1, len(notebook.blocks(pick)))))
    rate, low, high = map(format_number, (estimate, estimate / factor, estimate * factor))
    return f"{rate}/s [{low}, {high}]"


UNTRIED = (State.REFUSED, State.BOUNDED_OUT, State.NOT_TRIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What became of a candidate."""

    candidate: Candidate
    state: State
    why: str
    estimate: float | None  #: The rate it just holds, from all starts before the fresh ones.
    low: float | None
    high: float | None  #: Ends of the interval of that estimate, over starts.
    rate: float | None  #: What fresh starts say it holds; None without them, or where they don't.
    shown: float | None  #: The rate of their windows, which flatter.
    share: float | None  #: Of the planned arrivals that met the first goal there.
    percentile_s: float | None  #: Response time at that share there.
    memory_bytes: float | None
    cpu_s: float | None  #: CPU time of a request.
    connections: int | None
    starts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """A candidate that isn't told apart from the pick."""

    candidate: Candidate
    ratio: float | None  #: Of its rate to the pick's.
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Figures come from fresh starts alone; None where there are none."""

    end: End | None  #: None while the search goes on, or where it was stopped.
    sentences: tuple[str, ...]  #: The answer, and what follows from it.
    sure: tuple[str, ...] = ()  #: How sure that is, and where it ends.
    cautions: tuple[str, ...] = ()
    pick: Candidate | None = None
    rate: float | None = None  #: Confirmed.
    shown: float | None = None  #: The rate at which fresh starts did, in windows that flatter.
    at_least: bool = False  #: Whether the load generator was the limit.
    share: float | None = None
    low: float | None = None
    high: float | None = None  #: Ends of that share's interval, over starts.
    starts: int = 0
    window_s: float | None = None
    failures: int | None = None
    planned: int | None = None
    cliff: tuple[float, float] | None = None  #: The rates between which it collapses.
    now: Row | None = None  #: What runs now.
    not_told_apart: tuple[Close, ...] = ()
    rows: tuple[Row, ...] = ()
    not_tried: tuple[tuple[str, str], ...] = ()  #: What, and why.
    missing: str = ""  #: What a longer search would add.
    scaling: Scaling | None = None  #: Where several numbers of CPUs were asked for.


FIGURES = ("rate", "shown", "share", "low", "high", "starts", "window_s", "failures", "planned")


def outcome(notebook: Notebook) -> Outcome:
    """The best that is known."""
    several = bool(notebook.question.scaling)
    order = sorted(notebook.states, key=lambda one: one.cpus or 0)
    rows = tuple(_row(notebook, candidate) for candidate in order)
    untried = ((row.candidate.name, row.why) for row in rows if row.state in UNTRIED)
    not_tried = (*notebook.unable.items(), *untried)
    now = next((row for row in rows if row.candidate == notebook.question.current), None)
    pick = None if several else notebook.pick()
    if pick is None:
        curve = scaling.scaling(notebook) if several else None
        nothing = notebook.end in (End.REFUSED, End.NOTHING_RAN, End.NOTHING_HOLDS)
        told = [headline(notebook, None, None)]
        if curve is not None and not nothing:
            told = scaling.sentences(notebook, curve)
        return Outcome(
            end=notebook.end,
            sentences=tuple(told),
            now=now,
            rows=rows,
            not_tried=not_tried,
            scaling=curve,
            missing="" if several else longer_search(notebook, None, None),
        )
    held = confirming.held_by(notebook, pick)
    figures: dict[str, Any] = {name: getattr(held, name) for name in FIGURES if held}
    return Outcome(
        end=notebook.end,
        sentences=(headline(notebook, pick, held), *_reasons(notebook, pick, held)),
        sure=tuple(_sure(notebook, pick, held, rows)),
        cautions=tuple(_cautions(notebook, pick)),
        pick=pick,
        **figures,
        at_least=bool(held and notebook.is_limited(pick)),
        cliff=cliff(notebook, pick),
        now=now,
        not_told_apart=tuple(_close(notebook, pick)),
        rows=rows,
        not_tried=not_tried,
        missing=longer_search(notebook, pick, held),
    )


def sentence(notebook: Notebook) -> str:
    """The first of the answer, alone."""
    if notebook.question.scaling:
        return outcome(notebook).sentences[0]
    pick = notebook.pick()
    return headline(notebook, pick, confirming.held_by(notebook, pick) if pick else None)


def _row(notebook: Notebook, candidate: Candidate) -> Row:
    state, why = notebook.states[candidate]
    held = confirming.held_by(notebook, candidate)
    rates = list(notebook.blocks(candidate).values())
    low = high = None
    if len(rates) >= confirming.FEWEST_STARTS:
        mean, half = confirming.interval(rates)
        low, high = math.exp(mean - half), math.exp(mean + half)
    return Row(
        candidate=candidate,
        state=state,
        why=why,
        estimate=notebook.estimate(candidate),
        low=low,
        high=high,
        **{name: getattr(held, name, None) for name in ("rate", "shown", "share", "percentile_s")},
        memory_bytes=notebook.memory_bytes(candidate),
        cpu_s=notebook.cpu_s(candidate),
        connections=candidate.connections,
        starts=len(notebook.of(candidate, *RISING, Phase.CONFIRM, Phase.VARY)),
    )


def _close(notebook: Notebook, pick: Candidate) -> Iterator[Close]:
    """Those that aren't told apart from the pick."""
    best = notebook.estimate(pick)
    for candidate, (state, _) in notebook.states.items():
        if state is State.NOT_TOLD_APART and candidate != pick:
            own, compared = notebook.estimate(candidate), against(notebook, candidate, pick)
            yield Close(
                candidate=candidate,
                ratio=compared.value if compared else (own / best if own and best else None),
                low=compared.low if compared else None,
                high=compared.high if compared else None,
            )


MANY = 20  #: Rows from which on a page folds a table.


def answer(notebook: Notebook, outcome: Outcome) -> Answer:
    """The outcome with its figures, and folded below: how sure, which configurations, and what was
    not tried.
    """
    first, *reasons = outcome.sentences
    return Answer(
        title=f"Tuning for {notebook.question.objective.words}",
        headline=first,
        tiles=_tiles(notebook, outcome),
        reasons=reasons,
        table=_configurations(notebook, outcome),
        cautions=outcome.cautions,
        next_steps=[outcome.missing] if outcome.missing else [],
        sections=[*_sections(notebook, outcome)],
    )


def _tiles(notebook: Notebook, outcome: Outcome) -> list[Tile]:
    row = next((one for one in outcome.rows if one.candidate == outcome.pick), None)
    if row is None or row.rate is None or row.share is None:
        return []
    goal, *_ = notebook.question.objective.goals
    now = outcome.now.rate if outcome.now and outcome.now != row else None
    return [
        Tile(title, show(value))
        for title, value, show in (
            ("holds", row.rate, format_rate),
            (f"{goal.name} there", row.percentile_s, format_duration),
            ("memory", row.memory_bytes, format_bytes),
            ("you run now", now, format_rate),
        )
        if value is not None
    ]


def _sections(notebook: Notebook, outcome: Outcome) -> Iterator[Section]:
    """How sure it is; what failed runs said, once and not in each cell; what was not tried."""
    if outcome.sure:
        yield Section(title="How sure it is", sentences=outcome.sure, brief=outcome.sure[:1])
    failed: dict[str, list[str]] = {}
    for entry in notebook.entries:
        if text := entry.seen.failure.strip():
            failed.setdefault(text, []).append(entry.trial.candidate.name)
    if failed:
        texts = {
            ", ".join(dict.fromkeys(names)) + f", {len(names)} times" * (len(names) > 1): text
            for text, names in failed.items()
        }
        count = sum(map(len, failed.values()))
        lines = [f"Failed: {who}: {text.partition(chr(10))[0]}" for who, text in texts.items()]
        title = f"{count} run{'s' * (count != 1)} that failed"
        yield Section(title=title, copies=texts, brief=lines)
    if outcome.not_tried:
        table = Table(
            ["what", "why"],
            outcome.not_tried,
            title=f"{len(outcome.not_tried)} left out, with the reason",
            is_folded=len(outcome.not_tried) >= MANY,
        )
        yield Section(title="Not tried", tables=[table], brief=untried_lines(outcome))


def tried(outcome: Outcome) -> list[Row]:
    """All candidates that were started, by their CPUs, the best first."""
    started = [row for row in outcome.rows if row.state not in UNTRIED]
    return sorted(
        started,
        key=lambda row: (
            row.candidate.cpus or 0,
            [*State].index(row.state),
            -(row.estimate or 0.0),
        ),
    )


def untried_lines(outcome: Outcome) -> list[str]:
    """One for each reason."""
    reasons: dict[str, list[str]] = {}
    for what, why in outcome.not_tried:
        reasons.setdefault(why, []).append(what)
    return [f"Not tried: {', '.join(some)} ({why})" for why, some in reasons.items()]


def _configurations(notebook: Notebook, outcome: Outcome) -> Table | None:
    rows = tried(outcome)
    if not rows:
        return None
    shown = [figures(row, notebook.question.objective.goals[0]) for row in rows]
    return Table(
        ["configuration", *shown[0], "state"],
        [
            [row.candidate.name, *cells.values(), state(row)]
            for row, cells in zip(rows, shown, strict=True)
        ],
        title="Configurations",
        figures=list(shown[0]),
        spare=("starts", "connections", "CPU a request"),
        chosen=next((at for at, row in enumerate(rows) if row.candidate == outcome.pick), None),
    )


def figures(row: Row, goal: Goal) -> dict[str, Shown]:
    """Heading → what a candidate has there, beside its name and its state."""
    missing = "no fresh runs confirmed it" if row.starts else state(row)

    def shown(
        value: float | None, show: Callable[[float], str], note: str = "", why: str = missing
    ) -> Shown:
        return Shown.missing(why) if value is None else Shown(show(value), note)

    share = None if row.share is None else 100 * row.share
    name = "right" if goal.within_s is None else f"within {format_duration(goal.within_s)}"
    cells = {
        "estimate": shown(row.estimate, format_rate, interval(row), state(row)),
        "holds": shown(row.rate, format_rate, f"shown at {format_rate(row.shown)}"),
        f"{'mean' if goal.is_mean else f'p{100 * goal.share:.6g}'} there": shown(
            row.percentile_s, format_duration
        ),
        name: shown(share, format_percent),
        "memory": shown(row.memory_bytes, format_bytes),
        "CPU a request": shown(row.cpu_s, format_duration),
        "connections": shown(
            row.connections, format_count, why="how many it opens at most isn't known"
        ),
        "starts": shown(row.starts, format_count),
    }
    if goal.is_mean:
        del cells[name]
    return cells


def state(row: Row) -> str:
    return became(row.state, row.why)


def interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{format_number(row.low)}, {format_number(row.high)}]"
