"""How many surveys were completed: what a run's claims are held against."""

from collections.abc import Mapping

from benchsuite.target.survey.store import DatabaseStore, store


def counts(using: str | None = None) -> Mapping[str, int]:
    """The stored "participations", "completions", "answers" and "uploads".

    Of the store that is in use; with `using`, of the database of that alias.
    """
    return (DatabaseStore(using) if using else store()).counts()


def completions(using: str | None = None) -> int:
    """The stored completions."""
    return counts(using)["completions"]
