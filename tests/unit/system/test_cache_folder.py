"""Where the cache is."""

from pathlib import Path

import pytest

from benchsuite.system.folders import cache_folder


@pytest.mark.parametrize(
    ("variable", "chosen", "xdg", "expected"),
    [
        ("/there", "/chosen", "/xdg", "/there"),
        ("", "/chosen", "/xdg", "/chosen"),
        ("", None, "/xdg", "/xdg/benchsuite"),
        ("", None, "", "/home/me/.cache/benchsuite"),
        ("", None, "not/absolute", "/home/me/.cache/benchsuite"),
        ("", "~/kept", "", "/home/me/kept"),
    ],
)
def test_the_folder_is_the_variable_s_then_the_chosen_then_the_user_s(
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    chosen: str | None,
    xdg: str,
    expected: str,
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("BENCHSUITE_CACHE", variable)
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert cache_folder(chosen) == Path(expected)
