"""Which control an error on a page is about."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

ERRORS = (
    "ul.errorlist, ul.errors, .invalid-feedback, p.errornote, .field-error, .error-message, "
    ".help-inline.error, .alert-danger, .alert-error"
)
"""Django's, Bootstrap's and crispy's, WTForms' and Rails' usual marks."""

CONTROLS = "input:not([type=hidden]), select, textarea"
WRONG = "[aria-invalid=true], .is-invalid"

PART = re.compile(r"_(\d+|year|month|day)$")
"""What tells the parts of one question apart."""

UNSAID = "is marked as wrong without a word"


class Blame:
    """The errors of a page, by the name of the control, by the form, and the rest."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._of_names: dict[str, list[str]] = {}
        self._of_forms: dict[int, list[str]] = {}
        self.homeless: list[str] = []
        ids = _described(tree)
        for node in tree.css(ERRORS):
            for text in _sentences(node):
                self._charge(node, text, ids)
        for node in tree.css(WRONG):
            name = node.attributes.get("name")
            if name and name not in self._of_names:
                self._of_names[name] = [UNSAID]

    def of(self, name: str) -> tuple[str, ...]:
        return tuple(self._of_names.get(name, ()))

    def of_form(self, form: LexborNode) -> tuple[str, ...]:
        return tuple(self._of_forms.get(form.mem_id, ()))

    def _charge(self, node: LexborNode, text: str, ids: dict[str, str]) -> None:
        described = ids.get(node.attributes.get("id") or "")
        names = {described} if described else _neighbours(node)
        for name in _meant(names, text):
            self._of_names.setdefault(name, []).append(text)
        if names:
            return
        form = _form_of(node)
        if form is not None:
            self._of_forms.setdefault(form.mem_id, []).append(text)
        else:
            self.homeless.append(text)


def _described(tree: LexborHTMLParser) -> dict[str, str]:
    """Names of controls by the ids of the elements that describe them."""
    return {
        one: name
        for node in tree.css("[aria-describedby][name], [aria-errormessage][name]")
        if (name := node.attributes.get("name"))
        for attribute in ("aria-describedby", "aria-errormessage")
        for one in (node.attributes.get(attribute) or "").split()
    }


def _sentences(node: LexborNode) -> list[str]:
    items = node.css("li") or [node]
    return [text for item in items if (text := " ".join((item.text() or "").split()))]


def _neighbours(node: LexborNode) -> set[str]:
    """The control beside an error, going outwards, or the parts of one control."""
    marks = node.attributes.get("class") or ""
    if "nonfield" in marks or marks in ("errornote", "alert"):
        return set()
    current: LexborNode | None = node
    while current is not None and current.tag not in ("form", "body"):
        after = _next_element(current)
        names = _names(current) or _names(after)
        if names:
            around = _names(current.parent)  # the parts of one control stand side by side
            whole = around if len(names) == 1 and _is_one(around) else names
            return whole if _is_one(whole) else set()
        current = current.parent
    return set()


def _is_one(names: set[str]) -> bool:
    """Whether these are the parts of one control."""
    return len({PART.sub("", name) for name in names}) == 1


def _meant(names: set[str], text: str) -> set[str]:
    """Of Django's split date and time, the part that an error is about."""
    ends = {"valid date.": "_0", "valid time.": "_1"}
    end = next((end for words, end in ends.items() if text.endswith(words)), "")
    return {name for name in names if name.endswith(end)} or names


def _next_element(node: LexborNode) -> LexborNode | None:
    after = node.next
    while after is not None and not str(after.tag).isalnum():  # text between elements
        after = after.next
    return after


def _names(node: LexborNode | None) -> set[str]:
    if node is None:
        return set()
    return {name for one in node.css(CONTROLS) if (name := one.attributes.get("name"))}


def _form_of(node: LexborNode) -> LexborNode | None:
    current = node.parent
    while current is not None and current.tag != "form":
        current = current.parent
    return current
