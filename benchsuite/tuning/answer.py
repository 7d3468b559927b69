"""What a tuning answers, at any time: from its notebook alone."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from benchsuite.core.answer import Answer, Section, Shown, Table
from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import (
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_percent,
    format_rate,
)
from benchsuite.tuning import confirming, scaling, spread, variants
from benchsuite.tuning.choosing import against
from benchsuite.tuning.confirming import FEWEST_MISSES, Held, cliff
from benchsuite.tuning.notebook import End, Notebook, State
from benchsuite.tuning.planning import CONFIRMING_S, PLANS
from benchsuite.tuning.scaling import Scaling
from benchsuite.tuning.trial import Candidate, Phase

SOON = (Phase.LADDER, Phase.RACE)
STARTS = PLANS[0].starts  #: That confirm.


def first_sentence(notebook: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """The answer in one sentence."""
    objective = notebook.question.objective.words
    if notebook.end is End.REFUSED:
        return f"Nothing was started. {_capital(notebook.said)}."
    if notebook.end is End.NOTHING_RAN:
        return f"Nothing could be measured{f': {notebook.said}' if notebook.said else ''}."
    if notebook.end is End.NOTHING_HOLDS:
        rate = notebook.question.rate
        asked = f" at {format_number(rate)}/s" if rate else ""
        return f"Nothing holds {objective}{asked}: {notebook.said}."
    if pick is None:
        return _begun(notebook)
    if held is None:
        return _unconfirmed(notebook, pick)
    least = ""
    if notebook.question.rate is not None and notebook.end is End.CONFIRMED:
        memory = notebook.memory_bytes(pick)
        least = f" Of all that were tried it needs least: {format_bytes(memory)}." if memory else ""
    at_least = "at least " if notebook.is_limited(pick) else ""
    limit = " The load generator was the limit, not the server." if at_least else ""
    rate = notebook.question.rate or held.rate
    return (
        f"{described(pick)} holds {at_least}{format_number(rate)}/s with {_goals(notebook)} "
        f"({_evidence(notebook, held)}).{limit}{least}{_now(notebook, pick)}"
    )


def became(state: State, why: str, between: str = ": ") -> str:
    """ "refused: it may open 512 connections", "dropped after 3 starts"."""
    return why if state.value in why else between.join(filter(None, (state.value, why)))


def described(candidate: Candidate) -> str:
    """ "gunicorn-gthread with 3 processes of 8 threads"."""
    processes = f"{candidate.processes} process{'es' * (candidate.processes != 1)}"
    threads = ""
    if candidate.threads is not None:
        threads = f" of {candidate.threads} thread{'s' * (candidate.threads != 1)}"
    settings = "".join(f", {one}" for one in candidate.settings)
    return f"{candidate.server} with {processes}{threads}{settings}"


def tie_sentence(notebook: Notebook, pick: Candidate, ties: Sequence[tuple[Candidate, str]]) -> str:
    named = ", ".join(f"{one.name}{ratio}" for one, ratio in ties)
    memory = notebook.memory_bytes(pick)
    theirs = [notebook.memory_bytes(one) or 0.0 for one, _ in ties]
    least = ""
    if memory and memory <= min(theirs):
        least = f" It has the least memory: {format_bytes(memory)}."
    return f"Not told apart from it: {named}.{least}"


def estimates_sentence(own: float) -> str:
    """What may be compared, where another is estimated above what the pick is shown to hold."""
    return (
        "Estimates are of the short windows of the search: compare those of others with its own, "
        f"{format_number(own)}/s, and not with what it holds."
    )


def cliff_sentence(low: float, high: float) -> str:
    return (
        f"It collapses between {format_number(low)} and {format_number(high)}/s: stay below the "
        "first."
    )


def pick_cautions(notebook: Notebook, pick: Candidate) -> list[str]:
    """What the figures don't say by themselves."""
    question, lines = notebook.question, []
    for kind, limit in question.connections_limit.items():
        if pick.connections is None or limit is None:
            continue
        needed = pick.connections * question.instances * question.aliases.get(kind, 1)
        restart = (
            f"; while a restart overlaps, {2 * needed}, too many" if 2 * needed > limit else ""
        )
        lines.append(
            f"It opens at most {needed} of the {limit} connections that {kind} has{restart}."
        )
    return [*lines, *spread.cautions(notebook, pick), *scaling.unmeasured_cautions(notebook, pick)]


