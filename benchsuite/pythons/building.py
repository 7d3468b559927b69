"""Builds each environment once: under a lock, tested before use, removed on failure."""

import fcntl
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsuite.core.exceptions import UnavailableError
from benchsuite.pythons.cache import MARK, Slot
from benchsuite.pythons.interpreter import Interpreter, ask
from benchsuite.pythons.programs import run
from benchsuite.pythons.recipe import Recipe, Step
from benchsuite.pythons.virtual import make
from benchsuite.system import folders
from benchsuite.system.interrupts import held_back

WAIT_S = 3600.0  #: Longest wait for another process that builds the same environment.
POLL_S = 0.2

Say = Callable[[str], None]


def built(recipe: Recipe, root: Path) -> Interpreter | None:
    """The interpreter of an environment; None if it has not been built."""
    slot = Slot.of(recipe, root)
    return Interpreter(str(slot.python), recipe.name) if slot.is_built else None


def build(recipe: Recipe, root: Path, say: Say = lambda text: None) -> Interpreter:
    """The interpreter of the environment, which is built if necessary.

    An environment contains its own path, so it is built in place, and counts only once its mark has
    been moved into it. A killed build leaves no mark, and the next build removes it. `say` receives
    progress messages.

    Raises UnavailableError with the last error of the failed program.
    """
    slot = Slot.of(recipe, root)
    if not slot.is_built:
        _make_room(slot)
        with _alone(slot, recipe.name, say):
            if not slot.is_built:
                _build(recipe, slot, say)
    return Interpreter(str(slot.python), recipe.name)


def _make_room(slot: Slot) -> None:
    try:
        for folder in (slot.folder.parent, slot.log(0).parent):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"Environments are kept in {slot.root}, which is not writable ({error.strerror}); "
            "name another folder in BENCHSUITE_CACHE."
        ) from error


@contextmanager
def _alone(slot: Slot, name: str, say: Say) -> Iterator[None]:
    """Waits until nobody else builds this environment; the kernel frees a dead process's lock."""
    deadline = time.monotonic() + WAIT_S
    told = False
    with slot.lock.open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not told:
                    say(f"{name}: another process is building it; waiting")
                told = True
            if time.monotonic() > deadline:
                raise UnavailableError(
                    f"Another process has been building the environment {name} for "
                    f"{WAIT_S:.0f} s; find and end the process that holds {slot.lock}."
                )
            time.sleep(POLL_S)
        yield


def _build(recipe: Recipe, slot: Slot, say: Say) -> None:
    try:
        _remove(slot)
        say(f"{recipe.name}: making an environment of {recipe.python}")
        make(
            recipe.python,
            slot.folder,
            name=recipe.name,
            log=slot.log(0),
            build=lambda tool: build(tool, slot.root, say),
        )
        for number, step in enumerate(recipe.steps, start=1):
            say(f"{recipe.name}: installing {_amount(step)}")
            _install(recipe, step, slot, slot.log(number))
        for name, content in recipe.files.items():
            (_packages(slot) / name).write_text(content)
        if recipe.proof:
            say(f"{recipe.name}: trying it")
            run(
                [str(slot.python), "-c", recipe.proof],
                name=recipe.name,
                log=slot.log(len(recipe.steps) + 1),
            )
        _mark(recipe, slot)
    except BaseException as error:
        with held_back():
            _remove(slot)
        if isinstance(error, UnavailableError) and recipe.needed:
            said = str(error).removesuffix(".")
            raise UnavailableError(f"{said}; {recipe.needed}.") from error
        raise
    for log in slot.log(0).parent.glob(f"{slot.digest}-*.log"):
        log.unlink(missing_ok=True)


def _amount(step: Step) -> str:
    number = len(step.requirements.lines)
    return f"{number} package{'s' * (number != 1)}"


def _install(recipe: Recipe, step: Step, slot: Slot, log: Path) -> None:
    wanted = slot.folder / "requirements.txt"
    folders.write_private(wanted, step.requirements.text)
    command = [str(slot.python), "-m", "pip", "install", "--no-input"]
    command += ["--requirement", str(wanted), *step.options]
    constraints = step.requirements.constraints_text
    if step.moves_nothing:
        there = ask(str(slot.python))["installed"]
        constraints += "".join(f"{name}=={version}\n" for name, (version, _) in there.items())
    if constraints:
        limits = slot.folder / "constraints.txt"
        folders.write_private(limits, constraints)
        command += ["--constraint", str(limits)]
    run(command, name=recipe.name, log=log, variables=step.variables)


def _packages(slot: Slot) -> Path:
    return Path(str(ask(str(slot.python))["packages"]))


def _mark(recipe: Recipe, slot: Slot) -> None:
    told = ask(str(slot.python))
    content = {"name": recipe.name, "python": told["facts"], "installed": told["installed"]}
    aside = slot.folder / f"{MARK}.new"
    aside.write_text(json.dumps(content, indent=1, sort_keys=True))
    aside.replace(slot.folder / MARK)


def _remove(slot: Slot) -> None:
    """Removes the environment, its mark first, so that a partial one never counts."""
    (slot.folder / MARK).unlink(missing_ok=True)
    if slot.folder.exists():
        shutil.rmtree(slot.folder, ignore_errors=True)
