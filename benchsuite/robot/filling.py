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
from benchsuite.robot.constraints import ANY, NOTHING, TINY, UNCLEAR, Constraint, Range, constraint
from benchsuite.robot.forms import CHOSEN, Control, Form, Option, Pairs, Upload, Values
from benchsuite.robot.texts import Writer
from benchsuite.robot.validity import NUMBERS, SCALES, invalid, point
from benchsuite.robot.words import about, like, mask, masks, part_of_date, says, without

NEVER_TICKED = re.compile(r"(-clear|-DELETE|_destroy\]?|\bdelete)$")
FORMATS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d/%m/%Y")  #: Tried in order for days.
FORMAT_OF = {"de": "%d.%m.%Y", "fr": "%d/%m/%Y", "es": "%d/%m/%Y"}
ROW = re.compile(r"[-_.\[](\d+)(?=[-_.\]])")  #: The number of a row of a formset in a name.
SPREADS = (10, 1000, 1, 10_000, 50, 100_000, 5)  #: Of numbers, after unreadable errors.

MADE = 500  #: Values that are held against the limits before a control counts as unfillable.
REDRAWN = 20  #: How many of them are numbers or moments.
TEXTUAL = frozenset(("text", "textarea", "search", "tel"))
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
    _turns: dict[str, int] = field(default_factory=dict)  #: Refusals without a reason.
    _unread: bool = False  #: Whether the form was refused by words that nothing could be read of.

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
                given += [one.label for one in control.choices if one.value in given]
                self._region = texts.region(*given) or self._region

    def mend(self, form: Form) -> None:
        """Forgets the answers that errors are about, or all if nothing is said; notes the rest."""
        wrong = {one.key: constraint(one.errors) for one in form.fillable if one.errors}
        whole = constraint(form.errors)
        distinct = Constraint(says=whole.says & {"distinct"})
        given = {control.key: self.answers.get(control.key, ()) for control in form.fillable}
        for place, control in enumerate(form.fillable):
            if control.key in wrong and _again(control) and "same" not in wrong[control.key].says:
                alike = [one.key for one in form.fillable[:place] if one.kind == control.kind]
                wrong = dict.fromkeys(alike[-1:], wrong[control.key]) | wrong  # what it repeats
            peers = (given[peer.key] for peer in _peers(control, form.fillable[:place]))
            repeats = distinct != NOTHING and given[control.key] in peers
            if repeats or ("same" in whole.says and distinct == NOTHING and _again(control)):
                wrong[control.key] = distinct
        if not wrong and not form.errors:
            wrong = {control.key: NOTHING for control in form.fillable}
        unread = not (wrong or distinct.says)
        for control in form.fillable:
            offered = {choice.value for choice in control.choices}
            lost = control.kind in CHOSEN and not offered.issuperset(given[control.key])
            if control.key in wrong:
                self._refuse(control, wrong[control.key])
            elif lost or _again(control) or (unread and self._unread):  # others may help
                self.answers.pop(control.key, None)
        self._unread |= unread

    def _refuse(self, control: Control, required: Constraint) -> None:
        known = self._learned.get(control.key, NOTHING)
        if required == Constraint(kind=required.kind) or known | required == known:
            self._turns[control.key] = self._turns.get(control.key, 0) + 1
        self._learned[control.key] = known | required
        given = self.answers.pop(control.key, ())
        if (limits := required.of(UNCLEAR)) != ANY and given:  # of its length, or of a number
            fits = len(text := str(given[0])) in limits or control.key in self._turns
            unit = "" if fits or text.isdecimal() or control.kind in NUMBERS else "characters"
            self._learned[control.key] |= Constraint(ranges={unit: limits})
        self._refused.setdefault(control.key, []).append(given)

    def pairs(self, controls: Sequence[Control]) -> Pairs:
        """Names and answers, in the order of the page."""
        return tuple((one.name, value) for one in controls for value in self.answers[one.key])

    def _answer(self, control: Control) -> Values:
        if control.name in self.known:
            return (self.known[control.name],)
        if control.fixed:
            return control.state
        if says("trap", control.words):
            return ("",) if control.kind not in CHOSEN else ()
        learned = self._learned.get(control.key, NOTHING)
        hint = NOTHING if "pattern" in control.limits else constraint((control.label, control.hint))
        digits = "digits" if hint.of("digits").most is not None else ""
        shown = Constraint(ranges=hint.ranges, step=hint.step, example=hint.example, kind=digits)
        if control.kind in CHOSEN:
            return self._chosen(control, shown | learned)
        if control.kind == "file":
            made = texts.upload(control, learned, self.chance)
            if made is None and (self._needed(control) or learned.extensions):
                wanted = control.limits.get("accept") or ", ".join(learned.extensions)
                raise Unfillable(control, f"there is no sample of its types ({wanted})")
            return (made or Upload(),)
        if "same" in learned.says or _again(control):
            words = without("again", control.name.replace("_", " "))
            base = words.strip(" -.[]2").replace(" ", "_")
            known = self.answers.get(base) if base != control.name else None
            original = known or self._before(control)
            is_sure = known or control.kind == "password"  # of texts, codes are confirmed, too
            with suppress(ValueError):  # of a pattern that can't be read
                if original and (is_sure or not invalid(control, str(original[0]))):
                    return original
        marked = any(asked.required for asked in self._asked)
        was_refused = self._unread or control.key in self._turns
        if marked and was_refused and not self._needed(control):
            return ("",)  # as people leave what is not required, such as a voucher's code
        errors = []
        for asked in (shown | learned, learned, NOTHING):  # what was misread asks too much
            try:
                return (self._typed(control, asked),)
            except (ValueError, OverflowError) as error:
                errors.append(error)
        if self._needed(control):
            raise Unfillable(control, str(errors[0])) from errors[0]
        return ("",)

    def _needed(self, control: Control) -> bool:
        """Whether it is declared to be required, or was refused when it was empty."""
        refused = self._refused.get(control.key, [])
        return control.required or any(not any(map(str, given)) for given in refused)

    def _before(self, control: Control) -> Values | None:
        before = self._asked[: self._asked.index(control)]
        alike = [one.key for one in before if one.kind == control.kind]
        return self.answers.get(alike[-1]) if alike else None

    def _others(self, control: Control, asked: Constraint) -> list[Values]:
        differ = "distinct" in asked.says or ROW.search(control.name)
        peers = _peers(control, self._asked) if differ else []
        return [self.answers[peer.key] for peer in peers if peer.key in self.answers]

    def _typed(self, control: Control, asked: Constraint) -> str:
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
            region = texts.region(*re.findall(r"\b[A-Z]{2}\b", spoken), self._region)  # UK postcode
            refusals = turns if asked == NOTHING or kind == "password" else 0
            writer = Writer(person, self.chance, self.language, region, refusals)
            if control.kind in TEXTUAL and (part := self._part(control)):
                yield writer.fact(part)
            yield from texts.texts(control, asked, writer)

    def _points(self, control: Control, kind: str, asked: Constraint, turns: int) -> Iterator[str]:
        """Numbers, days and moments; others, if limits allow, after each refusal without a word."""
        native, limits, guess = control.kind == kind, control.limits, asked
        if kind in NUMBERS and turns and asked.of("").most is None and "max" not in limits:
            spread = SPREADS[(turns - 1) % len(SPREADS)]
            with suppress(ValueError):
                low = Fraction(limits.get("min") or asked.of("").whole[0])
                size = Range(least=low + Fraction(spread, 2), most=low + spread)
                guess |= Constraint(ranges={"": size})
        forms = [""]
        if kind == "date" and not native:  # those shown, then the usual ones; others after refusals
            shown = mask(asked.example)[1], *masks(control), FORMAT_OF.get(self.language), *FORMATS
            forms = list(filter(None, dict.fromkeys(shown)))
        if turns // len(forms) % 2 and kind not in NUMBERS and asked.of("date") == ANY:
            later = Range(least=Fraction(date.today().toordinal() + 1))
            guess |= Constraint(ranges={"date": later})
        first = 0 if asked.example else turns % len(forms)
        forms = forms[first:] + forms[:first]
        for form in (form for form in forms for _ in range(REDRAWN)):
            try:
                value = point(control, kind, guess, self.chance)
            except ValueError:
                value = point(control, kind, asked, self.chance)
            value = value if native else value.replace("T", " ")
            yield date.fromisoformat(value).strftime(form) if form else value

    def _beside(self, control: Control, asked: Constraint) -> Constraint:
        """What must be later or earlier than another answer: the one named, else its neighbour."""
        later = "later" in asked.says
        if not asked.says & {"later", "earlier"}:
            return NOTHING
        peers = [peer for peer in self._asked if peer.kind == control.kind]
        place, words = peers.index(control), " ".join(control.errors).lower()
        labels = {peer.key: peer.label.lower().strip(" *:?.") for peer in peers if peer != control}
        named = [peer for peer in peers if labels.get(peer.key) and labels[peer.key] in words]
        near = peers[:place][::-1] if later else peers[place + 1 :]
        counted = control.kind in NUMBERS
        for other in (*named, *near):
            given = "".join(map(str, self.answers.get(other.key, ())))
            with suppress(ValueError):
                end = Fraction(given if counted else date.fromisoformat(given[:10]).toordinal())
                limits = Range(least=end + TINY) if later else Range(most=end - TINY)
                return Constraint(ranges={"" if counted else "date": limits})
        return NOTHING

    def _part(self, control: Control) -> str:
        """day, month or year, for a date in several fields; a long day alone is a whole date."""
        part, parts = part_of_date(control), {*map(part_of_date, self._asked)}
        is_whole = "month" not in parts and control.limits.get("maxlength") not in ("1", "2")
        return "" if part == "day" and is_whole else part

    def _kind(self, control: Control, asked: Constraint) -> str:
        plain = control.kind == "text"
        if control.kind not in TEXTUAL:
            return control.kind
        if self._part(control) or control.kind == "tel":
            return "text"
        kind = {"integer": "number"}.get(asked.kind, asked.kind)
        aged = asked.of("years") != ANY
        day = about(control) == "date" or part_of_date(control) == "day"
        day = day or any("%d" in form for form in masks(control))
        counted = asked.of("") != ANY or aged or asked.step is not None
        if asked.of("date") != ANY or (aged and day):
            return "date"
        if asked.example and not day:
            return "text"
        if kind or (counted and not day):
            return kind if kind in SCALES else "text" if kind else "number"
        if day and plain:
            return "date"
        refused = control.key in self._refused and asked == NOTHING
        shown = like(control.limits.get("placeholder", ""), date.today().isoformat, Random(0))
        digits = control.limits.get("inputmode") in ("numeric", "decimal")
        numeric = (digits or says("count", control.words)) and not about(control)
        return "number" if plain and numeric and not refused and not shown else "text"

    def _chosen(self, control: Control, asked: Constraint) -> Values:
        offered = [one.value for one in control.choices if not _is_placeholder(one, control.kind)]
        refused, further = self._refused.get(control.key, []), self._others(control, asked)
        if control.kind == "checkbox" and len(offered) == 1:
            wanted = control.required or says("agree", control.words)
            if NEVER_TICKED.search(control.name) or (refused and refused[-1]):
                return ()
            return tuple(offered) if refused or wanted or self.chance.random() < 0.5 else ()
        if not offered:
            if self._needed(control):
                raise Unfillable(control, "it offers nothing to choose")
            return ()
        if about(control) in COUNTRY and not control.many:
            named = {one.value: texts.region(one.value, one.label) for one in control.choices}
            offered = [one for one in offered if named[one] in texts.COUNTRIES] or offered
        if not control.many:
            picked = self.chance.sample(offered, len(offered))
            return (min(picked, key=lambda value: ((value,) in refused, (value,) in further)),)
        least, most = asked.of("").whole
        least = max(1, least) if least <= len(offered) else 1  # more was misread, as of a year
        most = min(len(offered), most or len(offered))
        for _ in range(REDRAWN):
            count = self.chance.randint(least, max(least, most))
            several = tuple(sorted(self.chance.sample(offered, count), key=offered.index))
            if several not in refused:
                break
        return several


def _peers(control: Control, controls: Sequence[Control]) -> list[Control]:
    """Controls that ask the same: of the same name but for a number, or with the same choices."""

    def question(of: Control) -> object:
        values = [option.value for option in of.choices]
        return of.kind, ROW.sub("#", of.name) if ROW.search(control.name) else values

    return [one for one in controls if one is not control and question(one) == question(control)]


def _again(control: Control) -> bool:
    kinds = ("email", "password", "text", "tel", "url")
    return control.kind in kinds and says("again", control.words)


def _is_placeholder(choice: Option, kind: str) -> bool:
    unset = choice.value in ("0", "-1", "none", choice.label) and says("placeholder", choice.label)
    return kind == "select" and (unset or not choice.value)
