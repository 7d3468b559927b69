"""Where the pages of runs are, for people who read a terminal or a file."""

from uuid import UUID

from benchsuite import conf


def of_list() -> str:
    return str(conf.config()["CONSOLE_URL"])


def of_run(pk: UUID) -> str:
    return f"{of_list()}{pk}/"


def of_batch(batch: UUID) -> str:
    """The runs of one command, compared."""
    return f"{of_list()}compare/?batch={batch}"


def of_study(name: str, execution: UUID | None = None) -> str:
    return f"{of_list()}studies/{name}/{f'?execution={execution}' * bool(execution)}"


def of_tunings() -> str:
    return f"{of_list()}tune/"


def of_tuning(pk: UUID) -> str:
    return f"{of_tunings()}{pk}/"
