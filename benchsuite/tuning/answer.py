"""What a tuning answers, at any time: from its notebook alone."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from benchsuite.tuning import confirming, scaling, spread, variants
from benchsuite.tuning.choosing import against
from benchsuite.tuning.confirming import FEWEST_MISSES, Held, cliff
from benchsuite.tuning.fresh import STARTS
from benchsuite.tuning.notebook import RISING, End, Entry, Notebook, State
from benchsuite.tuning.planning import CONFIRMING_S
from benchsuite.tuning.scaling import Scaling
from benchsuite.tuning.trial import Candidate, Phase


def headline(notebook: Notebook, pick: Candidate | None, held: Held | None) -> str:
    """The answer in one sentence; a second one where runs of the pick failed."""
    objective = notebook.question.objective.words
    if notebook.end is End.REFUSED:
        return f"Nothing was started. {notebook.said[:1].upper()}{notebook.said[1:]}."
    if notebook.end is End.NOTHING_RAN:
        return f"Nothing could be measured{f': {notebook.said}' if notebook.said else ''}."
    if notebook.end is End.UNSTABLE:
        return f"No rate holds {objective} for sure: unstable, {notebook.said}."
    if notebook.end is End.NOTHING_HOLDS:
        rate = notebook.question.rate
        asked = f" at {format_number(rate)}/s" if rate else ""
        return f"Nothing holds {objective}{asked}: {notebook.said}."
    if pick is None:
        return _begun(notebook)
    failed = _failed_words(notebook, pick)
    if held is None:
        return f"{_unconfirmed(notebook, pick)}{failed}"
    at_least = "at least " if notebook.is_limited(pick) else ""
    rate = notebook.question.rate or held.rate
    goals = " and ".join(goal.words for goal in notebook.question.objective.goals)
    return f"{described(pick)} holds {at_least}{format_number(rate)}/s with {goals}.{failed}"


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
    parts = [
        f"{count} {word}{ending * (count != 1)}"
        for count, word, ending in (
            (candidate.processes, "process", "es"),
            (candidate.threads, "thread", "s"),
        )
        if count is not None
    ]
    return ", ".join([candidate.server, " × ".join(parts), *candidate.settings])


def failures(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """What runs that did not start or ended early said, each once, with those that said it."""
    by_text: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.seen.failure:
            by_text.setdefault(entry.seen.failure.strip(), []).append(entry)
    return by_text


def _failed_words(notebook: Notebook, pick: Candidate) -> str:
    """A sentence, where more than one run of it failed: once may be chance."""
    entries = [entry for entry in notebook.entries if entry.trial.candidate == pick]
    failed = sum(bool(entry.seen.failure) for entry in entries)
    return f" But {failed} of its {len(entries)} runs failed." if failed > 1 else ""


def _reasons(notebook: Notebook, pick: Candidate, held: Held | None) -> list[str]:
    """What follows from the answer: what runs now, what is as good, what is worth trying."""
    sentences = [_now(notebook, pick)]
    if held and notebook.is_limited(pick):
        sentences.append("The load generator was the limit, not the server.")
    memory = notebook.memory_bytes(pick)
    if notebook.question.rate is not None and notebook.end is End.CONFIRMED and memory:
        sentences.append(f"Of all that were tried it needs least: {format_bytes(memory)}.")
    close = [f"{one.name}{_ratio(_close(notebook, one, pick))}" for one in tied(notebook, pick)]
    if close:
        least = min(notebook.memory_bytes(one) or 0.0 for one in tied(notebook, pick))
        more = ", more memory" if memory and memory <= least else ""
        sentences.append(f"As good{more}: {', '.join(close)}.")
    return [*filter(None, sentences), *variants.sentences(notebook)]


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
            f"Windows so short flatter by about {100 * (held.shown / held.rate - 1):.2g} %, which "
            "is taken off.",
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
    """What the next minutes of a search would add, or a longer one."""
    if notebook.end is None:
        return f"The next minutes add {_rest(notebook, pick)}."
    additions = []
    cut = sum(state is State.NOT_TRIED for state, _ in notebook.states.values())
    if cut:
        additions.append(f"{cut} candidate{'s' * (cut != 1)} for which the budget left no time")
    now = notebook.question.current
    ended = notebook.end in (End.CONFIRMED, End.NOT_CONFIRMED)
    if ended and now and now in notebook.states and not notebook.of(now, Phase.CONFIRM):
        additions.append("fresh runs of what runs now")
    if held is not None:
        additions += _not_shown(notebook, held)
        if held.window_s <= CONFIRMING_S:
            additions.append(f"windows longer than {held.window_s:.3g} s (--thorough)")
    return f"A longer search would add {'; '.join(additions)}." if additions else ""


def _rest(notebook: Notebook, pick: Candidate | None) -> str:
    """ "a first look at all sizes, higher rates for the best, and fresh runs that confirm one"."""
    phases = {entry.trial.phase for entry in notebook.entries}
    confirmed = len(notebook.of(pick, Phase.CONFIRM)) if pick else 0
    if 0 < confirmed < STARTS:
        return f"{STARTS - confirmed} more fresh runs that confirm it"
    if Phase.CONFIRM in phases:
        return "what limits it, and other settings"
    steps = ["rising rates for the best", "fresh runs that confirm one"]
    if Phase.SCREEN not in phases:
        steps.insert(0, "a first look at each size")
    return f"{', '.join(steps[:-1])} and {steps[-1]}"


def _not_shown(notebook: Notebook, held: Held) -> list[str]:
    """Goals that allow so few misses that so few requests can't show them."""
    return [
        f"{format_count(FEWEST_MISSES / (1 - goal.share))} requests, which {goal.words} takes to "
        f"be shown ({format_count(held.planned)} were planned)"
        for goal in notebook.question.objective.goals
        if held.planned * (1 - goal.share) < FEWEST_MISSES
    ]


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
    if rates := confirming.rates_of(notebook, now):
        rate = f"{format_number(rates[0])}/s"
        if confirming.missed(notebook, now, rates[0]):
            return f"{you}, which did not hold {rate}."
        return f"{you}, which is not shown to hold {rate}: {_seen(notebook, now)}."
    return f"{you}: {became(*notebook.states[now], between=', ')}."


