"""What a tuning answers, at any time: from its notebook alone."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from benchsuite.core.answer import Answer, Section, Shown, Table, Tile
from benchsuite.core.plain import plain
from benchsuite.core.specs.objective import Goal
from benchsuite.core.units import (
    counted,
    format_bytes,
    format_count,
    format_duration,
    format_number,
    format_rate,
    gathered,
)
from benchsuite.stats.compare import ratio
from benchsuite.tuning import confirming, scaling
from benchsuite.tuning.confirming import Held
from benchsuite.tuning.notebook import RISING, End, Notebook, State
from benchsuite.tuning.scaling import Scaling
from benchsuite.tuning.trial import Candidate, Level, Phase

UNTRIED = (State.REFUSED, State.BOUNDED_OUT, State.NOT_TRIED)
NOTHING = (End.REFUSED, End.NOTHING_RAN, End.NOTHING_HOLDS)
WORDS = {State.NOT_TOLD_APART: "not clearly different"}  #: Where people read others than stored.


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
    percentile_s: float | None  #: Response time there, at the first goal's share.
    memory_bytes: float | None
    cpu_s: float | None  #: CPU time of a request.
    starts: int  #: All that count.

    @property
    def words(self) -> str:
        return became(self.state, self.why)

    @property
    def rank(self) -> tuple[int, float]:
        """The least is the nearest to the answer."""
        return [*State].index(self.state), -(self.estimate or 0.0)

    @property
    def interval(self) -> str:
        return f"[{format_number(self.low)}, {format_number(self.high)}]" if self.low else ""


@dataclass(frozen=True)
class Outcome:
    """The best that is known; its figures come from fresh starts alone."""

    notebook: Notebook

    @property
    def end(self) -> End | None:
        """None while the search goes on, or where it was stopped."""
        return self.notebook.end

    @cached_property
    def pick(self) -> Candidate | None:
        """What is recommended, or leads so far; of several numbers of CPUs none."""
        return None if self.notebook.question.scaling else self.notebook.pick()

    @cached_property
    def held(self) -> Held | None:
        """What fresh starts of the pick confirmed."""
        return confirming.held_by(self.notebook, self.pick) if self.pick else None

    @property
    def rate(self) -> float | None:
        return self.held.rate if self.held else None

    @property
    def at_least(self) -> bool:
        """Whether the load generator was the limit."""
        return bool(self.pick and self.held and self.notebook.is_limited(self.pick))

    @property
    def cliff(self) -> tuple[float, float] | None:
        """The rates between which it collapses."""
        return confirming.cliff(self.notebook, self.pick) if self.pick else None

    @cached_property
    def scaling(self) -> Scaling | None:
        return scaling.scaling(self.notebook) if self.notebook.question.scaling else None

    @cached_property
    def rows(self) -> list[Row]:
        ordered = sorted(self.notebook.states, key=lambda candidate: candidate.cpus or 0)
        return [_row(self.notebook, candidate) for candidate in ordered]

    def row(self, candidate: Candidate | None) -> Row | None:
        return next((row for row in self.rows if row.candidate == candidate), None)

    @property
    def tried(self) -> list[Row]:
        """All candidates that were started, by their CPUs, the best first."""
        started = (row for row in self.rows if row.state not in UNTRIED)
        return sorted(started, key=lambda row: (row.candidate.cpus or 0, row.rank))

    @property
    def not_tried(self) -> list[tuple[str, str]]:
        """What, and why."""
        untried = ((row.candidate.name, row.why) for row in self.rows if row.state in UNTRIED)
        return [*self.notebook.unable.items(), *untried]

    @property
    def headline(self) -> str:
        """The answer in one sentence, at a part of the cost of all."""
        return next(self._sentences())

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The answer, and what follows from it."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        notebook, question, pick = self.notebook, self.notebook.question, self.pick
        objective, why = question.objective.words, notebook.said
        asked = f" at {format_number(question.rate)}/s" if question.rate else ""
        if self.scaling is not None and self.end not in NOTHING:
            yield from scaling.sentences(notebook, self.scaling)
        elif self.end is End.REFUSED:
            more = "more " * bool(notebook.entries)
            yield f"Nothing {more}was started. {why[:1].upper()}{why[1:]}."
        elif self.end is End.NOTHING_RAN:
            yield f"Nothing could be measured{f': {why}' * bool(why)}."
        elif self.end is End.UNSTABLE:
            yield f"No rate holds {objective} for sure: unstable, {why}."
        elif self.end is End.NOTHING_HOLDS:
            yield f"Nothing holds {objective}{asked}: {why}."
        elif pick is not None:
            yield self._praise(pick)
        elif self.end is End.NOT_CONFIRMED:
            yield f"Nothing is confirmed to hold {objective}{asked}{f': {why}' * bool(why)}."
        elif notebook.probe is not None:
            whole, cpu = map(format_duration, (notebook.probe.response_s, notebook.probe.cpu_s))
            took = f"a request takes {whole}, {cpu} of that on a CPU"
            yield f"So far only one size was probed: {took}."
        else:
            yield "Nothing has been measured yet."
        if pick is not None:
            yield from filter(None, self._reasons(pick))

    def _praise(self, pick: Candidate) -> str:
        """What it holds; a second sentence where more than one of its runs failed."""
        notebook, question = self.notebook, self.notebook.question
        if self.held is not None:
            goals = " and ".join(goal.words for goal in question.objective.goals)
            number = format_number(question.rate or self.held.rate)
            answer = f"{pick.words} holds {'at least ' * self.at_least}{number}/s with {goals}."
        elif self.end is not None and (rates := confirming.by_rate(notebook, pick)):
            seen = f"at {format_number(min(rates))}/s {_seen(notebook, rates[min(rates)])}"
            answer = f"{pick.words} is the best found, and not confirmed: {seen}."
        else:
            answer = f"So far {self.leading}; not confirmed."
        entries = [entry for entry in notebook.entries if entry.trial.candidate == pick]
        failed = sum(bool(entry.seen.failure) for entry in entries)
        return f"{answer} But {failed} of its {len(entries)} runs failed." if failed > 1 else answer

    def _reasons(self, pick: Candidate) -> Iterator[str]:
        """What runs now, what is as good, what is worth trying."""
        notebook, question = self.notebook, self.notebook.question
        memory = notebook.memory_bytes(pick)
        yield _now(notebook, pick)
        if pick.runs_already:
            yield "It already runs: this is one configuration, and no settings were tried."
        if self.at_least:
            is_told = any("TARGETS" in one.seen.limit for one in notebook.of(pick, *RISING))
            most = is_told and question.most_per_s
            what = f"What it may be asked ({most:g}/s in TARGETS)" if most else "The load generator"
            yield f"{what} was the limit, not the server."
        is_least = memory and not notebook.decided(State.RACING)  # that had no time for fresh runs
        if is_least and question.rate is not None and self.end is End.CONFIRMED:
            yield "Of those that hold it, it needs least memory."
        if close := [row for row in self.rows if row.state is State.NOT_TOLD_APART]:
            least = min(row.memory_bytes or 0.0 for row in close)
            more = ", more memory" if memory and memory <= least else ""
            names = [row.candidate.name + _ratio(notebook, row, pick) for row in close]
            yield f"As good{more}: {', '.join(names)}."
        for variant, why in notebook.decided(State.WORTH_TRYING).items():
            yield f"Worth trying: {variant.name}: {why}."

    @property
    def leading(self) -> str:
        """ "uwsgi, 2 processes × 6 threads leads with about 168/s [160, 176] (5 runs)", or ""."""
        notebook, asked, pick = self.notebook, self.notebook.question.rate, self.pick
        if pick is None:
            return ""
        row = _row(notebook, pick)
        if row.estimate:
            rate = f"{format_number(row.estimate)}/s {row.interval}".strip()
            runs = len(notebook.of(pick, *RISING, Phase.CONFIRM))
            return f"{pick.words} leads with about {rate} ({counted(runs, 'run')})"
        if asked is not None:
            return f"{pick.words} needs least of those that may hold {format_number(asked)}/s"
        through = notebook.screened(pick)
        most = f": {format_number(through)}/s under a full load" if through else ""
        return f"{pick.words} gets most through{most}"

    @cached_property
    def sure(self) -> list[str]:
        """How sure the rate is, and where it ends."""
        sentences: list[str] = []
        if (held := self.held) is not None:
            first, *_ = self.notebook.question.objective.goals
            ends = "" if first.is_mean else f", [{100 * held.low:.1f}, {100 * held.high:.1f}]"
            sentences += [
                f"In {held.starts} fresh runs of {held.window_s:.3g} s at "
                f"{format_number(held.shown)}/s: {first.reached(held.share)}{ends}. "
                f"{held.failures or 'None'} of {format_count(held.planned)} failed, so at most "
                f"{100 * confirming.at_most(held.failures, held.planned):.2g} % do.",
            ]
            if off := 1 - held.rate / held.shown:
                why = "windows so short flatter and the next start may be a slower one"
                sentences.append(f"{100 * off:.2g} % of that is taken off, as {why}.")
        if self.cliff:
            low, high = map(format_number, self.cliff)
            sentences.append(f"It collapses between {low} and {high}/s: stay below the first.")
        return sentences

    @cached_property
    def cautions(self) -> list[str]:
        """What the figures don't say by themselves."""
        notebook, question, pick, lines = self.notebook, self.notebook.question, self.pick, []
        if pick is None:
            return []
        if notebook.recovers(pick) is False:
            lines.append(
                "It does not recover from overload: seconds after more came than it holds, most "
                "were still late at half of that rate. Keep it below, or restart it."
            )
        fresh = [entry.seen for entry in notebook.of(pick, Phase.CONFIRM)] if self.held else []
        most = [pick.connections, *(seen.connections for seen in fresh)]
        asked, is_seen = question.objective, any(one.memory_bytes for one in fresh)
        unseen = ["memory"] * bool(asked.memory_bytes and not is_seen)
        unseen += ["connections"] * bool(asked.connections and all(one is None for one in most))
        lines += [
            f"Its {what} could not be seen, so nothing says whether it keeps to that limit."
            for what in unseen * bool(fresh)
        ]
        for kind, limit in question.connections_limit.items():
            if pick.connections is not None and limit is not None:
                needed = pick.connections * question.instances * question.aliases.get(kind, 1)
                twice = f"; while a restart overlaps, {2 * needed}, too many" * (2 * needed > limit)
                had = f"{needed} of the {limit} connections that {kind} has"
                lines.append(f"It opens at most {had}{twice}.")
        return [*lines, *scaling.unmeasured_cautions(notebook, pick)]

    @property
    def missing(self) -> str:
        """What the next minutes of a search would add, or a longer one."""
        cut = len(self.notebook.decided(State.NOT_TRIED))
        if self.notebook.question.scaling or (self.end is not None and not cut):
            return ""
        if self.end is not None:
            more = counted(cut, "candidate")
            return f"A longer search would add {more} for which the budget left no time."
        limits, starts = "what limits it, and other settings", "fresh runs that confirm a rate"
        return f"The next minutes add {limits if self.held else starts}."

    @property
    def figures(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        names = ("end", "sentences", "sure", "cautions", "pick", "at_least", "cliff", "rows")
        more = ("not_tried", "missing", "scaling")
        held = plain(self.held) or dict.fromkeys(field.name for field in fields(Held))
        return {**{name: plain(getattr(self, name)) for name in (*names, *more)}, **held}


def became(state: State, why: str, between: str = ": ") -> str:
    """ "refused: it may open 512 connections"; of a failed start's log the first line."""
    why, word = why.partition("\n")[0], WORDS.get(state, state.value)
    return why if word in why else between.join(filter(None, (word, why)))


def _row(notebook: Notebook, candidate: Candidate) -> Row:
    (state, why), held = notebook.states[candidate], confirming.held_by(notebook, candidate)
    rates, low, high = [*notebook.blocks(candidate).values()], None, None
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
        rate=held.rate if held else None,
        percentile_s=held.percentile_s if held else None,
        memory_bytes=notebook.memory_bytes(candidate),
        cpu_s=notebook.cpu_s(candidate),
        starts=len(notebook.of(candidate)),
    )


