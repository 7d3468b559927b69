"""Holds a load to what its completions leave in the throw-away databases.

Journeys that send forms are rehearsed while nobody else asks, and the rows of all tables counted
after each. A table that gains as many rows by each of them must gain as many for each completion of
the load. Tables that a mere look fills (logs of requests) are no evidence, nor are those that gain
now and then.
"""

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor

from benchsuite.core.observations import BESIDE_ROWS, Stored
from benchsuite.core.samples import JOURNEY, REQUEST, RESENT, Kind
from benchsuite.core.units import format_count, listed
from benchsuite.isolation.facts import Rows
from benchsuite.load.job import AGAIN, LOOK, NEW, OTHER_NAMES, REHEARSAL_LIMIT_S, Rehearsal
from benchsuite.load.parent.figures import Counts

FEWEST = 3  #: New journeys that are rehearsed even if they are slow.
FIRST = (LOOK, *[NEW] * 5, AGAIN)
MORE = (AGAIN, AGAIN)  #: What is rehearsed; more where the first ones left different rows.
QUICK_S = 1.0  #: Longer than that no more than the fewest are made.
LATE_S = 1.0  #: How long the first row of a rehearsed journey is waited for.
STEP_S = 0.05
SETTLE_S = 5.0  #: How long missing rows are waited for after the drain, as long as more come.
STILL_S = 2.0  #: Nothing more is expected when no row came for that long.
NUMBER = re.compile(r"\d+")
Gains = Mapping[str, int]  #: Table → rows that it gained or, below 0, lost, if it did.


@dataclass(frozen=True, slots=True)
class Learned:
    """What completions leave in tables."""

    before: Mapping[str, int] = field(default_factory=dict)
    """Table → rows before the load, of those that fill by forms alone; "" is `Workload.count()`."""
    left: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Of those that are evidence: rows by each rehearsed completion."""
    once: Collection[str] = ()  #: Of these: where a form that was sent again may leave nothing.
    least: Mapping[str, int] = field(default_factory=dict)
    most: Mapping[str, int] = field(default_factory=dict)
    """Name of a request → forms that each journey sent by it; numbers in names don't count."""
    forms: int = 0  #: How many each sent in all.
    words: str = ""  #: Why there is no evidence, in a sentence.


@dataclass(frozen=True, slots=True)
class Answers:
    """What became of the journeys and requests of a whole load: (right, anything else)."""

    journeys: tuple[int, int]
    requests: Mapping[str, tuple[int, int]]  #: By name.
    resent: int  #: Requests that were sent a second time.
    users: int  #: As many journeys at most were cut off at the end of the window.


def rehearse(journey: Callable[[str], Rehearsal], rows: Callable[[], Rows]) -> Learned:
    """Has journeys made, and counts rows after each."""
    begin = time.monotonic()
    time.sleep(STEP_S)  # the checked journey's rows may come a little late
    before = rows().of
    made: list[Rehearsal] = []
    left, waits, came_late = [*FIRST, *MORE], False, False
    looked: Gains = {}
    while left and time.monotonic() - begin < REHEARSAL_LIMIT_S:
        kind = left.pop(0)
        if len(left) < len(MORE) and len({(*one.gains.items(),) for one in made[1:]}) == 1:
            break
        if kind == NEW and len(made) > FEWEST and time.monotonic() - begin > QUICK_S:
            continue
        rehearsal = journey(kind)
        gains = gains_of(before, after := rows().of)
        if rehearsal.kind == LOOK:
            looked = gains
        limit, waited = time.monotonic() + LATE_S * waits, False
        while not gains.keys() - looked and time.monotonic() < limit:
            waited = True
            time.sleep(STEP_S)
            gains = gains_of(before, after := rows().of)
        waits = rehearsal.kind == LOOK or bool(gains.keys() - looked)
        if waited and waits and not came_late:
            came_late = True
            left.insert(0, rehearsal.kind)  # what came may be of the journeys before this one
        else:
            made.append(replace(rehearsal, gains=gains))
        before = after
    # what comes later than it was counted came within that time, and must not come in the load
    time.sleep(min(time.monotonic() - begin, LATE_S))
    known = {name: count for name, count in rows().of.items() if name not in looked}
    return replace(learned(made), before=known)


def gains_of(before: Mapping[str, int], after: Mapping[str, int]) -> Gains:
    gains = {name: after[name] - before[name] for name in after if name in before}
    return {name: gained for name, gained in gains.items() if gained}


def learned(made: Sequence[Rehearsal]) -> Learned:
    """What these rehearsals show, in the order in which they were made."""
    looked = {name for one in made if one.kind == LOOK for name in one.gains}
    right = [one for one in made if one.kind != LOOK and one.right]
    new = [one for one in right if one.kind == NEW]
    if len(new) < FEWEST:
        return Learned(words="Rows were not compared: a rehearsed journey failed or took too long.")
    names = sorted({name for one in right for name in one.gains} - looked)
    gains = {name: tuple(one.gains.get(name, 0) for one in right) for name in names}
    nothing = [not one.gains.keys() - looked for one in right]
    left, once = {}, []
    for name, rows in gains.items():
        again = rows[len(new) :]
        lacks = [bare for bare, count in zip(nothing, rows, strict=True) if not count]
        unsteady = any(again) and bool(lacks) and all(lacks)
        steady = rows[0] > 0 and len({*rows[: len(new)]}) == 1
        if min(rows) >= 0 and (steady or unsteady):
            left[name] = rows
            if not unsteady and {*again} - {rows[0]}:
                once.append(name)
    forms: list[Counter[str]] = []  #: Those whose names differ in numbers alone together.
    for rehearsal in new:
        forms.append(Counter())
        for name, times in rehearsal.posts.items():
            forms[-1][NUMBER.sub("0", name)] += times
    always = set.intersection(*map(set, forms))
    words = "No row was gained by a rehearsed completion, though each sent forms, answered right."
    if gains:
        by_table = [f"{name} {listed([*map(str, rows)])}" for name, rows in gains.items()]
        words = f"No table gained as many rows by each rehearsed completion: {'; '.join(by_table)}."
    return Learned(
        left=left,
        once=once,
        least={name: min(one[name] for one in forms) for name in always},
        most={name: max(one[name] for one in forms) for name in always},
        forms=max(one.total() for one in forms),
        words="" if left else words,
    )


