"""What it costs to have benchsuite: time and room of an installation, and of a project's check.

    python -m benchmarks.installing [--times 3] [--checks 15]

builds the wheel and installs it with all that it needs into new environments, from the index that
pip uses: once without pip's cache, with it, and by uv where that is there. Then `manage.py check`
of what `startproject` writes is timed without and with "benchsuite" in INSTALLED_APPS, in turns.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from benchmarks.table import show
from benchsuite.core.units import format_bytes

ROOT = Path(__file__).parents[1]
WITH = 'from shop.settings import *\nINSTALLED_APPS = [*INSTALLED_APPS, "benchsuite"]\n'


def taken_s(*words: str) -> float:
    """How long a program takes that keeps its byte code; raises CalledProcessError."""
    usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    began = monotonic()
    subprocess.run(words, check=True, env=usual, capture_output=True)
    return monotonic() - began


def size(folder: Path) -> int:
    """Bytes on the disk of all files below it."""
    return sum(512 * path.lstat().st_blocks for path in folder.rglob("*"))


def built(folder: Path) -> Path:
    """The wheel of this checkout, in a folder without any; raises CalledProcessError."""
    build = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps")
    subprocess.run([*build, f"--wheel-dir={folder}", str(ROOT)], check=True)
    return next(folder.glob("*.whl"))


def environment(folder: Path) -> str:
    """The Python of a new one."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return str(folder / "bin" / "python")


def installed(wheel: Path, folder: Path, times: int) -> None:
    rows = []
    uv = shutil.which("uv")
    ways = ["pip without its cache", *["pip"] * times, *["uv"] * (times if uv else 0)]
    for number, way in enumerate(ways):
        place = folder / f"environment-{number}"
        python = environment(place)
        empty = size(place)
        words = [python, "-m", "pip", "install"]
        if way == "uv":
            words = [uv or "", "pip", "install", f"--python={python}"]
        without_cache = ("--no-cache-dir",) if number == 0 else ()
        taken = taken_s(*words, "--quiet", *without_cache, str(wheel))
        packages = subprocess.check_output([python, "-m", "pip", "list"], text=True)
        rows.append(
            (
                way,
                f"{taken:.1f} s",
                format_bytes(size(place) - empty),
                str(len(packages.splitlines()) - 3),  # its head, and pip itself
            )
        )
    show("installing the wheel", ("by", "took", "room", "packages"), rows)


def checked(python: str, folder: Path, checks: int) -> None:
    subprocess.run([python, "-m", "django", "startproject", "shop", str(folder)], check=True)
    (folder / "with_benchsuite.py").write_text(WITH)
    names = {"without": "shop.settings", "with": "with_benchsuite"}
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(checks + 1):
        for name, settings in names.items():
            manage = (python, str(folder / "manage.py"), "check", f"--settings={settings}")
            taken = taken_s(*manage)
            if number:  # the first writes byte code
                times[name].append(taken * 1000)
    differences = [after - before for before, after in zip(*times.values(), strict=True)]
    rows = [(name, *spread(values)) for name, values in times.items()]
    rows.append(("difference", *spread(differences)))
    show("manage.py check", ("", "median", "quarter below", "quarter above"), rows)


def spread(values: Sequence[float]) -> tuple[str, ...]:
    low, middle, high = statistics.quantiles(values, n=4)
    return tuple(f"{value:.0f} ms" for value in (middle, low, high))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=3, help="installations by each")
    parser.add_argument("--checks", type=int, default=15, help="pairs of manage.py check")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = built(folder)
        print(f"The wheel has {format_bytes(wheel.stat().st_size)}.")
        installed(wheel, folder, asked.times)
        (folder / "project").mkdir()
        python = str(folder / "environment-1" / "bin" / "python")
        checked(python, folder / "project", asked.checks)


if __name__ == "__main__":
    main()