def _ratio(notebook: Notebook, row: Row, pick: Candidate) -> str:
    """ " (1.02 [0.98, 1.06])": its rate against the pick's; empty where one is not known."""
    best = notebook.estimate(pick)
    if compared := ratio(notebook.blocks(row.candidate), notebook.blocks(pick)):
        return f" ({compared.value:.2f} [{compared.low:.2f}, {compared.high:.2f}])"
    return f" ({row.estimate / best:.2f})" if row.estimate and best else ""


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
        rate, seen = f"{format_number(min(rates))}/s", _seen(notebook, rates[min(rates)])
        return f"{you}, which is not shown to hold {rate}: {seen}."
    return f"{you}: {became(*notebook.states[now], between=', ')}."


def _seen(notebook: Notebook, levels: Sequence[Level]) -> str:
    """ "90.6 % in time in 3 fresh runs"."""
    return f"{notebook.reached(levels)} in {counted(len(levels), 'fresh run')}"


def answer(outcome: Outcome) -> Answer:
    """The outcome with its figures; below it how sure it is, and what was not tried."""
    headline, *reasons = outcome.sentences
    is_sure = outcome.end is not None and outcome.held is not None
    more = [outcome.missing] * bool(outcome.missing)
    return Answer(
        title=f"Tuning for {outcome.notebook.question.objective.words}",
        headline=headline,
        tiles=_tiles(outcome),
        reasons=reasons,
        table=_configurations(outcome),
        cautions=outcome.cautions,
        next_steps=[] if is_sure else more,
        sections=[*_sections(outcome, more if is_sure else [])],
    )