def longer_search(notebook: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """What a longer search would add."""
    additions = []
    if notebook.end is None:
        confirmed = len(notebook.of(pick, Phase.CONFIRM)) if pick else 0
        additions.append(
            f"{STARTS - confirmed} fresh starts" if 0 < confirmed < STARTS else _rest(notebook)
        )
    cut = sum(state is State.NOT_TRIED for state, _ in notebook.states.values())
    if cut:
        additions.append(f"{cut} candidate{'s' * (cut != 1)} for which the budget left no time")
    if _unraced(notebook):
        additions.append("a race of those that came near, for which the budget left no time")
    now = notebook.question.current
    ended = notebook.end in (End.CONFIRMED, End.NOT_CONFIRMED)
    if ended and now and now in notebook.states and not notebook.of(now, Phase.CONFIRM):
        additions.append("fresh starts of what runs now")
    if held is not None:
        additions += _not_shown(notebook, held)
        if held.window_s <= CONFIRMING_S:
            additions.append(f"windows longer than {held.window_s:g} s (--thorough)")
    return f"A longer search would add {'; '.join(additions)}." if additions else ""


def _unraced(notebook: Notebook) -> bool:
    """Whether the pick is the best of several by a start or two of each."""
    if notebook.question.rate is not None or notebook.end not in (End.CONFIRMED, End.NOT_CONFIRMED):
        return False
    raced = any(one.trial.phase is Phase.RACE for one in notebook.entries)
    screened = {one.trial.candidate for one in notebook.entries if one.trial.phase is Phase.SCREEN}
    return not raced and len(screened) > 1 and not any(map(notebook.is_limited, screened))


def _rest(notebook: Notebook) -> str:
    phases = {entry.trial.phase for entry in notebook.entries}
    steps = ("the screening", "the race", "fresh starts of the best")
    done = 0 if Phase.SCREEN not in phases else 1
    return ", ".join(steps[2 if Phase.CONFIRM in phases else done :])


def _not_shown(notebook: Notebook, held: Held) -> list[str]:
    """Goals that allow so few misses that so few requests can't show them."""
    return [
        f"{format_count(FEWEST_MISSES / (1 - goal.share))} requests, which {goal.words} takes to "
        f"be shown ({format_count(held.planned)} were planned)"
        for goal in notebook.question.objective.goals
        if held.planned * (1 - goal.share) < FEWEST_MISSES
    ]


def _goals(notebook: Notebook) -> str:
    """ "95 % answered within 200 ms"."""
    return " and ".join(
        f"{100 * goal.share:.6g} % answered"
        + ("" if goal.within_s is None else f" within {1000 * goal.within_s:.6g} ms")
        for goal in notebook.question.objective.goals
    )


def _evidence(notebook: Notebook, held: Held) -> str:
    planned = format_count(held.planned)
    most = f"at most {100 * confirming.at_most(held.failures, held.planned):.2g} % fail"
    first_sentence, *_ = notebook.question.objective.goals
    how = "right" if first_sentence.within_s is None else "in time"
    failures = (
        f"no failure in {planned}" if not held.failures else f"{held.failures} of {planned} failed"
    )
    flattered = f"{100 * (held.shown / held.rate - 1):.2g} %"
    return (
        f"measured at {format_number(held.shown)}/s, as windows of {held.window_s:.3g} s flatter "
        f"by about {flattered}: {100 * held.share:.1f} % {how}, [{100 * held.low:.1f}, "
        f"{100 * held.high:.1f}], in {held.starts} fresh starts; {failures}, so {most}"
    )


def _now(notebook: Notebook, pick: Candidate) -> str:
    now = notebook.question.current
    if now is None:
        return ""
    if now == pick:
        return " It is what runs now."
    if held := confirming.held_by(notebook, now):
        return f" {now.name}, which runs now, holds {format_number(held.rate)}/s."
    if rates := confirming.rates_of(notebook, now):
        rate = f"{format_number(rates[0])}/s"
        if confirming.missed(notebook, now, rates[0]):
            return f" {now.name}, which runs now, did not hold {rate}."
        return f" {now.name}, which runs now, is not shown to hold {rate}: {_seen(notebook, now)}."
    if now not in notebook.states:
        return ""
    return f" What runs now, {now.name}: {became(*notebook.states[now], between=', ')}."


def _seen(notebook: Notebook, candidate: Candidate) -> str:
    """ "90.6 % were in time in 3 fresh starts", at the lowest of their rates."""
    shares = confirming.shares(notebook, candidate, confirming.rates_of(notebook, candidate)[0])
    starts = f"{len(shares)} fresh start{'s' * (len(shares) != 1)}"
    return f"{100 * sum(shares) / len(shares):.3g} % were in time in {starts}"


def _unconfirmed(notebook: Notebook, pick: Candidate) -> str:
    estimate, rates = notebook.estimate(pick), confirming.rates_of(notebook, pick)
    if rates and notebook.end is not None:
        return (
            f"{described(pick)} is the best found, and not confirmed: at "
            f"{format_number(rates[0])}/s {_seen(notebook, pick)}.{_now(notebook, pick)}"
        )
    if estimate is not None:
        starts = len(notebook.of(pick, *SOON))
        return (
            f"So far {described(pick)} leads with about {format_number(estimate)}/s, after "
            f"{starts} start{'s' * (starts != 1)}; not confirmed."
        )
    if notebook.question.rate is not None:
        return (
            f"So far {described(pick)} needs least of those that may hold "
            f"{format_number(notebook.question.rate)}/s; not confirmed."
        )
    through = notebook.screened(pick)
    most = f": {format_number(through)}/s under a full load" if through else ""
    return f"So far {described(pick)} gets most through{most}; no rate was tried yet."


def _begun(notebook: Notebook) -> str:
    if notebook.probe is not None:
        whole, cpu = 1000 * notebook.probe.response_s, 1000 * notebook.probe.cpu_s
        return (
            f"So far only one size was probed: a request takes {whole:.3g} ms, {cpu:.3g} ms of "
            "that on a CPU."
        )
    return "Nothing has been measured yet."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


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
    sentences: tuple[str, ...]
    pick: Candidate | None
    rate: float | None  #: Confirmed.
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


def outcome(notebook: Notebook) -> Outcome:
    """The best that is known."""
    if notebook.question.scaling:
        return _on_several_cpus(notebook)
    pick = notebook.pick()
    held = confirming.held_by(notebook, pick) if pick else None
    rows = tuple(_row(notebook, candidate) for candidate in notebook.states)
    close = tuple(_close(notebook, one, pick) for one in tied(notebook, pick)) if pick else ()
    return Outcome(
        end=notebook.end,
        sentences=tuple(_sentences(notebook, pick, held, close, rows)),
        pick=pick,
        rate=held.rate if held else None,
        shown=held.shown if held else None,
        at_least=bool(pick and held and notebook.is_limited(pick)),
        share=held.share if held else None,
        low=held.low if held else None,
        high=held.high if held else None,
        starts=held.starts if held else 0,
        window_s=held.window_s if held else None,
        failures=held.failures if held else None,
        planned=held.planned if held else None,
        cliff=cliff(notebook, pick) if pick else None,
        now=next((row for row in rows if row.candidate == notebook.question.current), None),
        not_told_apart=close,
        rows=rows,
        not_tried=_not_tried(notebook, rows),
        missing=longer_search(notebook, pick, held),
    )


def sentence(notebook: Notebook) -> str:
    """The first of the answer, alone."""
    if notebook.question.scaling:
        return outcome(notebook).sentences[0]
    pick = notebook.pick()
    return first_sentence(notebook, pick, confirming.held_by(notebook, pick) if pick else None)


def _on_several_cpus(notebook: Notebook) -> Outcome:
    """What each of them holds: none is recommended."""
    curve = scaling.scaling(notebook)
    candidates = sorted(notebook.states, key=lambda candidate: candidate.cpus or 0)
    rows = tuple(_row(notebook, candidate) for candidate in candidates)
    nothing = notebook.end in (End.REFUSED, End.NOTHING_RAN, End.NOTHING_HOLDS)
    sentences = (
        [first_sentence(notebook, None, None)] if nothing else scaling.sentences(notebook, curve)
    )
    return Outcome(
        end=notebook.end,
        sentences=tuple(sentences),
        pick=None,
        rate=None,
        rows=rows,
        not_tried=_not_tried(notebook, rows),
        scaling=curve,
    )


def tied(notebook: Notebook, pick: Candidate) -> list[Candidate]:
    """Those that aren't told apart from the pick."""
    return [
        one
        for one, (state, _) in notebook.states.items()
        if state is State.NOT_TOLD_APART and one != pick
    ]


def _not_tried(notebook: Notebook, rows: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    untried = ((row.candidate.name, row.why) for row in rows if row.state in UNTRIED)
    return (*notebook.unable.items(), *untried)


def _row(notebook: Notebook, candidate: Candidate) -> Row:
    state, why = notebook.states[candidate]
    held = confirming.held_by(notebook, candidate)
    low, high = _interval(notebook, candidate)
    return Row(
        candidate=candidate,
        state=state,
        why=why,
        estimate=notebook.estimate(candidate),
        low=low,
        high=high,
        rate=held.rate if held else None,
        shown=held.shown if held else None,
        share=held.share if held else None,
        percentile_s=held.percentile_s if held else None,
        memory_bytes=notebook.memory_bytes(candidate),
        cpu_s=notebook.cpu_s(candidate),
        connections=candidate.connections,
        starts=len(notebook.of(candidate, Phase.LADDER, Phase.RACE, Phase.CONFIRM, Phase.VARY)),
    )


def _interval(notebook: Notebook, candidate: Candidate) -> tuple[float | None, float | None]:
    """Of the rate it just holds, start by start of the race."""
    rates = list(notebook.blocks(candidate).values())
    if len(rates) < confirming.FEWEST_STARTS:
        return None, None
    mean, half = confirming.interval(rates)
    return math.exp(mean - half), math.exp(mean + half)


def _close(notebook: Notebook, candidate: Candidate, pick: Candidate) -> Close:
    compared = against(notebook, candidate, pick)
    if compared is None:
        own, best = notebook.estimate(candidate), notebook.estimate(pick)
        ratio = own / best if own and best else None
        return Close(candidate=candidate, ratio=ratio, low=None, high=None)
    return Close(candidate=candidate, ratio=compared.value, low=compared.low, high=compared.high)


def _sentences(
    notebook: Notebook,
    pick: Candidate | None,
    held: Held | None,
    close: Sequence[Close],
    rows: Sequence[Row],
) -> list[str]:
    sentences = [first_sentence(notebook, pick, held)]
    if pick is None:
        return sentences
    if close:
        sentences.append(
            tie_sentence(notebook, pick, [(one.candidate, _ratio(one)) for one in close])
        )
    if held and (own := notebook.estimate(pick)) and _confusing(rows, held):
        sentences.append(estimates_sentence(own))
    if fall := cliff(notebook, pick):
        sentences.append(cliff_sentence(*fall))
    return [*sentences, *pick_cautions(notebook, pick), *variants.sentences(notebook)]


def _confusing(rows: Sequence[Row], held: Held) -> bool:
    """Whether the estimate of one that had no fresh starts lies above what the pick holds."""
    return any(row.rate is None and (row.estimate or 0.0) > held.rate for row in rows)


def _ratio(close: Close) -> str:
    if close.ratio is None:
        return ""
    interval = f" [{close.low:.2f}, {close.high:.2f}]" if close.low and close.high else ""
    return f" ({close.ratio:.2f}{interval})"


ORDER = (
    State.RECOMMENDED,
    State.MEASURED,
    State.NOT_TOLD_APART,
    State.WORTH_TRYING,
    State.NO_DIFFERENCE,
    State.RACING,
    State.OVER,
    State.DROPPED,
    State.BEHIND,
    State.NO_STATEMENT,
)
"""The nearer to the answer, the higher in the table."""

MANY = 20  #: Rows from which on a page folds a table.


def answer(notebook: Notebook, outcome: Outcome) -> Answer:
    """The outcome with its configurations: those that were raced, all others, and what was not
    tried.
    """
    rows = tried(outcome)
    raced = [row for row in rows if row.starts] or rows
    further = [row for row in rows if row not in raced]
    headline, *reasons = outcome.sentences
    return Answer(
        title=f"Tuning for {notebook.question.objective.words}",
        headline=headline,
        reasons=reasons,
        table=_configurations(notebook, outcome, raced) if raced else None,
        next_steps=[outcome.missing] if outcome.missing else [],
        sections=[*_others(notebook, outcome, further), *_untried(outcome)],
    )


def tried(outcome: Outcome) -> list[Row]:
    """All candidates that were started, by their CPUs, the best first."""
    started = [row for row in outcome.rows if row.state not in UNTRIED]
    return sorted(
        started,
        key=lambda row: (row.candidate.cpus or 0, ORDER.index(row.state), -(row.estimate or 0.0)),
    )


def _others(notebook: Notebook, outcome: Outcome, rows: Sequence[Row]) -> list[Section]:
    if not rows:
        return []
    title = f"{len(rows)} other{'s' * (len(rows) != 1)} that did not come so far"
    table = replace(_configurations(notebook, outcome, rows), title=title, is_folded=True)
    brief = [f"{title}: the page and --json have them."]
    return [Section(title="Other configurations", tables=[table], brief=brief)]


def _untried(outcome: Outcome) -> list[Section]:
    if not outcome.not_tried:
        return []
    table = Table(
        ["what", "why"],
        outcome.not_tried,
        title=f"{len(outcome.not_tried)} left out, with the reason",
        is_folded=len(outcome.not_tried) >= MANY,
    )
    return [Section(title="Not tried", tables=[table], brief=untried_lines(outcome))]


def untried_lines(outcome: Outcome) -> list[str]:
    """One for each reason."""
    reasons: dict[str, list[str]] = {}
    for what, why in outcome.not_tried:
        reasons.setdefault(why, []).append(what)
    return [f"Not tried: {', '.join(some)} ({why})" for why, some in reasons.items()]


def _configurations(notebook: Notebook, outcome: Outcome, rows: Sequence[Row]) -> Table:
    figures = columns(notebook.question.objective.goals[0])
    return Table(
        ["configuration", *figures, "state"],
        [
            [row.candidate.name, *(show(row) for show in figures.values()), state(row)]
            for row in rows
        ],
        title="Configurations",
        figures=list(figures),
        spare=("starts", "connections", "CPU a request"),
        chosen=next((at for at, row in enumerate(rows) if row.candidate == outcome.pick), None),
    )


def columns(goal: Goal) -> dict[str, Callable[[Row], Shown]]:
    """Heading → what a candidate has there, beside its name and its state."""
    within = "right" if goal.within_s is None else f"within {format_duration(goal.within_s)}"

    def confirmed(
        value: Callable[[Row], float | None], show: Callable[[float | None], str]
    ) -> Callable[[Row], Shown]:
        def shown(row: Row) -> Shown:
            known = value(row)
            return Shown(show(known)) if known is not None else Shown.missing(_why_not(row))

        return shown

    return {
        "estimate": _estimate,
        "holds": _held,
        f"p{100 * goal.share:.6g} there": confirmed(lambda row: row.percentile_s, format_duration),
        within: confirmed(
            lambda row: None if row.share is None else 100 * row.share, format_percent
        ),
        "memory": confirmed(lambda row: row.memory_bytes, format_bytes),
        "CPU a request": confirmed(lambda row: row.cpu_s, format_duration),
        "connections": lambda row: (
            Shown.missing("how many it opens at most isn't known")
            if row.connections is None
            else Shown(format_count(row.connections))
        ),
        "starts": lambda row: Shown(format_count(row.starts)),
    }


def state(row: Row) -> str:
    return became(row.state, row.why)


def interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{format_number(row.low)}, {format_number(row.high)}]"


def _estimate(row: Row) -> Shown:
    """From all starts before the fresh ones; of all candidates alike, so it is for comparing."""
    if row.estimate is None:
        return Shown.missing(state(row))
    return Shown(format_rate(row.estimate), interval(row))


def _held(row: Row) -> Shown:
    """What fresh starts say."""
    if row.rate is None:
        return Shown.missing(_why_not(row))
    return Shown(format_rate(row.rate), f"shown at {format_rate(row.shown)}")


def _why_not(row: Row) -> str:
    return "no fresh starts confirmed it" if row.starts else state(row)
