"""The outcome of a sent form: it came back, led to the next page, was accepted or lost."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from benchsuite.robot.choosing import asks_who, main_form
from benchsuite.robot.encoding import Value
from benchsuite.robot.forms import Form, Page
from benchsuite.robot.validation_errors import new_texts, with_errors

PRAISE = re.compile(
    r"\b(?:thanks?\b|thank you|success(?!\W{1,4}(?:false|0))|submitted|received|saved|"
    r"sent\b|complete[d]?\b|confirmed|"
    r"registered|welcome|created|added|congrat|we have your|vielen dank|danke|erfolgreich|gesendet|"
    r"versandt|gespeichert|eingegangen|übermittelt|abgeschlossen|bestätigt|angelegt|willkommen|"
    r"merci|succès|envoyé|enregistré|reçue?s?\b|confirmée?s?\b|terminée?s?\b|"
    r"bienvenue|félicitations|"
    r"gracias|éxito|grazie|obrigad|bedankt|dank u|tack\b|tak\b|kiitos|dziękujemy|děkujeme)",
    re.I,
)
DONE = r"(?:sent|saved|submitted|received|taken|accepted|processed|stored|completed|found|valid)"
FAILURE = re.compile(
    r"\b(?:errors?\b|(?:success|ok)\W{1,4}(?:false|0)\b|fail(?:ed|ure|s)\b|sorry|"
    r"went wrong|invalid|expired|denied|forbidden|rejected|"
    r"timed? ?out\b|try again|start (?:again|over)|please (?:correct|check|fix|"
    r"review)|problem|unable|"
    rf"(?:could|can|was|were|has|have|is|are|did)(?: ?n[o'’]t|not)\b[^.!]{{0,30}}{DONE}|"
    r"(?:could|can)(?:not| not|n['’]t)|nothing was|no longer|fehler|fehlgeschlagen|"
    r"abgelaufen|ungültig|"
    r"leider|abgelehnt|erneut versuchen|(?:konnten?|wurden?) nicht|nichts|"
    r"bitte (?:prüfen|korrigieren)|"
    r"erreurs?\b|échou|échec|expiré|invalide|désolé|refusé|impossible|réessayer|"
    r"n['’]a pas|n['’]ont pas)",
    re.I,
)
FEW = 2  #: Controls of a form beside the thanks.


class Fate(Enum):
    BACK = auto()  #: The form came back to be corrected.
    NEXT = auto()
    DONE = auto()
    LOST = auto()  #: The page reports a failure and has no form to correct.


@dataclass(frozen=True, slots=True)
class Outcome:
    fate: Fate
    form: Form | None = None  #: The one that came back, with its errors, or the next one.
    words: str = ""  #: The page's text, if it was lost.


def outcome(
    sent: Form,
    page: Page,
    given: Mapping[str, tuple[Value, ...]],
    after: Page,
    *,
    status: int,
    elsewhere: bool,
) -> Outcome:
    """The outcome of a form, compared with its page before anything was sent.

    `given` are the answers by key; `elsewhere` says that the server redirected.
    """
    if after.completion_code:
        return Outcome(Fate.DONE)
    back = _same(sent, page, after)
    if back is not None:
        said = tone(new_texts(page, after), after.headings)
        return _returned(sent, page, given, after, back, said, status=status, elsewhere=elsewhere)
    beside = {form.furniture for form in page.forms if form.furniture != sent.furniture}
    following = main_form(after, beside=beside)
    if following is None:
        lost = tone(new_texts(page, after), after.headings) == "failure"
        return Outcome(Fate.LOST, words=" ".join(after.texts)) if lost else Outcome(Fate.DONE)
    small = len(following.fillable) <= FEW and following.action not in ("", sent.action)
    aside = small or asks_who(following)
    if aside and tone(new_texts(page, after), after.headings) == "praise":
        return Outcome(Fate.DONE)
    return Outcome(Fate.NEXT, form=following)


def tone(texts: list[str], headings: tuple[str, ...] = ()) -> str:
    """praise, failure or nothing, whichever comes first; headings weigh more than texts."""
    fresh = [one for one in headings if any(one in text or text in one for text in texts)]
    for words in (" . ".join(fresh), " . ".join(texts)):
        praise, failure = PRAISE.search(words), FAILURE.search(words)
        if failure and not (praise and praise.start() < failure.start()):
            return "failure"
        if praise:
            return "praise"
    return ""


def _returned(
    sent: Form,
    page: Page,
    given: Mapping[str, tuple[Value, ...]],
    after: Page,
    back: Form,
    said: str,
    *,
    status: int,
    elsewhere: bool,
) -> Outcome:
    read = with_errors(page, after, sent, back)
    kept = _kept(sent, back, given)
    marked = any(control.marked for control in back.controls)
    if status < 400 and not marked:
        if said == "praise":
            return Outcome(Fate.DONE)
        beyond = sent.method == "get" and not any(control.errors for control in read.controls)
        if beyond and said != "failure" and read.errors:  # what was asked for, below the question
            return Outcome(Fate.DONE)
        if elsewhere and not kept and not read.wrong:
            return Outcome(Fate.NEXT, form=back)
    return Outcome(Fate.BACK, form=read)


def _same(sent: Form, page: Page, after: Page) -> Form | None:
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
        return best if page.headings == after.headings else None
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
