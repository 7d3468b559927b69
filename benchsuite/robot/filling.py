"""Answers for one form: values are made from what is known, then held against all of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from itertools import islice
from random import Random

from benchsuite.robot import formats, numbers, people, texts
from benchsuite.robot.constraints import ANY, NOTHING, TINY, Constraint, Range, constraint
from benchsuite.robot.encoding import Upload, Value
from benchsuite.robot.forms import CHOSEN, Button, Control, Form, Option
from benchsuite.robot.hints import dated, hint, numeric, part_of_date
from benchsuite.robot.people import Person
from benchsuite.robot.texts import Writer
from benchsuite.robot.uploads import upload
from benchsuite.robot.validity import MEASURED, SCALES, invalid

Answers = dict[str, tuple[Value, ...]]  #: By the control's key; an empty tuple sends nothing.

PLACEHOLDER = re.compile(
    r"^\W*(choose|select|please|pick|none selected|bitte|wählen|auswählen|keine auswahl|choisir|"
    r"choisissez|sélectionne\w*|veuillez|aucune?|elija|seleccion\w*|ningun[oa])\b|^[-–—.…\s]*$",
    re.I,
)
AGAIN = re.compile(
    r"\b(confirm\w*|again|repeat\w*|re-?enter|re-?type|verify|verification|bestätig\w*|"
    r"wiederhol\w*|nochmals?|erneut|répét\w*|à nouveau|ressaisi\w*|repet\w*|repita|de nuevo)\b"
)
NEVER_TICKED = re.compile(r"(-clear|-DELETE|_destroy\]?|\bdelete)$")
MEANT_TO_BE_TICKED = re.compile(
    r"\b(agree|accept|terms|consent|confirm|conditions|privacy|agb|stimme|einverstanden|akzeptiere|"
    r"datenschutz\w*|bestätige|accepte|consens|acepto|condiciones)\b"
)
TRAP = re.compile(
    r"leave (?:this )?(?:field )?(?:blank|empty)|treated as spam|honey-?pot|do not fill|don't fill|"
    r"nicht ausfüllen|leer lassen|freilassen|laisser vide|ne pas remplir|dejar (?:en blanco|vacío)"
)
FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y")
"""Tried in order where a plain text field requires a day."""

FORMAT_OF = {"de": "%d.%m.%Y", "fr": "%d/%m/%Y", "es": "%d/%m/%Y"}
ROW = re.compile(r"[-_.\[](\d+)(?=[-_.\]])")  #: The number of a row of a formset in a name.
SPREADS = (10, 1000, 1, 10_000, 50, 100_000, 5)
"""Sizes of numbers, tried in order for unreadable errors."""

MADE = 500  #: Values that are held against the limits before a control counts as unfillable.
REDRAWN = 20  #: How many of them are numbers or moments.
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

    person: Person
    chance: Random
    known: Mapping[str, str]  #: Given answers, by name.
    language: str = ""  #: The page's declared language.
    answers: Answers = field(default_factory=dict)
    _form: Form | None = None
    _region: str = ""  #: The country that the form names.
    _constraints: dict[str, Constraint] = field(default_factory=dict)
    _refused: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)
    _turns: dict[str, int] = field(default_factory=dict)
    """How often a control was refused without a word on what is accepted."""
    _rows: int | None = None  #: The number of a formset's rows to fill.

    def fill(self, form: Form) -> None:
        """Answers all controls without an answer, the country first."""
        self._form = form
        for control in sorted(form.controls, key=lambda one: hint(one) not in COUNTRY):
            if control.kind == "hidden":
                self.answers[control.key] = (control.value,)
            elif control.key not in self.answers:
                self.answers[control.key] = self._answer(control)
            if hint(control) in COUNTRY:
                self._region = self._named_region(control) or self._region

    def mend(self, form: Form) -> None:
        """Forgets the answers that errors are about, and notes what these require.

        What only repeats another answer follows it. If nothing at all is said, everything is
        answered anew.
        """
        wrong = {control.key: constraint(control.errors) for control in form.fillable}
        wrong = {one.key: wrong[one.key] for one in form.fillable if one.errors}
        whole = constraint(form.errors)
        if whole.distinct or whole.same:
            concerned = self._repeated(form) if whole.distinct else filter(_again, form.fillable)
            wrong |= {one.key: Constraint(distinct=whole.distinct) for one in concerned}
        high = whole.of("").whole[1]
        self._rows = high if high and not wrong else self._rows
        if not wrong and (not form.errors or self._rows):
            wrong = {control.key: NOTHING for control in form.fillable}
        for control in form.fillable:
            if control.key in wrong:
                self._refuse(control, wrong[control.key])
            elif _again(control) or not _still_offered(control, self.answers.get(control.key, ())):
                self.answers.pop(control.key, None)

    def _refuse(self, control: Control, said: Constraint) -> None:
        known = self._constraints.get(control.key, NOTHING)
        if said == Constraint(kind=said.kind) or known | said == known:
            self._turns[control.key] = self._turns.get(control.key, 0) + 1
        if said.silent and control.errors:
            said = constraint((control.hint,))
        self._constraints[control.key] = known | said
        given = self.answers.pop(control.key, None)
        if given is not None:
            self._refused.setdefault(control.key, []).append(given)

    def _repeated(self, form: Form) -> Iterator[Control]:
        """Controls with the answer that one before them has to the same question."""
        for place, control in enumerate(form.fillable):
            peers = _peers(control, form.fillable[:place])
            answers = [self.answers.get(one.key) for one in peers]
            if self.answers.get(control.key) in answers:
                yield control

    def pairs(
        self, form: Form, button: Button | None, charset: str = "utf-8"
    ) -> list[tuple[str, Value]]:
        """The data to send, in the order of the page, with the pressed button."""
        sent: list[tuple[str, Value]] = []
        for control in form.controls:
            if control.kind == "hidden" and control.name == "_charset_":
                sent.append((control.name, charset))
            else:
                sent += [(control.name, value) for value in self.answers[control.key]]
            direction = control.limits.get("dirname")
            if direction and control.kind in MEASURED | {"hidden"}:
                sent.append((direction, "ltr"))
        if button is not None and button.name:
            if button.limits.get("type") == "image":
                sent += [(f"{button.name}.x", "1"), (f"{button.name}.y", "1")]
            else:
                sent.append((button.name, button.value))
        return sent

    def given(self, form: Form) -> tuple[tuple[str, Value], ...]:
        """The answers of this form that a person would have given."""
        return tuple(
            (control.name, value)
            for control in form.fillable
            for value in self.answers[control.key]
        )

    def _answer(self, control: Control) -> tuple[Value, ...]:
        if control.name in self.known:
            return (self.known[control.name],)
        if "readonly" in control.limits:
            return control.state
        row = ROW.search(control.name)
        if TRAP.search(control.words) or (row and self._rows and int(row[1]) >= self._rows):
            return ("",) if control.kind not in CHOSEN else ()
        learned = self._constraints.get(control.key, NOTHING)
        told = constraint((control.label, control.hint))
        shown = NOTHING if told is NOTHING or "pattern" in control.limits else told.limits
        if control.kind in CHOSEN:
            return self._chosen(control, shown | learned)
        if control.kind == "file":
            return self._file(control, learned)
        original = self._original(control)
        if original and (learned.same or _again(control)):
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

    def _before(self, control: Control) -> list[Control]:
        """The answered controls of its kind before it."""
        controls = self._form.fillable if self._form else ()
        place = next((at for at, one in enumerate(controls) if one.key == control.key), 0)
        return [
            one for one in controls[:place] if one.kind == control.kind and one.key in self.answers
        ]

    def _original(self, control: Control) -> tuple[Value, ...] | None:
        """The answer that a confirmation must repeat."""
        base = AGAIN.sub("", control.name.replace("_", " ")).strip(" -.[]2").replace(" ", "_")
        if base and base != control.name and base in self.answers:
            return self.answers[base]
        before = self._before(control)
        return self.answers[before[-1].key] if before else None

    def _others(self, control: Control, asked: Constraint) -> list[tuple[Value, ...]]:
        """Answers to the same question elsewhere, where they must differ."""
        if self._form is None or not (asked.distinct or ROW.search(control.name)):
            return []
        peers = _peers(control, self._form.fillable)
        return [self.answers[one.key] for one in peers if one.key in self.answers]

    def _typed(self, control: Control, asked: Constraint) -> str:
        """The first value that all limits allow, or all but the errors'. ValueError if none is."""
        avoided = [*self._refused.get(control.key, ()), *self._others(control, asked)]
        measured = self._kind(control, asked) in SCALES
        spare, reason = "", ""
        for number, value in enumerate(islice(self._values(control, asked), MADE)):
            problem = invalid(control, value)
            if problem:
                reason = reason or problem
            elif (value,) not in avoided and (
                measured or texts.meets(value, control, asked, self.chance)
            ):
                return value
            else:
                spare = spare or value
            if spare and number > 2 * REDRAWN:
                break
        if not spare:
            raise ValueError(reason or "nothing was found that it accepts")
        return spare

    def _values(self, control: Control, asked: Constraint) -> Iterator[str]:
        kind = self._kind(control, asked)
        turns = self._turns.get(control.key, 0)
        if kind == "password" and (before := self._before(control)):
            yield str(self.answers[before[-1].key][0])
        if kind == "color":
            yield f"#{self.chance.randrange(0x1000000):06x}"
        if kind in SCALES:
            asked |= self._beside(control, asked)
            yield from self._points(control, kind, asked, turns)
        if kind not in SCALES or control.kind in TEXTUAL:
            row = ROW.search(control.name)
            who = self.person.beside(int(row[1])) if row else self.person
            refusals = turns if asked.silent else 0
            spoken = (*control.errors, control.label, control.hint)
            placed = people.region_in(" ".join(spoken)) if hint(control) in PLACED else ""
            writer = Writer(who, self.chance, self.language, placed or self._region, refusals)
            if part := part_of_date(control) if control.kind in TEXTUAL else "":
                yield str(texts.MAKERS[part](people.fake(people.USUAL, self.chance)))
            yield from texts.texts(control, asked, writer)

    def _points(self, control: Control, kind: str, asked: Constraint, turns: int) -> Iterator[str]:
        """Numbers, days and moments; others after each refusal without a word."""
        if kind in ("number", "range"):
            asked = self._turned(control, asked, turns)
        elif turns % 2 and control.kind == kind and not (asked.earliest or asked.latest):
            asked |= Constraint(earliest=date.today() + timedelta(days=1))
        native = control.kind == kind
        forms = [""] if native or kind != "date" else self._formats(control, asked, turns)
        for form in forms:
            for _ in range(REDRAWN):
                value = numbers.value(control, kind, asked, self.chance)
                value = value if native else value.replace("T", " ")
                yield date.fromisoformat(value).strftime(form) if form else value

    def _beside(self, control: Control, asked: Constraint) -> Constraint:
        """What must be later or earlier than another answer: the one named, else its neighbour."""
        if not (asked.later or asked.earlier) or self._form is None:
            return NOTHING
        peers = [one for one in self._form.fillable if one.kind == control.kind]
        place = next((at for at, one in enumerate(peers) if one.key == control.key), 0)
        words = " ".join(control.errors).lower()
        named = [one for one in peers if one.key != control.key and _plain(one.label) in words]
        near = peers[:place][::-1] if asked.later else peers[place + 1 :]
        for other in (one for one in (*named, *near) if one.key in self.answers):
            given = "".join(map(str, self.answers[other.key]))
            with suppress(ValueError):
                if control.kind in ("number", "range"):
                    number = Fraction(given)
                    later, earlier = Range(least=number + TINY), Range(most=number - TINY)
                    return Constraint(ranges={"": later if asked.later else earlier})
                day, apart = date.fromisoformat(given[:10]), timedelta(days=1)
                if asked.later:
                    return Constraint(earliest=day + apart)
                return Constraint(latest=day - apart)
        return NOTHING

    def _turned(self, control: Control, asked: Constraint, turns: int) -> Constraint:
        """Numbers of another size after each unreadable refusal."""
        if not turns or asked.of("").most is not None or "max" in control.limits:
            return asked
        spread = SPREADS[(turns - 1) % len(SPREADS)]
        with suppress(ValueError):
            low = Fraction(control.limits.get("min") or asked.of("").whole[0])
            return asked | Constraint(
                ranges={"": Range(least=low + Fraction(spread, 2), most=low + spread)}
            )
        return asked

    def _kind(self, control: Control, asked: Constraint) -> str:
        """The kind of value: the control's own, or what a plain text field is for."""
        if control.kind not in TEXTUAL:
            return control.kind
        kind = {"integer": "number"}.get(asked.kind, asked.kind)
        day = dated(control)
        counted = asked.of("") | asked.of("years") != ANY or asked.step is not None
        if part_of_date(control) or control.kind == "tel":
            return "text"
        if asked.earliest or asked.latest or (asked.of("years") != ANY and day):
            return "date"
        if asked.example and not day:
            return "text"
        if kind or (counted and not day):
            return kind if kind in SCALES else "text" if kind else "number"
        if day and control.kind == "text":
            return "date"
        refused = control.key in self._refused and asked.silent
        shown = formats.like(control.limits.get("placeholder", ""), date.today, Random(0))
        fits = control.kind == "text" and not refused and not shown and numeric(control)
        return "number" if fits else "text"

    def _formats(self, control: Control, asked: Constraint, turns: int) -> list[str]:
        """Those shown, then the usual ones; the next one first after each refusal as no day."""
        shown = (asked.example, control.limits.get("placeholder", ""), control.label, control.hint)
        masks = [form for one in shown if (form := formats.strftime(one))]
        usual = FORMAT_OF.get(self.language, FORMATS[0])
        all_of_them = list(dict.fromkeys((*masks, usual, *FORMATS)))
        first = 0 if asked.example else turns % len(all_of_them)
        return all_of_them[first:] + all_of_them[:first]

    def _file(self, control: Control, asked: Constraint) -> tuple[Value, ...]:
        made = upload(control, asked, self.chance)
        if made is not None:
            return (made,)
        if self._needed(control) or asked.extensions:
            wanted = control.limits.get("accept") or ", ".join(asked.extensions)
            raise Unfillable(control, f"there is no sample of its types ({wanted})")
        return (Upload("", b"", "application/octet-stream"),)

    def _chosen(self, control: Control, asked: Constraint) -> tuple[Value, ...]:
        offered = [one for one in control.choices if control.kind != "select" or _meant(one)]
        if control.kind == "checkbox" and len(offered) == 1:
            return self._ticked(control)
        if not offered:
            if self._needed(control):
                raise Unfillable(control, "it offers nothing to choose")
            return ()
        refused = self._refused.get(control.key, [])
        if control.many:
            return self._several(control, asked, offered, refused)
        if hint(control) in COUNTRY:
            placed = people.placed(tuple((one.value, one.label) for one in offered))
            offered = [one for one in offered if one.value in placed] or offered
        others = self._others(control, asked)
        fresh = [one for one in offered if (one.value,) not in refused]
        fresh = [one for one in fresh or offered if (one.value,) not in others] or fresh
        return (self.chance.choice(fresh or offered).value,)

    def _several(
        self,
        control: Control,
        asked: Constraint,
        offered: Sequence[Option],
        refused: Sequence[tuple[Value, ...]],
    ) -> tuple[Value, ...]:
        """As many choices as the errors or the question allow."""
        least, most = asked.of("").whole
        least, most = max(1, least), min(len(offered), most or len(offered))
        if least > len(offered):
            raise Unfillable(
                control, f"it requires at least {least} choices, and offers {len(offered)}"
            )
        picked: tuple[Value, ...] = ()
        for _ in range(REDRAWN):
            count = self.chance.randint(least, max(least, most))
            places = sorted(self.chance.sample(range(len(offered)), count))
            picked = tuple(offered[place].value for place in places)
            if picked not in refused:
                break
        return picked

    def _ticked(self, control: Control) -> tuple[Value, ...]:
        """A single checkbox: ticked when it must or may be, and turned when it was refused."""
        value = control.choices[0].value
        if NEVER_TICKED.search(control.name):
            return ()
        if refused := self._refused.get(control.key):
            return () if refused[-1] else (value,)
        wanted = control.required or MEANT_TO_BE_TICKED.search(control.words)
        return (value,) if wanted or self.chance.random() < 0.5 else ()

    def _named_region(self, control: Control) -> str:
        given = [str(value) for value in self.answers.get(control.key, ())]
        chosen = [one for one in control.choices if one.value in given]
        return people.region(*(chosen[0].value, chosen[0].label) if chosen else given)


def _plain(label: str) -> str:
    return label.lower().strip(" *:?.") or "\n"


def _peers(control: Control, controls: Sequence[Control]) -> list[Control]:
    """Controls that ask the same: of the same name but for a number, or with the same choices."""
    values = [one.value for one in control.choices]
    base = ROW.sub("#", control.name)
    return [
        one
        for one in controls
        if one.key != control.key
        and one.kind == control.kind
        and (
            ROW.sub("#", one.name) == base
            if ROW.search(control.name)
            else [choice.value for choice in one.choices] == values
        )
    ]


def _again(control: Control) -> bool:
    return AGAIN.search(control.words.replace("_", " ")) is not None and (
        control.kind in ("email", "password", "text", "tel", "url")
    )


def _meant(choice: Option) -> bool:
    """Whether an option is an answer and not a placeholder."""
    return bool(choice.value) and not (
        PLACEHOLDER.search(choice.label) and choice.value in ("0", "-1", "none", choice.label)
    )


def _still_offered(control: Control, given: Sequence[Value]) -> bool:
    values = {choice.value for choice in control.choices}
    return control.kind not in CHOSEN or all(value in values for value in given)