def _seen(notebook: Notebook, candidate: Candidate) -> str:
    """ "90.6 % in time in 3 fresh runs", at the lowest of their rates."""
    shares = confirming.shares(notebook, candidate, confirming.rates_of(notebook, candidate)[0])
    goal, *_ = notebook.question.objective.goals
    runs = f"{len(shares)} fresh run{'s' * (len(shares) != 1)}"
    return f"{goal.reached(sum(shares) / len(shares))} in {runs}"


def _unconfirmed(notebook: Notebook, pick: Candidate) -> str:
    rates = confirming.rates_of(notebook, pick)
    if rates and notebook.end is not None:
        return (
            f"{described(pick)} is the best found, and not confirmed: at "
            f"{format_number(rates[0])}/s {_seen(notebook, pick)}."
        )
    return f"So far {leading(notebook, pick)}; not confirmed."


def leading(notebook: Notebook, pick: Candidate) -> str:
    """ "uwsgi, 2 processes × 6 threads, leads with about 168/s (2 runs)", for a live line, too."""
    estimate, asked = notebook.estimate(pick), notebook.question.rate
    if estimate is not None:
        count = len(notebook.of(pick, *RISING, Phase.CONFIRM))
        runs = f"{count} run{'s' * (count != 1)}"
        return f"{described(pick)} leads with about {format_number(estimate)}/s ({runs})"
    if asked is not None:
        return f"{described(pick)} needs least of those that may hold {format_number(asked)}/s"
    through = notebook.screened(pick)
    most = f": {format_number(through)}/s under a full load" if through else ""
    return f"{described(pick)} gets most through{most}"


def _begun(notebook: Notebook) -> str:
    if notebook.probe is not None:
        whole, cpu = map(format_duration, (notebook.probe.response_s, notebook.probe.cpu_s))
        return f"So far only one size was probed: a request takes {whole}, {cpu} of that on a CPU."
    return "Nothing has been measured yet."


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
        sentences=(
            headline(notebook, pick, held),
            *(_reasons(notebook, pick, held) if pick else ()),
        ),
        sure=tuple(_sure(notebook, pick, held, rows)) if pick else (),
        cautions=tuple(_cautions(notebook, pick)) if pick else (),
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
    return headline(notebook, pick, confirming.held_by(notebook, pick) if pick else None)


