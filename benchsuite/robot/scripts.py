"""What was seen on a page that only JavaScript does; the plain robot runs none."""

from benchsuite.robot.forms import Form, Page

SCRIPTS = (
    "script:not([type]), script[type=''], script[type*=javascript i], script[type=module], "
    "[onclick]"
)
LOOSE = "input:not([type=hidden]):not(form *), select:not(form *), textarea:not(form *)"


def needed(page: Page, form: Form | None) -> str:
    """Why a page, or the form on it, can't be sent without scripts; empty if nothing says so."""
    if page.tree is None or page.tree.css_first(SCRIPTS) is None:
        return ""
    if form is None:
        without = (" ".join((one.text() or "").split()) for one in page.tree.css("noscript"))
        if words := next(filter(None, without), ""):
            return f"it says without: {words}"
        if not page.texts:
            return "there are scripts on it, and nothing else"
        return "its fields are in no form" if page.tree.css_first(LOOSE) is not None else ""
    if form.action.lower().startswith("javascript:"):
        return "its form is sent to a script"
    alone = len(form.fillable) == 1 and page.tree.css_first("form button, [type=button]") is None
    return "" if form.buttons or alone else "its form has no button that sends it"


def ignored(page: Page, form: Form, after: Page) -> str:
    """Why a form seems to be for a script: it names no address, and sending it changed nothing."""
    unnamed = form.method == "get" and form.action in ("", "#") and page.texts == after.texts
    scripts = page.tree is not None and page.tree.css_first(SCRIPTS) is not None
    return "its form has no address, and sending it changes nothing" if unnamed and scripts else ""
