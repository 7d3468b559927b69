"""Why a profiler can't look at processes, as a sentence."""

from pathlib import Path

import pytest

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.interpreter import Interpreter
from benchsuite.telemetry import profiler

DENIED = "Permission Denied: Try running again with elevated permissions by going 'sudo env !!'"


@pytest.mark.parametrize(
    ("scope", "way_out"),
    [("1\n", "ptrace_scope=0"), ("0\n", "--cap-add=SYS_PTRACE"), (None, "--cap-add=SYS_PTRACE")],
)
def test_a_kernel_that_refuses_is_told_with_the_way_out(
    scope: str | None, way_out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ptrace_scope"
    if scope is not None:
        file.write_text(scope)
    monkeypatch.setattr(profiler, "PTRACE_SCOPE", file)
    said = profiler.refusal(DENIED, "Python 3.13.1")
    assert said.startswith("--flame reads the memory of the server's processes, which the kernel")
    assert way_out in said


def test_a_python_that_it_does_not_know_is_named() -> None:
    said = profiler.refusal("Sampling …\nError: Failed to find a version.\nReason: x", "Python 4.0")
    assert "can't read Python 4.0 (Failed to find a version): take another --python" in said


def test_without_the_program_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(Interpreter, "script", lambda self, name: name)
    with pytest.raises(UnavailableError, match=r"py-spy, which is not installed: pip install .*"):
        profiler.ensure_installed()
