"""Answers for one form: each control by its kind, limits, options and errors."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from random import Random

from benchsuite.robot import formats, identifiers, numbers, texts
from benchsuite.robot.constraints import Constraint, constraint
from benchsuite.robot.encoding import Upload, Value
from benchsuite.robot.forms import CHOSEN, Button, Control, Form, Option
from benchsuite.robot.hints import DATE, NUMBER, hint, part_of_date
from benchsuite.robot.people import Person, people
from benchsuite.robot.texts import Writer
from benchsuite.robot.uploads import upload

Answers = dict[str, tuple[Value, ...]]  #: By the control's key; an empty tuple sends nothing.

PLACEHOLDER = re.compile(
    r"^\W*(choose|select|please|pick|none selected|bitte|wählen|auswählen|keine auswahl|choisir|"
    r"choisissez|sélectionne\w*|veuillez|aucune?)\b|^[-–—.…\s]*$",
    re.I,
)
AGAIN = re.compile(
    r"\b(confirm\w*|again|repeat\w*|re-?enter|re-?type|verify|verification|"
    r"bestätig\w*|wiederhol\w*|nochmals?|erneut|confirme[rz]|confirmation|répét\w*|"
    r"à nouveau|ressaisi\w*)\b"
)
NEVER_TICKED = re.compile(r"(-clear|-DELETE|_destroy\]?|\bdelete)$")
MEANT_TO_BE_TICKED = re.compile(
    r"\b(agree|accept|terms|consent|confirm|conditions|privacy|agb|stimme|einverstanden|akzeptiere|"
    r"datenschutz\w*|bestätige|accepte|conditions|consens)\b"
)
TRAP = re.compile(
    r"leave (?:this )?(?:field )?(?:blank|empty)|treated as spam|honey-?pot|do not fill|don't fill|"
    r"nicht ausfüllen|leer lassen|freilassen|laisser vide|ne pas remplir"
)
FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y")
"""Tried in order where a plain text field requires a day."""

FORMAT_OF = {"de": "%d.%m.%Y", "fr": "%d/%m/%Y"}
ROW = re.compile(r"[-_.\[](\d+)(?=[-_.\]])")  #: The number of a row of a formset in a name.

SPREADS = (10, 1000, 1, 10_000, 50, 100_000, 5)
"""Sizes of numbers, tried in order for unreadable errors."""


REDRAWN = 5
PARTS_OF_DATES = ("day", "month", "year")


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
    _constraints: dict[str, Constraint] = field(default_factory=dict)
    _refused: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)
    _rows: int | None = None  #: The number of a formset's rows to fill.

    def fill(self, form: Form) -> None:
        """Answers all controls without an answer."""
        before: dict[str, tuple[Value, ...]] = {}
        for control in form.controls:
            if control.kind == "hidden":
                self.answers[control.key] = (control.value,)
            elif control.key not in self.answers:
                self.answers[control.key] = self._answer(control, before)
            before[control.kind] = self.answers[control.key]

    def mend(self, form: Form) -> None:
        """Forgets refused answers and notes the errors about them.

        If only the form as a whole is wrong, everything is answered anew.
        """
        wrong = [control for control in form.fillable if control.errors]
        whole = constraint(form.errors)
        if wrong:
            repeated = any(one.kind == "password" for one in wrong)
            wrong += [
                one
                for one in form.fillable
                if one not in wrong and (_again(one) or (repeated and one.kind == "password"))
            ]
        self._rows = int(whole.most) if whole.most and not wrong else self._rows
        for control in wrong or form.fillable:
            asked = constraint(control.errors)
            if not wrong:
                asked |= Constraint(
                    agree=whole.agree, same=whole.same and _again(control), distinct=whole.distinct
                )
            elif asked.silent and control.errors:
                asked |= constraint((control.hint,))
            known = self._constraints.get(control.key, Constraint())
            self._constraints[control.key] = known | asked
            given = self.answers.pop(control.key, None)
            if given is not None:
                self._refused.setdefault(control.key, []).append(given)
        for control in form.fillable:
            if control.key not in self.answers:
                continue
            if control.kind in CHOSEN and not _still_offered(control, self.answers[control.key]):
                del self.answers[control.key]

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

    def _answer(
        self, control: Control, before: Mapping[str, tuple[Value, ...]]
    ) -> tuple[Value, ...]:
        if control.name in self.known:
            return (self.known[control.name],)
        if "readonly" in control.limits:
            return control.state
        row = ROW.search(control.name)
        if TRAP.search(control.words) or (row and self._rows and int(row[1]) >= self._rows):
            return ("",) if control.kind not in CHOSEN else ()
        asked = self._constraints.get(control.key, Constraint())
        refused = self._refused.get(control.key, [])
        try:
            if control.kind in CHOSEN:
                return self._chosen(control, asked)
            if control.kind == "file":
                return self._file(control, asked)
            repeated = self._original(control, before)
            if repeated and (asked.same or _again(control)):
                return repeated
            others = self._others(control) if asked.distinct or row else []
            for _ in range(REDRAWN):
                given = (self._typed(control, asked, before),)
                if given not in refused and given not in others:
                    break
            return given
        except (numbers.OutOfRange, texts.NoText) as error:
            if not control.required and not asked.agree:
                return ("",)
            raise Unfillable(control, str(error)) from error

    def _original(
        self, control: Control, before: Mapping[str, tuple[Value, ...]]
    ) -> tuple[Value, ...] | None:
        """The answer that a confirmation control must repeat."""
        base = AGAIN.sub("", control.name.replace("_", " ")).strip(" -.[]2").replace(" ", "_")
        return (
            self.answers.get(base)
            if base and base != control.name and base in self.answers
            else (before.get(control.kind))
        )

    def _others(self, control: Control) -> list[tuple[Value, ...]]:
        """Answers to the same question elsewhere."""
        base = ROW.sub("#", control.name)
        alike = ROW.search(control.name) is not None
        return [
            given
            for key, given in self.answers.items()
            if key != control.key and (not alike or ROW.sub("#", key) == base)
        ]

    def _typed(
        self, control: Control, asked: Constraint, before: Mapping[str, tuple[Value, ...]]
    ) -> str:
        times = len(self._refused.get(control.key, ()))
        refusals = times if asked.silent else 0
        kind = self._kind(control, asked)
        if asked.later and (known := before.get(kind)) and not asked.earliest:
            with suppress(ValueError):
                asked |= Constraint(earliest=date.fromisoformat(str(known[0])[:10]))
        if kind in PARTS_OF_DATES and kind != control.kind:
            return identifiers.MAKERS[kind](self.chance, self.language)
        if kind in ("number", "range"):
            return numbers.number(
                control, self._turned(control, asked, refusals or times - 1), self.chance
            )
        if kind in ("date", "datetime-local", "week", "month") and refusals % 2:
            asked |= Constraint(when="future")
        if kind == "date":
            form = FORMATS[0] if control.kind == "date" else self._format(control)
            return numbers.day(control, asked, self.chance).strftime(form)
        if kind == "month":
            return numbers.day(control, asked, self.chance).strftime("%Y-%m")
        if kind == "week":
            return numbers.day(control, asked, self.chance).strftime("%G-W%V")
        if kind == "datetime-local":
            return numbers.moment(control, asked, self.chance)
        if kind == "time":
            return numbers.clock(control, self.chance)
        if kind == "color":
            return f"#{self.chance.randrange(0x1000000):06x}"
        if kind == "password" and "pattern" not in control.limits:
            given = before.get("password")
            return str(given[0]) if given else texts.password(control, asked, self.chance)
        return texts.text(
            control, asked, Writer(self._person(control), self.chance, self.language, refusals)
        )

    def _person(self, control: Control) -> Person:
        """Another person for each row."""
        row = ROW.search(control.name)
        if row is None:
            return self.person
        everybody = people()
        return everybody[(everybody.index(self.person) + int(row[1])) % len(everybody)]

    def _turned(self, control: Control, asked: Constraint, refusals: int) -> Constraint:
        """Numbers of another size after each unreadable refusal."""
        if refusals < 1 or asked.most is not None or "max" in control.limits:
            return asked
        spread = SPREADS[(refusals - 1) % len(SPREADS)]
        low = numbers.least(control, asked)
        return asked | Constraint(least=low + spread / 2, most=low + spread)

    def _kind(self, control: Control, asked: Constraint) -> str:
        """The kind of value: the control's own, or what a plain text field is for."""
        if control.kind not in ("text", "textarea", "search", "tel"):
            return control.kind
        if control.limits.get("pattern"):
            return "text"
        if part := part_of_date(control):
            return part
        if asked.example or control.kind == "tel":
            return "text"
        kind = {"integer": "number"}.get(asked.kind, asked.kind)
        counted = (asked.least, asked.most, asked.above, asked.below)
        bounded = any(one is not None for one in counted)
        words = control.words.replace("_", " ")
        dated = DATE.search(words) is not None or hint(control) == "date"
        if asked.earliest or asked.latest or (asked.years and dated) or (asked.when and not kind):
            return "date"
        if kind or (bounded and not asked.length and not asked.words):
            return kind or "number"
        if self._refused.get(control.key) and asked.silent:
            return "date" if dated else "text"
        if control.kind == "text":
            if dated:
                return "date"
            if formats.like(control.limits.get("placeholder", ""), date.today, self.chance):
                return "text"
            numeric = control.limits.get("inputmode") in ("numeric", "decimal")
            if not hint(control) and (numeric or NUMBER.search(words)):
                return "number"
        return "text"

    def _format(self, control: Control) -> str:
        """The format shown or usual; another one after each refusal without other information."""
        number = len(self._refused.get(control.key, ()))
        asked = self._constraints.get(control.key, Constraint())
        shown = (asked.example, control.limits.get("placeholder", ""), control.label, control.hint)
        masks = [form for one in shown if (form := formats.strftime(one))]
        usual = FORMAT_OF.get(self.language, FORMATS[0])
        turns = list(dict.fromkeys((*masks, usual, *FORMATS)))
        return turns[0 if asked.when or asked.example else number % len(turns)]

    def _file(self, control: Control, asked: Constraint) -> tuple[Value, ...]:
        made = upload(control, asked, self.chance)
        if made is not None:
            return (made,)
        if control.required or asked.agree or asked.extensions:
            wanted = control.limits.get("accept") or ", ".join(asked.extensions)
            raise Unfillable(control, f"no file of its types ({wanted}) can be created")
        return (Upload("", b"", "application/octet-stream"),)

    def _chosen(self, control: Control, asked: Constraint) -> tuple[Value, ...]:
        offered = [one for one in control.choices if control.kind != "select" or _meant(one)]
        if control.kind == "checkbox" and len(offered) == 1:
            return self._ticked(control, asked)
        if not offered:
            if control.required or asked.agree:
                raise Unfillable(control, "it offers nothing to choose")
            return ()
        refused = self._refused.get(control.key, [])
        if control.many:
            return self._several(control, asked, offered, refused)
        others = self._others(control) if asked.distinct or ROW.search(control.name) else []
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
        limit = constraint((control.label, control.hint)) | asked
        least = max(1, int(limit.least or 1))
        most = min(len(offered), int(limit.most or len(offered)))
        if least > len(offered):
            raise Unfillable(
                control, f"it requires at least {least} choices, and offers {len(offered)}"
            )
        picked: tuple[Value, ...] = ()
        for _ in range(8):
            count = self.chance.randint(least, max(least, most))
            places = sorted(self.chance.sample(range(len(offered)), count))
            picked = tuple(offered[place].value for place in places)
            if picked not in refused:
                break
        return picked

    def _ticked(self, control: Control, asked: Constraint) -> tuple[Value, ...]:
        """A single checkbox: ticked when it must or may be."""
        value = control.choices[0].value
        if NEVER_TICKED.search(control.name):
            return ()
        refused = self._refused.get(control.key)
        if refused and not asked.agree:
            return () if refused[-1] else (value,)
        wanted = control.required or asked.agree or MEANT_TO_BE_TICKED.search(control.words)
        return (value,) if wanted or self.chance.random() < 0.5 else ()


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
    return all(value in values for value in given)
