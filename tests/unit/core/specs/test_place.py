"""A run's databases are its own: no setting names another one."""

from tests.golden import Golden

ENTRY = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}


def test_values(golden: Golden) -> None:
    golden.values()
