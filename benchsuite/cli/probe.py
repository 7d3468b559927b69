"""What a project says of itself: run by the project's own Python, through its manage.py.

`python -c SOURCE MANAGE_PY SETTINGS`, with the standard library and any Django, writes one line of
JSON after whatever the project prints. SETTINGS may be empty.
"""

import json
import os
import runpy
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

MARK = "benchsuite-probe:"  #: Begins the line.
MOST = 200  #: Pages.
ADMINS = ("admin", "djdt")  #: Apps of pages that nobody measures first.
VALUES = (
    *("BASE_DIR", "DEBUG", "INSTALLED_APPS", "DATABASES", "CHANNEL_LAYERS", "FIXTURE_DIRS"),
    *("WSGI_APPLICATION", "ASGI_APPLICATION", "ROOT_URLCONF"),
)
"""Settings that commands look at before a run."""


class _Reached(BaseException):
    """manage.py has come to the command that it would execute."""


def _execute(self: object) -> None:
    raise _Reached


def _manage(path: str) -> None:
    """Runs manage.py up to its command, so that all it sets, reads and imports has happened."""
    from django.core import management

    management.ManagementUtility.execute = _execute  # type: ignore[method-assign]
    sys.argv = [path, "check"]
    with suppress(_Reached):
        runpy.run_path(path, run_name="__main__")
        raise RuntimeError(f"{path} ends without Django's command line")


def _pages(resolver: Any, prefix: str = "/") -> Iterator[str]:
    """Paths of the URLconf that need no argument."""
    from django.utils.regex_helper import normalize

    for patterns, *_ in resolver.reverse_dict.values():
        yield from (prefix + path for path, names in patterns if not names)
    for inner, below in resolver.namespace_dict.values():
        start, names = normalize(inner)[0]
        if below.app_name not in ADMINS and not names:
            yield from _pages(below, prefix + start)


def _look(path: str, settings_module: str, report: dict[str, Any]) -> None:
    """Fills the report as far as the project can be loaded."""
    before, folders = dict(os.environ), list(sys.path)
    asked = {"DJANGO_SETTINGS_MODULE": settings_module} if settings_module else {}
    os.environ.update(asked)
    _manage(path)
    os.environ.update(asked)  # as with manage.py's own option
    report["environment"] = {
        name: value for name, value in os.environ.items() if before.get(name) != value
    }
    own = [folder for folder in sys.path if folder == os.getcwd() or folder not in folders]
    report["folders"] = list(map(os.path.abspath, own))
    import django

    report["settings"] = os.environ.get("DJANGO_SETTINGS_MODULE", "")
    report["django"] = django.get_version()
    report["python"] = sys.executable  # which a shim chooses by the folder
    from django.conf import settings

    django.setup()
    report["values"] = {name: getattr(settings, name, None) for name in VALUES}
    from django.urls import Resolver404, get_resolver
    from django.utils.translation import activate, get_supported_language_variant

    with suppress(LookupError):  # as for visitors: LANGUAGES may have but "en" of "en-us"
        activate(get_supported_language_variant(settings.LANGUAGE_CODE))
    resolver = get_resolver()
    pages = {*_pages(resolver)} - {"/"}
    report["pages"] = sorted(pages, key=lambda page: (page.count("/"), page))[:MOST]
    with suppress(Resolver404):
        resolver.resolve("/")  # which a pattern for any path may do
        report["pages"].insert(0, "/")


def main() -> None:
    report: dict[str, Any] = {}
    sys.path[0] = os.getcwd()
    try:
        _look(sys.argv[1], sys.argv[2], report)
    except BaseException as error:  # noqa: BLE001 - whatever a project does is reported
        report["fault"] = f"{type(error).__name__}: {error}"
    sys.stdout.write(f"\n{MARK}{json.dumps(report, default=str)}\n")
    sys.stdout.flush()
    os._exit(0)  # whatever threads the project has started


if __name__ == "__main__":
    main()
