"""A study to read, as a text that tests change."""

from pathlib import Path

from benchsuite.studies import reading
from benchsuite.studies.options import Known, Takes
from benchsuite.studies.study import Study
from tests.study_factories import STUDIES

KNOWN: Known = {
    **dict.fromkeys(("workload", "users", "rate", "spawn-rate"), Takes.VALUE),
    **dict.fromkeys(("warmup", "duration", "messages", "max-connections"), Takes.VALUE),
    **dict.fromkeys(("delay-to-database",), Takes.VALUE),
    **dict.fromkeys(("option", "workload-option"), Takes.PAIRS),
    **dict.fromkeys(("server", "fill"), Takes.SEVERAL),
    **dict.fromkeys(("keep-alive", "no-keep-alive"), Takes.FLAG),
}

TEXT = (STUDIES / "routes.toml").read_text()


def changed(*changes: tuple[str, str]) -> str:
    """The text with other lines; each must be there once."""
    found = TEXT
    for old, new in changes:
        assert found.count(old) == 1, old
        found = found.replace(old, new)
    return found


def study(text: str = TEXT) -> Study:
    return reading.parse(text, Path("shop.toml"), KNOWN)
