"""Answers for one form: each control by its kind, limits, options and what errors have said."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from benchsuite.robot import numbers, texts
from benchsuite.robot.demands import Demand, demand
from benchsuite.robot.encoding import Upload, Value
from benchsuite.robot.forms import CHOSEN, Button, Choice, Control, Form
from benchsuite.robot.people import Person
from benchsuite.robot.uploads import upload

Answers = dict[str, tuple[Value, ...]]
"""By the name of the control; nothing is sent for an empty tuple."""

PLACEHOLDER = re.compile(r"^\W*(choose|select|please|pick|none selected)\b|^[-–—.…\s]*$", re.I)
AGAIN = re.compile(r"\b(confirm\w*|again|repeat\w*|re-?enter|re-?type|verify|verification)\b")
NEVER_TICKED = re.compile(r"(-clear|-DELETE)$")
MEANT_TO_BE_TICKED = re.compile(r"\b(agree|accept|terms|consent|confirm|conditions|privacy)\b")
TRAP = re.compile(r"leave (?:this )?(?:field )?(?:blank|empty)|treated as spam|honey-?pot")
FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y")
"""Tried one after the other where a field of plain text wants a day."""


class Unfillable(Exception):
    """A control for which there is no valid answer; the words say why."""

    def __init__(self, control: Control, reason: str) -> None:
        super().__init__(f"{control} can't be filled: {reason}")


@dataclass(slots=True)
class Filler:
    """Fills the same form until it is taken; remembers what was asked for and what was refused."""

    person: Person
    chance: Random
    known: Mapping[str, str]
    """Answers that are given from outside, by name."""
    answers: Answers = field(default_factory=dict)
    _demands: dict[str, Demand] = field(default_factory=dict)
    _refused: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)

    def fill(self, form: Form) -> None:
        """Answers all that has no answer yet."""
        before: dict[str, tuple[Value, ...]] = {}
        for control in form.controls:
            if control.kind == "hidden":
                self.answers[control.name] = (control.value,)
            elif control.name not in self.answers:
                self.answers[control.name] = self._answer(control, before)
            before[control.kind] = self.answers[control.name]

    def mend(self, form: Form) -> None:
        """Forgets the answers that were refused, and takes in what was said about them.

        When only the form as a whole is wrong, everything is answered anew.
        """
        wrong = [control for control in form.fillable if control.errors]
        if any(control.kind == "password" for control in wrong):
            wrong += [one for one in form.fillable if one.kind == "password" and one not in wrong]
        for control in wrong or form.fillable:
            asked = demand(control.errors)
            known = self._demands.get(control.name, Demand())
            self._demands[control.name] = known | asked
            given = self.answers.pop(control.name, None)
            if given is not None and control.errors:
                self._refused.setdefault(control.name, []).append(given)
        for control in form.fillable:  # questions that are no longer there
            if control.name not in self.answers:
                continue
            if control.kind in CHOSEN and not _still_offered(control, self.answers[control.name]):
                del self.answers[control.name]

    def pairs(self, form: Form, button: Button | None) -> list[tuple[str, Value]]:
        """What is sent, in the order of the page, with the button that is pressed."""
        sent = [
            (name, value)
            for name in dict.fromkeys(control.name for control in form.controls)
            for value in self.answers[name]
        ]
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
            for value in self.answers[control.name]
        )

    def _answer(
        self, control: Control, before: Mapping[str, tuple[Value, ...]]
    ) -> tuple[Value, ...]:
        name = control.name
        if name in self.known:
            return (self.known[name],)
        if "readonly" in control.limits:
            return (control.value,)
        if TRAP.search(control.words):
            return ("",) if control.kind not in CHOSEN else ()
        asked = self._demands.get(name, Demand())
        try:
            if control.kind in CHOSEN:
                return self._chosen(control, asked)
            if control.kind == "file":
                return self._file(control, asked)
            repeated = before.get(control.kind)
            if repeated and (asked.same or AGAIN.search(control.words.replace("_", " "))):
                return repeated
            return (self._typed(control, asked, before),)
        except (numbers.OutOfRange, texts.NoText) as error:
            if not control.required and not asked.agree:
                return ("",)
            raise Unfillable(control, str(error)) from error

    def _typed(
        self, control: Control, asked: Demand, before: Mapping[str, tuple[Value, ...]]
    ) -> str:
        kind = self._kind(control, asked)
        if kind in ("number", "range"):
            return numbers.number(control, asked, self.chance)
        if kind == "date":
            form = FORMATS[0] if control.kind == "date" else self._format(control)
            return numbers.day(control, asked, self.chance).strftime(form)
        if kind == "month":
            return numbers.day(control, asked, self.chance).strftime("%Y-%m")
        if kind == "week":
            return numbers.day(control, asked, self.chance).strftime("%G-W%V")
        if kind == "datetime-local":
            separator = "T" if control.kind == kind else " "
            return numbers.moment(control, asked, self.chance).strftime(f"%Y-%m-%d{separator}%H:%M")
        if kind == "time":
            return numbers.clock(control, self.chance)
        if kind == "color":
            return f"#{self.chance.randrange(0x1000000):06x}"
        if kind == "password":
            given = before.get("password")
            return str(given[0]) if given else texts.password(control, asked, self.chance)
        return texts.text(control, asked, self.person, self.chance)

    def _kind(self, control: Control, asked: Demand) -> str:
        """The kind of value: the control's own, or what plain text is really for."""
        if control.kind not in ("text", "textarea", "search"):
            return control.kind
        if control.limits.get("pattern"):
            return "text"
        kind = {"integer": "number"}.get(asked.kind, asked.kind)
        bounded = asked.least is not None or asked.most is not None
        if kind or (bounded and not asked.length):
            return kind or "number"
        refused = self._refused.get(control.name)
        numeric = control.limits.get("inputmode") in ("numeric", "decimal")
        if not refused and control.kind == "text":
            if re.search(r"\bdate\b|birthday", control.words.replace("_", " ")):
                return "date"
            if numeric or texts.NUMERIC.search(control.words):
                return "number"
        return "text"

    def _format(self, control: Control) -> str:
        """ISO first; another one after each refusal that did not say anything else."""
        number = len(self._refused.get(control.name, ()))
        asked = self._demands.get(control.name, Demand())
        return FORMATS[0 if asked.when else max(0, number - 1) % len(FORMATS)]

    def _file(self, control: Control, asked: Demand) -> tuple[Value, ...]:
        made = upload(control, asked, self.chance)
        if made is not None:
            return (made,)
        if control.required or asked.agree or asked.extensions:
            wanted = control.limits.get("accept") or ", ".join(asked.extensions)
            raise Unfillable(control, f"no file of its types ({wanted}) can be made")
        return (Upload("", b"", "application/octet-stream"),)

    def _chosen(self, control: Control, asked: Demand) -> tuple[Value, ...]:
        offered = [one for one in control.choices if control.kind != "select" or _meant(one)]
        if control.kind == "checkbox" and len(offered) == 1:
            return self._ticked(control, asked)
        if not offered:
            if control.required or asked.agree:
                raise Unfillable(control, "it offers nothing to choose")
            return ()
        refused = self._refused.get(control.name, [])
        if control.many:
            return self._several(control, asked, offered, refused)
        fresh = [one for one in offered if (one.value,) not in refused]
        return (self.chance.choice(fresh or offered).value,)

    def _several(
        self,
        control: Control,
        asked: Demand,
        offered: Sequence[Choice],
        refused: Sequence[tuple[Value, ...]],
    ) -> tuple[Value, ...]:
        """As many as the errors or the question itself allow."""
        limit = demand((control.label, control.hint)) | asked
        least = max(1, int(limit.least or 1))
        most = min(len(offered), int(limit.most or len(offered)))
        if least > len(offered):
            raise Unfillable(
                control, f"at least {least} are wanted, and it offers {len(offered)} to choose"
            )
        picked: tuple[Value, ...] = ()
        for _ in range(8):
            count = self.chance.randint(least, max(least, most))
            places = sorted(self.chance.sample(range(len(offered)), count))
            picked = tuple(offered[place].value for place in places)
            if picked not in refused:
                break
        return picked

    def _ticked(self, control: Control, asked: Demand) -> tuple[Value, ...]:
        """A box by itself: ticked when it must or may be."""
        value = control.choices[0].value
        if NEVER_TICKED.search(control.name):
            return ()
        refused = self._refused.get(control.name)
        if refused and not asked.agree:
            return () if refused[-1] else (value,)
        wanted = control.required or asked.agree or MEANT_TO_BE_TICKED.search(control.words)
        return (value,) if wanted or self.chance.random() < 0.5 else ()


def _meant(choice: Choice) -> bool:
    """Whether an option is an answer and not the words that stand there before one is given."""
    return bool(choice.value) and not (
        PLACEHOLDER.search(choice.label) and choice.value in ("0", "-1", "none", choice.label)
    )


def _still_offered(control: Control, given: Sequence[Value]) -> bool:
    values = {choice.value for choice in control.choices}
    return all(value in values for value in given)
