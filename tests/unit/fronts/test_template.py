"""Placeholders of a configuration."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UsageError
from benchsuite.fronts.program import filled


def own(folder: Path, text: str) -> Path:
    path = folder / "own.conf"
    path.write_text(text)
    return path


def test_fills_in_values_and_leaves_the_programs_own_signs_alone(tmp_path: Path) -> None:
    path = own(tmp_path, "listen @{port}; set $host @named; location @failed {}")
    assert filled("nginx.conf", {"port": 80}, own=path) == (
        "listen 80; set $host @named; location @failed {}"
    )


def test_a_placeholder_for_nothing_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = own(tmp_path, "listen @{prot};")
    with pytest.raises(UsageError, match=r"placeholder 'prot'; .* There are: host, port"):
        filled("nginx.conf", {"port": 80, "host": "h"}, own=path)


def test_a_template_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"template {tmp_path} can't be read"):
        filled("nginx.conf", {}, own=tmp_path)
