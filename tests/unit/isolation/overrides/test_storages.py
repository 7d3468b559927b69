"""Where the files of a project's own storage are in a run."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage

from benchsuite.isolation.overrides.backends import storage_of_the_run


class Own(FileSystemStorage):
    """A class of the project's."""


class Elsewhere(Own):
    """One with a place of its own, out of reach of any setting."""

    def __init__(self) -> None:
        super().__init__(location="/theirs")


@pytest.mark.parametrize(
    ("kind", "options", "wanted"),
    [
        (Own, {}, "media"),
        (Own, {"location": "{media}/private"}, "media/private"),
        (Own, {"location": "/theirs"}, "place"),
        (Elsewhere, {}, "place"),
    ],
)
def test_it_is_with_the_uploads_where_it_was(
    kind: type, options: dict[str, str], wanted: str, tmp_path: Path, settings: Any
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    given = {key: one.format(media=settings.MEDIA_ROOT) for key, one in options.items()}
    made: Any = storage_of_the_run(
        original=f"{__name__}.{kind.__name__}", options=given, place=str(tmp_path / "place")
    )
    assert type(made) is kind
    assert made.location == str(tmp_path / wanted)