def _tiles(outcome: Outcome) -> list[Tile]:
    row, now = outcome.row(outcome.pick), outcome.row(outcome.notebook.question.current)
    if row is None or row.rate is None:
        return []
    goal, *_ = outcome.notebook.question.objective.goals
    shown, names = figures(row, goal), ("holds", _there(goal), "memory")
    tiles = [Tile(name, shown[name].text) for name in names if not shown[name].reason]
    if now is not None and now != row and now.rate is not None:
        tiles.append(Tile("you run now", format_rate(now.rate)))
    return tiles


def _there(goal: Goal) -> str:
    """ "p95 there": where failures are the first goal, the time of so many, not "failures"."""
    return f"{'mean' if goal.is_mean else f'p{100 * goal.share:.6g}'} there"


def _sections(outcome: Outcome, more: Sequence[str]) -> Iterator[Section]:
    """How sure it is; what failed runs said, once and not in each cell; what was not tried."""
    if sure := outcome.sure:
        yield Section(title="How sure it is", sentences=[*sure, *more], brief=sure[:1])
    entries = [entry for entry in outcome.notebook.entries if entry.seen.failure.strip()]
    failed = gathered((entry.seen.failure.strip(), entry.trial.candidate.name) for entry in entries)
    if failed:
        texts = {
            ", ".join(dict.fromkeys(names)) + f", {len(names)} times" * (len(names) > 1): text
            for text, names in failed.items()
        }
        lines = [f"Failed: {who}: {text.partition(chr(10))[0]}" for who, text in texts.items()]
        title = f"{counted(len(entries), 'run')} that failed"
        yield Section(title=title, copies=texts, brief=lines)
    if outcome.not_tried:
        table = Table(["what", "why"], outcome.not_tried)
        yield Section(title="Not tried", tables=[table], brief=untried_lines(outcome))


