"""The robot: `walk.complete()` completes any multi-page HTML form from a URL and a client, without
Django or Locust; call `ensure_installed()` before you import it.
"""

from importlib.util import find_spec

from benchsuite.core.exceptions import UnavailableError


def ensure_installed() -> None:
    """Raises UnavailableError, with the command that helps, when a package is missing."""
    needed = ("Faker", "phonenumbers", "regex", "selectolax")
    if missing := [name for name in needed if find_spec(name.lower()) is None]:
        install = 'pip install "django-benchsuite[robot]"'
        raise UnavailableError(f"The robot needs {', '.join(missing)}: {install}")
