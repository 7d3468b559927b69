"""Settings that slow a project down in ways that production would not: pure functions."""

from collections.abc import Mapping
from typing import Any

Settings = Mapping[str, Any]

TOOLS = {
    "debug_toolbar": "Django Debug Toolbar",
    "silk": "Silk",
    "pyinstrument": "pyinstrument",
    "kolo": "Kolo",
    "nplusone": "nplusone",
    "querycount": "django-querycount",
}
"""Top-level packages that record or show what each request does."""
ENGINE = "django.template.backends.django.DjangoTemplates"
CACHED = "django.template.loaders.cached.Loader"
SQL_LOGGERS = ("django.db.backends", "django.db")


def slowing(settings: Settings) -> dict[str, str]:
    """Setting → what in it slows each request down."""
    reasons = {}
    for name in ("MIDDLEWARE", "INSTALLED_APPS"):
        packages = (str(path).partition(".")[0] for path in settings.get(name) or ())
        tools = list(dict.fromkeys(TOOLS[package] for package in packages if package in TOOLS))
        if tools:
            reasons[name] = f"{' and '.join(tools)} {'is' if len(tools) == 1 else 'are'} installed"
    for engine in settings.get("TEMPLATES") or ():
        # Django keeps compiled templates unless loaders are named and that which keeps them is not.
        loaders = (engine.get("OPTIONS") or {}).get("loaders") or ()
        names = [loader if isinstance(loader, str) else loader[0] for loader in loaders]
        if engine.get("BACKEND") == ENGINE and names and CACHED not in names:
            reasons["TEMPLATES"] = f"loaders without {CACHED} compile templates for each page"
    return reasons


def undone(settings: Settings) -> dict[str, str]:
    """Setting → what would slow requests down if runs did not turn DEBUG off."""
    if not settings.get("DEBUG"):
        return {}
    reasons = {"DEBUG": "was True, so that every SQL statement is kept in memory"}
    # Django logs SQL at DEBUG, to `django.db.backends`, and only while DEBUG is True.
    loggers = (settings.get("LOGGING") or {}).get("loggers") or {}
    if any((loggers.get(name) or {}).get("level") == "DEBUG" for name in SQL_LOGGERS):
        reasons["LOGGING"] = "wrote every SQL statement to the log"
    return reasons
