"""Commands whose output nobody reads, and Ctrl-C while all is imported: no traceback, ever."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EARLY = """
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
settings.configure(INSTALLED_APPS=["benchsuite", "struck"])
execute_from_command_line(["manage.py", "listbench"])
"""


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}", "bash", sys.executable],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("where", ["| true", "| head -1", ">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(
    ("words", "status"),
    [("listbench", 0), ("tunebench --help", 0), ("runbench --nonsense", 2), ("loadbench /no", 1)],
)
def test_an_output_that_nobody_reads_is_no_error(words: str, status: int, where: str) -> None:
    ended = shell(f"$1 manage.py {words} {where}")
    assert "Traceback" not in ended.stderr
    assert "Error:" not in ended.stderr.replace("CommandError:", "")
    assert ended.returncode == status


def test_ctrl_c_while_it_is_imported_is_a_word(tmp_path: Path) -> None:
    (tmp_path / "struck.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    (tmp_path / "start.py").write_text(
        f"import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler){EARLY}"
    )
    ended = shell(f"PYTHONPATH={ROOT}:{tmp_path} $1 {tmp_path}/start.py listbench; exit $?")
    assert ended.stderr == "Interrupted.\n"
    assert ended.returncode == 130