def _on_several_cpus(notebook: Notebook) -> Outcome:
    """What each of them holds: none is recommended."""
    curve = scaling.scaling(notebook)
    candidates = sorted(notebook.states, key=lambda candidate: candidate.cpus or 0)
    rows = tuple(_row(notebook, candidate) for candidate in candidates)
    nothing = notebook.end in (End.REFUSED, End.NOTHING_RAN, End.NOTHING_HOLDS)
    sentences = [headline(notebook, None, None)] if nothing else scaling.sentences(notebook, curve)
    return Outcome(
        end=notebook.end,
        sentences=tuple(sentences),
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
        starts=len(notebook.of(candidate, *RISING, Phase.CONFIRM, Phase.VARY)),
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
    State.DISCARDED,
)
"""The nearer to the answer, the higher in the table."""

MANY = 20  #: Rows from which on a page folds a table.


def answer(notebook: Notebook, outcome: Outcome) -> Answer:
    """The outcome with its figures, and folded below: how sure, which configurations, and what was
    not tried.
    """
    rows = tried(outcome)
    first, *reasons = outcome.sentences
    return Answer(
        title=f"Tuning for {notebook.question.objective.words}",
        headline=first,
        tiles=_tiles(notebook, outcome),
        reasons=reasons,
        table=_configurations(notebook, outcome, rows) if rows else None,
        cautions=outcome.cautions,
        next_steps=[outcome.missing] if outcome.missing else [],
        sections=[
            *_sureness(outcome),
            *_failing(notebook),
            *_untried(outcome),
        ],
    )


def _tiles(notebook: Notebook, outcome: Outcome) -> list[Tile]:
    row = next((one for one in outcome.rows if one.candidate == outcome.pick), None)
    if row is None or row.rate is None or row.share is None:
        return []
    goal, *_ = notebook.question.objective.goals
    now = outcome.now.rate if outcome.now and outcome.now != row else None
    return [
        tile
        for tile, value in (
            (Tile("holds", format_rate(row.rate)), row.rate),
            (Tile(f"{goal.name} there", format_duration(row.percentile_s)), row.percentile_s),
            (Tile("memory", format_bytes(row.memory_bytes)), row.memory_bytes),
            (Tile("you run now", format_rate(now)), now),
        )
        if value is not None
    ]


def _sureness(outcome: Outcome) -> list[Section]:
    if not outcome.sure:
        return []
    return [Section(title="How sure it is", sentences=outcome.sure, brief=outcome.sure[:1])]


def _failing(notebook: Notebook) -> list[Section]:
    """What failed runs said, once, and not in each cell of a table."""
    texts = {}
    for text, entries in failures(notebook.entries).items():
        names = list(dict.fromkeys(entry.trial.candidate.name for entry in entries))
        times = f", {len(entries)} times" if len(entries) > 1 else ""
        texts[f"{', '.join(names)}{times}"] = text
    if not texts:
        return []
    count = sum(bool(entry.seen.failure) for entry in notebook.entries)
    lines = [f"Failed: {names}: {text.partition(chr(10))[0]}" for names, text in texts.items()]
    title = f"{count} run{'s' * (count != 1)} that failed"
    return [Section(title=title, copies=texts, brief=lines)]


def tried(outcome: Outcome) -> list[Row]:
    """All candidates that were started, by their CPUs, the best first."""
    started = [row for row in outcome.rows if row.state not in UNTRIED]
    return sorted(
        started,
        key=lambda row: (row.candidate.cpus or 0, ORDER.index(row.state), -(row.estimate or 0.0)),
    )


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
    within = {}
    if not goal.is_mean:
        name = "right" if goal.within_s is None else f"within {format_duration(goal.within_s)}"
        within[name] = lambda row: None if row.share is None else 100 * row.share

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
        f"{'mean' if goal.is_mean else f'p{100 * goal.share:.6g}'} there": confirmed(
            lambda row: row.percentile_s, format_duration
        ),
        **{name: confirmed(share, format_percent) for name, share in within.items()},
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
    return "no fresh runs confirmed it" if row.starts else state(row)
