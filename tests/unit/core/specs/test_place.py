"""A run's databases are its own: no setting names another one."""

ENTRY = {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}


def test_values(golden):
    golden.values()
