"""Answers for one form: values are made from what is known, then held against all of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import islice
from random import Random

from benchsuite.robot import texts
from benchsuite.robot.constraints import ANY, NOTHING, TINY, Constraint, Range, constraint
from benchsuite.robot.forms import CHOSEN, NO_FILE, Button, Control, Form, Option, Value, Values
from benchsuite.robot.languages import (
    about,
    dated,
    like,
    numeric,
    part_of_date,
    says,
    shown_by,
    strftime,
    without,
)
from benchsuite.robot.texts import MAKERS, Writer
from benchsuite.robot.validity import MEASURED, SCALES, invalid, point

NEVER_TICKED = re.compile(r"(-clear|-DELETE|_destroy\]?|\bdelete)$")
FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y")
"""Tried in order where a plain text field requires a day."""

FORMAT_OF = {"de": "%d.%m.%Y", "fr": "%d/%m/%Y", "es": "%d/%m/%Y"}
ROW = re.compile(r"[-_.\[](\d+)(?=[-_.\]])")  #: The number of a row of a formset in a name.
SPREADS = (10, 1000, 1, 10_000, 50, 100_000, 5)
"""Sizes of numbers, tried in order for unreadable errors."""

MADE = 500  #: Values that are held against the limits before a control counts as unfillable.
REDRAWN = 20  #: How many of them are numbers or moments.
NUMBERS = ("number", "range")
TEXTUAL = frozenset(("text", "textarea", "search", "tel"))
PLACED = frozenset(("postcode", "phone", "state", "city"))
COUNTRY = frozenset(("country", "country-code"))


class Unfillable(Exception):
    """A control without a valid answer; the message says why."""

    def __init__(self, control: Control, reason: str) -> None:
        super().__init__(f"{control} can't be filled: {reason}")


@dataclass(slots=True)
class Filler:
    """Fills the same form until it is accepted; remembers constraints and refused answers."""

    person: int
    chance: Random
    known: Mapping[str, str]  #: Given answers, by name.
    language: str = ""  #: The page's declared language.
    answers: dict[str, Values] = field(default_factory=dict)  #: By the control's key.
    _asked: tuple[Control, ...] = ()  #: The controls of the form.
    _region: str = ""  #: The country that the form names.
    _learned: dict[str, Constraint] = field(default_factory=dict)
    _refused: dict[str, list[Values]] = field(default_factory=dict)
    _turns: dict[str, int] = field(default_factory=dict)
    """How often a control was refused without a word on what is accepted."""
    _rows: int | None = None  #: The number of a formset's rows to fill.

    def fill(self, form: Form) -> None:
        """Answers all controls without an answer, the country first."""
        self._asked = form.fillable
        for control in sorted(form.controls, key=lambda control: about(control) not in COUNTRY):
            if control.kind == "hidden":
                self.answers[control.key] = (control.value,)
            elif control.key not in self.answers:
                self.answers[control.key] = self._answer(control)
            if about(control) in COUNTRY:
                given = [str(value) for value in self.answers[control.key]]
                chosen = (option for option in control.choices if option.value in given)
                named = next(((option.value, option.label) for option in chosen), given)
                self._region = texts.region(*named) or self._region

    def mend(self, form: Form) -> None:
        """Forgets the answers that errors are about, and notes what these require.

        What only repeats another answer follows it. If nothing at all is said, everything is
        answered anew.
        """
        wrong = {one.key: constraint(one.errors) for one in form.fillable if one.errors}
        whole = constraint(form.errors)
        if whole.says & {"distinct", "same"}:
            distinct = whole.says & {"distinct"}
            concerned = self._repeated() if distinct else filter(_again, form.fillable)
            wrong |= {control.key: Constraint(says=distinct) for control in concerned}
        high = whole.of("").whole[1]
        self._rows = high if high and not wrong else self._rows
        if not wrong and (not form.errors or self._rows):
            wrong = {control.key: NOTHING for control in form.fillable}
        for control in form.fillable:
            given = self.answers.get(control.key, ())
            if control.key in wrong:
                self._refuse(control, wrong[control.key])
            elif _again(control) or not _still_offered(control, given):
                self.answers.pop(control.key, None)

    def _refuse(self, control: Control, required: Constraint) -> None:
        known = self._learned.get(control.key, NOTHING)
        if required == Constraint(kind=required.kind) or known | required == known:
            self._turns[control.key] = self._turns.get(control.key, 0) + 1
        if required.silent and control.errors:
            required = constraint((control.hint,))
        self._learned[control.key] = known | required
        given = self.answers.pop(control.key, None)
        if given is not None:
            self._refused.setdefault(control.key, []).append(given)

    def _repeated(self) -> Iterator[Control]:
        """Controls with the answer that one before them has to the same question."""
        for place, control in enumerate(self._asked):
            peers = _peers(control, self._asked[:place])
            if self.answers.get(control.key) in [self.answers.get(peer.key) for peer in peers]:
                yield control

    def pairs(
        self, form: Form, button: Button | None, charset: str = "utf-8"
    ) -> list[tuple[str, Value]]:
        """The data to send, in the order of the page, with the pressed button."""
        sent: list[tuple[str, Value]] = []
        for control in form.controls:
            hidden = control.kind == "hidden"
            answer = (charset,) if hidden and control.name == "_charset_" else None
            sent += [(control.name, value) for value in answer or self.answers[control.key]]
            direction = control.limits.get("dirname")
            if direction and (hidden or control.kind in MEASURED):
                sent.append((direction, "ltr"))
        return sent + (button.pair if button is not None else [])

    def given(self, form: Form) -> tuple[tuple[str, Value], ...]:
        """The answers of this form that a person would have given."""
        return tuple(
            (control.name, value)
            for control in form.fillable
            for value in self.answers[control.key]
        )

    def _answer(self, control: Control) -> Values:
        if control.name in self.known:
            return (self.known[control.name],)
        if "readonly" in control.limits:
            return control.state
        row = ROW.search(control.name)
        if says("trap", control.words) or (row and self._rows and int(row[1]) >= self._rows):
            return ("",) if control.kind not in CHOSEN else ()
        learned = self._learned.get(control.key, NOTHING)
        told = constraint((control.label, control.hint)).limits
        shown = NOTHING if "pattern" in control.limits else told
        if control.kind in CHOSEN:
            return self._chosen(control, shown | learned)
        if control.kind == "file":
            return self._file(control, learned)
        repeats = "same" in learned.says or _again(control)
        if repeats and (original := self._original(control)):
            return original
        errors = []
        for asked in (shown | learned, learned, NOTHING):  # what was misread asks too much
            try:
                return (self._typed(control, asked),)
            except (ValueError, re.error) as error:
                errors.append(error)
        if self._needed(control):
            raise Unfillable(control, str(errors[0])) from errors[0]
        return ("",)

    def _needed(self, control: Control) -> bool:
        """Whether it is declared to be required, or was refused when it was empty."""
        refused = self._refused.get(control.key, [])
        return control.required or any(not any(map(str, given)) for given in refused)

    def _before(self, control: Control) -> Values | None:
        """The answer to the control of its kind before it."""
        place = self._asked.index(control)
        before = [one for one in self._asked[:place] if one.kind == control.kind]
        return next((self.answers.get(one.key) for one in before[::-1]), None)

    def _original(self, control: Control) -> Values | None:
        """The answer that a confirmation must repeat."""
        words = without("again", control.name.replace("_", " "))
        base = words.strip(" -.[]2").replace(" ", "_")
        known = self.answers.get(base) if base != control.name else None
        return known or self._before(control)

    def _others(self, control: Control, asked: Constraint) -> list[Values]:
        """Answers to the same question elsewhere, where they must differ."""
        if "distinct" not in asked.says and not ROW.search(control.name):
            return []
        peers = _peers(control, self._asked)
        return [self.answers[peer.key] for peer in peers if peer.key in self.answers]

    def _typed(self, control: Control, asked: Constraint) -> str:
        """The first value that all limits allow, or all but the errors'. ValueError if none is."""
        avoided = [*self._refused.get(control.key, ()), *self._others(control, asked)]
        kind = self._kind(control, asked)
        spare = reason = ""
        for number, value in enumerate(islice(self._values(control, kind, asked), MADE)):
            if problem := invalid(control, value):
                reason = reason or problem
            elif (value,) not in avoided and (
                kind in SCALES or texts.fit(value, control, asked, self.chance) == value
            ):
                return value
            else:
                spare = spare or value
            if spare and number > 2 * REDRAWN:
                break
        if not spare:
            raise ValueError(reason or "nothing was found that it accepts")
        return spare

    def _values(self, control: Control, kind: str, asked: Constraint) -> Iterator[str]:
        turns = self._turns.get(control.key, 0)
        if kind == "password" and (before := self._before(control)):
            yield str(before[0])
        if kind == "color":
            yield f"#{self.chance.randrange(0x1000000):06x}"
        if kind in SCALES:
            yield from self._points(control, kind, asked | self._beside(control, asked), turns)
        if kind not in SCALES or control.kind in TEXTUAL:
            row = ROW.search(control.name)
            person = self.person + (int(row[1]) * (texts.HOW_MANY + 1) if row else 0)
            spoken = " ".join((*control.errors, control.label, control.hint))
            region = texts.region_in(spoken) if about(control) in PLACED else ""
            writer = Writer(
                person,
                self.chance,
                self.language,
                region or self._region,
                turns if asked.silent else 0,
            )
            if control.kind in TEXTUAL and (part := part_of_date(control)):
                yield str(MAKERS[part](writer))
            yield from texts.texts(control, asked, writer)

    def _points(self, control: Control, kind: str, asked: Constraint, turns: int) -> Iterator[str]:
        """Numbers, days and moments; others after each refusal without a word."""
        native = control.kind == kind
        limits = control.limits
        if kind in NUMBERS and turns and asked.of("").most is None and "max" not in limits:
            spread = SPREADS[(turns - 1) % len(SPREADS)]
            with suppress(ValueError):
                low = Fraction(limits.get("min") or asked.of("").whole[0])
                size = Range(least=low + Fraction(spread, 2), most=low + spread)
                asked |= Constraint(ranges={"": size})
        elif turns % 2 and native and kind not in NUMBERS and asked.of("date") == ANY:
            later = Range(least=Fraction(date.today().toordinal() + 1))
            asked |= Constraint(ranges={"date": later})
        for form in [""] if native or kind != "date" else self._formats(control, asked, turns):
            for _ in range(REDRAWN):
                value = point(control, kind, asked, self.chance)
                value = value if native else value.replace("T", " ")
                yield date.fromisoformat(value).strftime(form) if form else value

    def _beside(self, control: Control, asked: Constraint) -> Constraint:
        """What must be later or earlier than another answer: the one named, else its neighbour."""
        later = "later" in asked.says
        if not asked.says & {"later", "earlier"}:
            return NOTHING
        peers = [peer for peer in self._asked if peer.kind == control.kind]
        place = peers.index(control)
        words = " ".join(control.errors).lower()
        named = [peer for peer in peers if peer != control and _plain(peer.label) in words]
        near = peers[:place][::-1] if later else peers[place + 1 :]
        counted = control.kind in NUMBERS
        for other in (*named, *near):
            given = "".join(map(str, self.answers.get(other.key, ())))
            with suppress(ValueError):
                end = given if counted else date.fromisoformat(given[:10]).toordinal()
                least, most = Fraction(end) + TINY, Fraction(end) - TINY
                limits = Range(least=least) if later else Range(most=most)
                return Constraint(ranges={"" if counted else "date": limits})
        return NOTHING

    def _kind(self, control: Control, asked: Constraint) -> str:
        """The kind of value: the control's own, or what a plain text field is for."""
        if control.kind not in TEXTUAL:
            return control.kind
        kind = {"integer": "number"}.get(asked.kind, asked.kind)
        day = dated(control)
        counted = asked.of("", "years") != ANY or asked.step is not None
        if part_of_date(control) or control.kind == "tel":
            return "text"
        if asked.of("date") != ANY or (asked.of("years") != ANY and day):
            return "date"
        if asked.example and not day:
            return "text"
        if kind or (counted and not day):
            return kind if kind in SCALES else "text" if kind else "number"
        if day and control.kind == "text":
            return "date"
        refused = control.key in self._refused and asked.silent
        shown = like(control.limits.get("placeholder", ""), date.today, Random(0))
        fits = control.kind == "text" and not refused and not shown and numeric(control)
        return "number" if fits else "text"

    def _formats(self, control: Control, asked: Constraint, turns: int) -> list[str]:
        """Those shown, then the usual ones; the next one first after each refusal as no day."""
        shown = filter(None, map(strftime, (asked.example, *shown_by(control))))
        usual = FORMAT_OF.get(self.language, FORMATS[0])
        formats = list(dict.fromkeys((*shown, usual, *FORMATS)))
        first = 0 if asked.example else turns % len(formats)
        return formats[first:] + formats[:first]

    def _file(self, control: Control, asked: Constraint) -> Values:
        made = texts.upload(control, asked, self.chance)
        if made is None and (self._needed(control) or asked.extensions):
            wanted = control.limits.get("accept") or ", ".join(asked.extensions)
            raise Unfillable(control, f"there is no sample of its types ({wanted})")
        return (made or NO_FILE,)

    def _chosen(self, control: Control, asked: Constraint) -> Values:
        offered = [one for one in control.choices if control.kind != "select" or _meant(one)]
        if control.kind == "checkbox" and len(offered) == 1:
            return self._ticked(control)
        if not offered:
            if self._needed(control):
                raise Unfillable(control, "it offers nothing to choose")
            return ()
        if about(control) in COUNTRY and not control.many:
            placed = texts.placed(tuple((one.value, one.label) for one in offered))
            offered = [option for option in offered if option.value in placed] or offered
        least, most = asked.of("").whole if control.many else (1, 1)
        least, most = max(1, least), min(len(offered), most or len(offered))
        if least > len(offered):
            raise Unfillable(
                control, f"it requires at least {least} choices, and offers {len(offered)}"
            )
        picked: list[Values] = []
        for _ in range(REDRAWN * control.many):
            count = self.chance.randint(least, max(least, most))
            places = sorted(self.chance.sample(range(len(offered)), count))
            picked.append(tuple(offered[place].value for place in places))
        if not control.many:
            picked = [(one.value,) for one in self.chance.sample(offered, len(offered))]
        refused, others = self._refused.get(control.key, []), self._others(control, asked)
        return min(picked, key=lambda values: (values in refused, values in others))

    def _ticked(self, control: Control) -> Values:
        """A single checkbox: ticked when it must or may be, and turned when it was refused."""
        value = control.choices[0].value
        if NEVER_TICKED.search(control.name):
            return ()
        if refused := self._refused.get(control.key):
            return () if refused[-1] else (value,)
        wanted = control.required or says("agree", control.words)
        return (value,) if wanted or self.chance.random() < 0.5 else ()


def _plain(label: str) -> str:
    return label.lower().strip(" *:?.") or "\n"


def _peers(control: Control, controls: Sequence[Control]) -> list[Control]:
    """Controls that ask the same: of the same name but for a number, or with the same choices."""

    def question(of: Control) -> object:
        values = [option.value for option in of.choices]
        return of.kind, ROW.sub("#", of.name) if ROW.search(control.name) else values

    alike = (one for one in controls if question(one) == question(control))
    return [one for one in alike if one.key != control.key]


def _again(control: Control) -> bool:
    kinds = ("email", "password", "text", "tel", "url")
    return control.kind in kinds and says("again", control.words)


def _meant(choice: Option) -> bool:
    """Whether an option is an answer and not a placeholder."""
    unset = choice.value in ("0", "-1", "none", choice.label)
    return bool(choice.value) and not (unset and says("placeholder", choice.label))


def _still_offered(control: Control, given: Values) -> bool:
    values = {choice.value for choice in control.choices}
    return control.kind not in CHOSEN or all(value in values for value in given)
