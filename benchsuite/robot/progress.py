"""The outcome of a sent form, by structure alone: refused, on to the next page, or ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from benchsuite.robot.choosing import goes_on, main_form
from benchsuite.robot.encoding import Value
from benchsuite.robot.forms import Form, Page
from benchsuite.robot.validation_errors import with_errors

FEW = 2  #: Controls of a form that may stand beside the end, as for a newsletter.


class Fate(Enum):
    BACK = auto()  #: The form came back to be corrected.
    NEXT = auto()
    ENDED = auto()  #: Nothing is left to fill; whether the form was taken is another question.
    REFUSED = auto()  #: An error status, without the form.


@dataclass(frozen=True, slots=True)
class Arrival:
    """A page, and the way to it."""

    path: str
    page: Page
    status: int = 200
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    fate: Fate
    form: Form | None = None  #: The one that came back, with its errors, or the next one.
    doubt: str = ""  #: Why the end proves nothing.


def outcome(
    sent: Form, page: Page, given: Mapping[str, tuple[Value, ...]], arrival: Arrival, *, at: str
) -> Outcome:
    """The outcome of a form at that path, compared with its page before anything was sent.

    `given` are the answers by key.
    """
    after, status, path = arrival.page, arrival.status, arrival.path.partition("?")[0]
    elsewhere = arrival.redirected and path != at.partition("?")[0]
    back = _same(sent, page, after, elsewhere=elsewhere)
    if back is not None:
        read = with_errors(page, after, sent, back)
        kept = _kept(sent, back, given)
        wrong = any(control.errors or control.marked for control in read.controls)
        if status >= 400 or wrong or (kept and sent.method == "post" and not arrival.redirected):
            return Outcome(Fate.BACK, form=read)
        if elsewhere and not kept and not read.wrong:
            return Outcome(Fate.NEXT, form=back)
        return Outcome(Fate.ENDED, doubt="the form came back, without a complaint about a field")
    if status >= 400:
        return Outcome(Fate.REFUSED)
    beside = {form.furniture for form in page.forms if form.furniture != sent.furniture}
    following = main_form(after, beside=beside)
    if following is None:
        return Outcome(Fate.ENDED)
    few = len(following.fillable) <= FEW and following.action not in ("", sent.action, path)
    if few and not goes_on(following):
        return Outcome(Fate.ENDED, doubt=f"the last page has another form ({following.action})")
    return Outcome(Fate.NEXT, form=following)


def _same(sent: Form, page: Page, after: Page, *, elsewhere: bool) -> Form | None:
    """The same questions on another page, by their names and labels."""
    asked = {control.key: control for control in sent.fillable}
    if not asked:
        return (
            next((one for one in after.forms if one.furniture == sent.furniture), None)
            if (page.texts == after.texts)
            else None
        )
    best = max(after.forms, key=lambda one: len(asked.keys() & one.keys), default=None)
    shared = asked.keys() & best.keys if best is not None else frozenset()
    if best is None or 2 * len(shared) < min(len(asked), len(best.keys)) or not shared:
        return None
    labelled = [label for key in shared if (label := asked[key].label)]
    if not labelled:
        return best if not elsewhere or page.headings == after.headings else None
    there = "\n".join(after.texts)
    now = {control.key: control.label for control in best.fillable}
    kept = [one for one in labelled if one in now.values() or one in there]
    return best if 2 * len(kept) > len(labelled) else None


def _kept(sent: Form, back: Form, given: Mapping[str, tuple[Value, ...]]) -> bool:
    """Whether the form shows the answers just given."""
    before = {control.key: control.state for control in sent.fillable}
    told = [
        control.state == tuple(map(str, given[control.key]))
        for control in back.fillable
        if control.kind not in ("password", "file")
        and control.key in given
        and tuple(map(str, given[control.key])) != before.get(control.key)
    ]
    return bool(told) and 2 * sum(told) >= len(told)
