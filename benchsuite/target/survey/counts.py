"""How many surveys were completed, to verify a run's claims."""

from collections.abc import Mapping

from benchsuite.target.survey.store import DatabaseStore, store


def counts(using: str | None = None) -> Mapping[str, int]:
    """The stored "participations", "completions", "answers" and "uploads".

    From the configured store; with `using`, from the database of that alias.
    """
    return (DatabaseStore(using) if using else store()).counts()


def completions(using: str | None = None) -> int:
    """The number of stored completions."""
    return counts(using)["completions"]