def untried_lines(outcome: Outcome) -> list[str]:
    """One for each reason."""
    reasons = gathered((why, what) for what, why in outcome.not_tried)
    return [f"Not tried: {', '.join(some)} ({why})" for why, some in reasons.items()]


def _configurations(outcome: Outcome) -> Table | None:
    """All that was started, without the columns in which nobody has a figure."""
    rows, goals = outcome.tried, outcome.notebook.question.objective.goals
    if not (shown := [figures(row, goals[0]) for row in rows]):
        return None
    known = [name for name in shown[0] if not all(cells[name].reason for cells in shown)]
    return Table(
        ["configuration", *known, "state"],
        [
            [row.candidate.name, *(cells[name] for name in known), row.words]
            for row, cells in zip(rows, shown, strict=True)
        ],
        title="Configurations",
        figures=known,
        spare=("runs", "connections", "CPU a request"),
        chosen=next((at for at, row in enumerate(rows) if row.candidate == outcome.pick), None),
    )


def figures(row: Row, goal: Goal) -> dict[str, Shown]:
    """Heading → what a candidate has there, beside its name and its state."""
    unconfirmed = "no fresh runs confirmed it" if row.estimate else row.words
    notes = {"estimate": row.interval}
    unlimited = "how many it opens at most isn't known"
    known: dict[str, tuple[float | None, Callable[[float], str], str]] = {
        "estimate": (row.estimate, format_rate, row.words),
        "holds": (row.rate, format_rate, unconfirmed),
        _there(goal): (row.percentile_s, format_duration, unconfirmed),
        "memory": (row.memory_bytes, format_bytes, row.words),
        "CPU a request": (row.cpu_s, format_duration, row.words),
        "connections": (row.candidate.connections, format_count, unlimited),
        "runs": (row.starts, format_count, ""),
    }
    return {
        name: Shown.missing(why) if value is None else Shown(show(value), notes.get(name, ""))
        for name, (value, show, why) in known.items()
    }