def answers(counts: Counts, users: int) -> Answers:
    """Of all samples of a load."""
    judged: defaultdict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for (name, scope, kind), count in counts.items():
        judged[name, scope][kind == Kind.OK] += count
    pairs = {key: (seen[True], seen[False]) for key, seen in judged.items()}
    journeys = [pair for (_, scope), pair in pairs.items() if scope == JOURNEY]
    return Answers(
        journeys=(sum(right for right, _ in journeys), sum(wrong for _, wrong in journeys)),
        requests={name: pair for (name, scope), pair in pairs.items() if scope == REQUEST},
        resent=sum(sum(pair) for (_, scope), pair in pairs.items() if scope == RESENT),
        users=users,
    )


def bounds(known: Learned, seen: Answers) -> tuple[Fraction, Fraction]:
    """How many completions a load has made at least and at most.

    Journeys may send more forms than were rehearsed (mistakes are mended), fewer (they choose at
    random), or others: so completed journeys, and the answers to each form, all may be the
    completions. The least of them is certain, and no more than the most can have been.
    """
    completed, failed = seen.journeys
    if not known.forms:  # the author counts journeys
        return Fraction(completed), Fraction(completed + failed)
    right, wrong, other, other_wrong = Counter[str](), Counter[str](), 0, 0
    for name, (ok, not_ok) in seen.requests.items():
        shape = NUMBER.sub("0", name)
        if shape in known.least:
            right[shape] += ok
            wrong[shape] += not_ok
        elif name.startswith("POST ") or name == OTHER_NAMES:
            other, other_wrong = other + ok, other_wrong + not_ok
    if not known.least:  # each journey's forms have names of their own
        least = min(Fraction(completed), Fraction(other, known.forms))
        return least, Fraction(completed + failed + seen.users + seen.resent)
    least = min(Fraction(completed), *(Fraction(right[one], known.most[one]) for one in known.most))
    most = max(Fraction(right[one] + wrong[one], times) for one, times in known.least.items())
    return least, most + other + other_wrong + seen.resent


def held(
    known: Learned, seen: Answers, rows: Callable[[Iterable[str]], Rows]
) -> tuple[Stored | None, str]:
    """What completions left, once no more rows come: the table that disagrees most, and words."""
    begin = still_since = time.monotonic()
    now, coming = rows(known.left), True
    while time.monotonic() - begin < SETTLE_S:
        lacks = max(gains_of(known.before, now.of).values(), default=0) < seen.journeys[0]
        if known.left:
            lacks = any(table.stored < table.claimed for table in judged(known, seen, now))
        if not lacks or not (coming := time.monotonic() - still_since < STILL_S):
            break
        time.sleep(STEP_S)
        earlier, now = now, rows(known.left)
        if gains_of(earlier.of, now.of):
            still_since = time.monotonic()
    tables = judged(known, seen, now, coming=coming)
    stored = {one.table: one.stored for one in tables} or gains_of(known.before, now.of)
    units = {"": "stored", **{name: name for name in BESIDE_ROWS}}
    words = [
        f"{format_count(gained)} {units.get(name, f'rows gained in {name}')}"
        for name, gained in stored.items()
    ]
    worst = tables[0] if tables else None
    claimed = worst.completions if worst else seen.journeys[0]
    start = "at least " if claimed < seen.journeys[0] else ""
    gained = listed(words or ["no row gained"])
    return worst, f"{start}{format_count(claimed)} completions claimed, {gained}"


def judged(known: Learned, seen: Answers, now: Rows, *, coming: bool = False) -> list[Stored]:
    """Each table that completions fill, those that disagree first; more rows may be `coming`."""
    least, most = bounds(known, seen)
    tables: list[Stored] = []
    for table in [name for name in known.left if name in known.before and name in now.of]:
        each = max(known.left[table])
        claimed, stored = floor(least * each), now.of[table] - known.before[table]
        excuse = ""
        if stored < claimed and (table in now.gone or stored < 0):
            excuse = "Rows that were there before are gone, so some of its own may be, too."
        elif stored < claimed and coming:
            excuse = f"Rows still came {SETTLE_S:g} s after the load."
        elif stored < claimed and table in known.once:
            excuse = "The same form, sent again in a rehearsal, was answered right and left fewer."
        tables.append(
            Stored(
                claimed=claimed,
                stored=stored,
                in_doubt=max(0, ceil(most * each) - claimed),
                completions=floor(least),
                table=table,
                left=known.left[table],
                excuse=excuse,
            )
        )
    kept = any(table.agrees and max(table.left) == 1 for table in tables)
    for place, judgement in enumerate(tables):
        if not judgement.agrees and (kept or max(judgement.left) > 1):
            words = "How many rows come into it may depend on what a form says."
            tables[place] = replace(judgement, excuse=judgement.excuse or words)
    return sorted(tables, key=lambda table: (table.agrees, bool(table.excuse)))
