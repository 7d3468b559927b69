"""Whether pinned requirements install without a compiler: `make wheels`, which asks PyPI.

A pin passes with a wheel for each machine, for the Python that asks. Without one it passes when its
source makes a wheel for any machine, which is pure Python.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MACHINES = ("x86_64", "aarch64")
MANYLINUX = ("1", "2010", "2014", *(f"_2_{minor}" for minor in range(5, 37)))
"""Up to Debian 12, which has glibc 2.36; the first three are names of 2.5, 2.12 and 2.17."""
PIN = re.compile(r"[\w.-]+(?===)")
REFUSED = re.compile(r"No matching distribution found for ([\w.-]+)")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")

Pins = dict[str, set[str]]  #: Name → its lines: one for each range of Pythons.


def pins(files: list[str]) -> Pins:
    found: Pins = {}
    for line in (line for file in files for line in Path(file).read_text().splitlines()):
        if name := PIN.match(line):
            found.setdefault(name[0].lower(), set()).add(line)
    return found


def requirements(lines: set[str], folder: Path) -> str:
    wanted = folder / "wanted.txt"
    wanted.write_text("\n".join(sorted(lines)))
    return f"--requirement={wanted}"


def without_wheel(wanted: Pins, machine: str, folder: Path) -> set[str]:
    """The names of those for which pip finds none."""
    left, missing = dict(wanted), set[str]()
    install = [*PIP, "install", "--dry-run", "--ignore-installed", f"--target={folder}"]
    install += ["--no-deps", "--only-binary=:all:"]
    install += [f"--platform=manylinux{name}_{machine}" for name in MANYLINUX]
    while True:
        said = requirements(set().union(*left.values()), folder)
        done = subprocess.run([*install, said], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return missing
        refused = REFUSED.search(done.stderr)
        if refused is None or refused[1].lower() not in left:
            sys.exit(f"pip could not tell:\n{done.stderr}")
        del left[refused[1].lower()]
        missing.add(refused[1].lower())


def is_pure(lines: set[str], folder: Path) -> bool:
    """Whether its source makes a wheel that is for any machine."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        build = [*PIP, "wheel", "--no-deps", f"--wheel-dir={made}", requirements(lines, folder)]
        done = subprocess.run(build, capture_output=True, check=False)
        return done.returncode == 0 and bool(list(Path(made).glob("*-none-any.whl")))


def main(files: list[str]) -> int:
    found = pins(files)
    with tempfile.TemporaryDirectory(prefix="wheels-") as name:
        folder = Path(name)
        missing = {machine: without_wheel(found, machine, folder) for machine in MACHINES}
        sources = sorted(set().union(*missing.values()))
        pure = {one for one in sources if is_pure(found[one], folder)}
    for one in sources:
        machines = " and ".join(machine for machine in MACHINES if one in missing[machine])
        kind = "pure Python" if one in pure else "NEEDS A COMPILER"
        print(f"{one}: no wheel for {machines}; {kind}")
    bad = len(sources) - len(pure)
    print(f"{len(found)} pins for {' and '.join(MACHINES)}: {bad} need a compiler")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
