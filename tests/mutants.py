"""Whether the unit tests of a room notice small changes of its code: make mutants

mutmut makes the changes (`[tool.mutmut]` in pyproject.toml) in a copy of the checkout. Of each room
a sample is drawn by a seed, and each change is tried with those unit tests of the room that execute
the changed function. Prints how many were noticed, and the changes that were not.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

CHECKOUT = Path(__file__).parents[1]
SECTION = "[tool.mutmut]\n"
ROOMS = {
    room: (f"benchsuite/{room}/*", f"tests/unit/{room}")
    for room in ("stats", "comparing", "findings", "bottlenecks", "studies", "tuning")
}
ROOMS["schedule"] = ("benchsuite/load/process/schedule.py", "tests/unit/load/process")
SURVIVED, NO_TESTS = 0, (5, 33)  #: Exit codes of pytest, of mutmut. A time-out is noticed, too.


def mutmut(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    argv = [str(Path(sys.executable).with_name("mutmut")), *words]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)


def copied(folder: Path, room: str) -> None:
    """The checkout as it is, with this room alone to be changed."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=CHECKOUT, check=True, stdout=subprocess.PIPE).stdout
    there = b"\0".join(name for name in names.split(b"\0") if (CHECKOUT / name.decode()).is_file())
    packed = ["tar", "--create", "--null", "--files-from=-"]
    archive = subprocess.run(packed, cwd=CHECKOUT, input=there, check=True, stdout=-1).stdout
    subprocess.run(["tar", "--extract"], cwd=folder, input=archive, check=True)
    code, tests = ROOMS[room]
    settings = folder / "pyproject.toml"
    own = f"only_mutate = [{code!r}]\npytest_add_cli_args_test_selection = [{tests!r}]\n"
    settings.write_text(settings.read_text().replace(SECTION, SECTION + own))


def outcomes(folder: Path) -> dict[str, int | None]:
    """The exit code of each mutant by its name; None for what was not tried."""
    codes: dict[str, int | None] = {}
    for file in sorted((folder / "mutants").rglob("*.meta")):
        codes.update(json.loads(file.read_text())["exit_code_by_key"])
    return codes


def tried(room: str, sample: int, seed: int) -> bool:
    """Prints what became of the sample; whether nine of ten were noticed."""
    with TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name)
        copied(folder, room)
        made = mutmut(folder, "run", "none of them")  # generates them, and ends
        names = sorted(outcomes(folder))
        if not names:
            sys.exit(f"mutmut made no mutants of {room}:\n{made.stdout[-2000:]}{made.stderr}")
        drawn = sorted(random.Random(seed).sample(names, min(sample, len(names))))
        done = mutmut(folder, "run", *drawn)
        codes = outcomes(folder)
        if missing := [one for one in drawn if codes[one] is None]:
            sys.exit(
                f"{len(missing)} of {room} were not tried:\n{done.stdout[-2000:]}{done.stderr}"
            )
        survivors = [one for one in drawn if codes[one] in (SURVIVED, *NO_TESTS)]
        noticed = len(drawn) - len(survivors)
        percent = 100 * noticed / len(drawn)
        print(f"{room}: {noticed} of {len(drawn)} noticed, {percent:.1f} % ({len(names)} in all)")
        for one in survivors:
            untested = " (no test executes it)" if codes[one] in NO_TESTS else ""
            shown = mutmut(folder, "show", one).stdout.splitlines()
            lines = [line for line in shown if line[:1] in "+-" and line[:3] not in ("+++", "---")]
            print("", f"{one}{untested}", *lines, sep="\n  ", flush=True)
    return percent >= 90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("rooms", nargs="*", default=[*ROOMS], metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--sample", type=int, default=150, help="of each room")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.rooms) - ROOMS.keys():
        parser.error(f"there is no {', '.join(unknown)}; there are: {', '.join(ROOMS)}")
    results = [tried(room, options.sample, options.seed) for room in options.rooms]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
