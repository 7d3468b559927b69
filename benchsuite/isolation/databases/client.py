"""The parent's side of the throw-away databases: starts the keeper and speaks with it."""

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import DatabaseError, UsageError
from benchsuite.core.specs import KEEP
from benchsuite.isolation.facts import Facts, Order, Rows
from benchsuite.isolation.instructions import RUN_VARIABLE, Instructions, about_the_project
from benchsuite.pythons.interpreter import ASTRAY, OWN, Interpreter, import_path, whole_path
from benchsuite.system import folders, logfile
from benchsuite.system.interrupts import held_back
from benchsuite.system.process import SLOW_S, Patience

READY_S = 900.0  #: How long making them may take, unless --start-timeout says it.
CLONE_S = 120.0
ROWS_PER_SECOND = 20_000  #: Rate of a slow disk, by which deadlines are extended for the rows.
END_S = 60.0  #: How long dropping all may take before the keeper is asked, and then made, to end.
KILL_S = 5.0
LONGEST_LINE = 100  #: Characters of a line of the log.


class Keeper:
    """The databases of the runs that share their data."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        answers: int,
        log: Path,
        rows: int,
        start_timeout_s: float | None = None,
    ) -> None:
        self._child, self._answers, self._buffer = child, answers, b""
        self._log, self._start_timeout_s = log, start_timeout_s
        self._seeding_s = rows / ROWS_PER_SECOND
        self._commands = 0  #: So far; by their numbers their answers are known.
        self._ready: Mapping[str, Any] | None = None
        self._failed: DatabaseError | None = None
        self._changed: Mapping[str, str] | None = None
        self.clones: list[str] = []  #: Tokens of the copies that are there.
        self.tell: Callable[[str], None] = lambda words: None  #: Is told what takes long.
        self._phase: tuple[str, float, int]  #: What it does, since when, its log's size then.
        self._enter("start")

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended it, so that it has dropped nothing."""
        return (self._child.poll() or 0) < 0

    @property
    def has_made(self) -> bool:
        """Whether the databases are known to be ready."""
        return self._ready is not None

    def wait(self) -> Mapping[str, Any]:
        """What is known of the databases once they are ready; an error is raised for each run."""
        if self._failed is not None:
            raise DatabaseError(str(self._failed)) from self._failed
        if self._ready is None:
            try:
                limit_s = self._start_timeout_s or READY_S + self._seeding_s
                self._ready = self._answer("made", limit_s)
            except DatabaseError as error:
                self._failed = error
                raise
            self._enter("wait")
        return self._ready

    @property
    def doing(self) -> str:
        """What it does now, for how long, and what its log says: "migrate for 7 s (…)"."""
        phase, began, size = self._phase
        lines = logfile.since(self._log, size).strip().splitlines()
        log = f" ({lines[-1].strip()[:LONGEST_LINE]})" if lines else ""
        return f"databases: {phase} for {time.monotonic() - began:.0f} s{log}"

    def _enter(self, phase: str) -> None:
        size = self._log.stat().st_size if self._log.exists() else 0
        self._phase = phase, time.monotonic(), size

    @property
    def settings_changed(self) -> dict[str, str]:
        """Setting → what is changed for the server of the last clone, in words."""
        return dict(self._changed or self.wait()["settings_changed"])

    @property
    def facts(self) -> Facts:
        """What only the project and its data tell."""
        return Facts.from_json(self.wait()["facts"])

    @contextmanager
    def clone(self, token: str, **amended: Any) -> Iterator[Path]:
        """Copies the databases for the block; yields the path of its instructions, `amended` so."""
        self.wait()
        self.clones.append(token)
        answer = self._asked("clone", "copied", token=token, amended=amended)
        self._changed = answer["settings_changed"]
        try:
            yield Path(answer["instructions"])
        except BaseException:
            with suppress(DatabaseError):  # the first error is reported; `end()` drops again
                self._drop(token)
            raise
        self._drop(token)

    def counts(self, token: str, variables: Mapping[str, str] = {}) -> dict[str, int]:
        """What `Workload.count()` finds in the databases of that run now, inside `clone(token)`;
        with "keep", count before and after. `variables` name the run's services, as for the target.
        """
        return dict(self._asked("count", "counted", token=token, variables={**variables})["counts"])

    def rows(self, token: str, watched: Iterable[str] = ()) -> Rows:
        """What all tables hold now, inside `clone(token)`; those that lost rows since the first."""
        answer = self._asked("rows", "counted", token=token, watched=[*watched])
        return Rows(answer["rows"], frozenset(answer["gone"]))

    def _drop(self, token: str) -> None:
        self._asked("drop", "dropped", token=token)
        self.clones.remove(token)

    def end(self) -> None:
        """Drops everything; raises DatabaseError where it can't. One that was killed, be it here
        because it hung, can't either (`was_killed`); another one takes over.
        """
        if self._child.stdin is None or self._child.stdin.closed:
            return
        with held_back():
            self._child.stdin.close()
            self._enter("drop")
            steps: tuple[tuple[float, Callable[[], None]], ...] = (
                (SLOW_S, lambda: self.tell(f"{self.doing}, {END_S:.0f} s at most")),
                (END_S - SLOW_S, self._child.terminate),
                (KILL_S, self._child.kill),
            )
            for seconds, insist in steps:
                try:
                    self._child.wait(seconds)
                    break
                except subprocess.TimeoutExpired:
                    insist()
            status = self._child.wait()
            os.close(self._answers)
        if status > 0 and self._ready is not None:
            raise DatabaseError(f"The throw-away databases could not all be dropped: {self._why()}")

    def _asked(self, do: str, done: str, **arguments: Any) -> Mapping[str, Any]:
        """Has the keeper do something; `done` names in a word what is waited for."""
        assert self._child.stdin is not None
        self._commands += 1
        self._enter(do)
        line = json.dumps({"number": self._commands, "do": do, **arguments})
        try:
            self._child.stdin.write(line.encode() + b"\n")
        except BrokenPipeError as error:
            raise DatabaseError(f"The databases' keeper ended: {self._why()}") from error
        return self._answer(done, max(CLONE_S + self._seeding_s, self._start_timeout_s or 0))

    def _answer(self, done: str, timeout_s: float) -> Mapping[str, Any]:
        """The answer to the last command; those to commands that nobody waits for are skipped."""
        deadline = time.monotonic() + timeout_s
        while True:
            message: Mapping[str, Any] = json.loads(self._line(deadline, done, timeout_s))
            if "phase" in message:
                self._enter(message["phase"])
            elif message["number"] == self._commands:
                break
        if "failed" in message:
            raise DatabaseError(message["failed"])
        return message

    def _line(self, deadline: float, done: str, timeout_s: float) -> bytes:
        patience = Patience(self.tell, lambda: self.doing, timeout_s)
        while b"\n" not in self._buffer:
            wait_s = max(0.0, min(patience.due, deadline) - time.monotonic())
            if not select.select([self._answers], [], [], wait_s)[0]:
                if patience.due < deadline:
                    patience.look()
                    continue
                raise DatabaseError(
                    f"The throw-away databases were not {done} within {timeout_s:.0f} s; "
                    f"{self.doing}; lower --rows, give them more time with --start-timeout, or "
                    "look at the database server."
                )
            if not (chunk := os.read(self._answers, 65536)):
                raise DatabaseError(f"The throw-away databases could not be {done}: {self._why()}")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _why(self) -> str:
        """The last line of the keeper's traceback, else of its log, once it has written it."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(KILL_S)
        return logfile.first_error(self._log) or logfile.tail(self._log, 1) or "it left no message"


@contextmanager
def throwaway(
    order: Order,
    instructions: Instructions,
    *,
    log: Path,
    env: Mapping[str, str],
    python: Interpreter = OWN,
    start_timeout_s: float | None = None,
) -> Iterator[Keeper]:
    """Starts making the databases while the caller does something else; they are dropped at the
    end, also when this process is killed. The folder of the instructions holds SQLite files; a
    database that was asked for by its URL is entered in them. `python` is that of the server,
    because another Django has other migrations.
    """
    database, folder = order.database, Path(instructions.folder)
    instructions = replace(instructions, keeps_databases=database.use == KEEP)
    if "://" in database.use:
        import dj_database_url

        try:
            dj_database_url.parse(database.use)
        except ValueError as error:
            scheme = database.use.partition("://")[0]
            raise UsageError(f"--database={scheme}://… is not a database URL: {error}") from error
        instructions = replace(instructions, database_url=instructions.database_url or database.use)
    instructions.write(folder / "keeper-instructions.json")
    with ExitStack() as stack:

        def start(order: Order) -> Keeper:
            with held_back():
                folders.write_private(folder / "keeper-request.json", json.dumps(order.to_json()))
                child, answers = _start(folder, env, log, python)
                keeper = Keeper(child, answers, log, database.rows, start_timeout_s)
                stack.callback(keeper.end)
            return keeper

        keeper = start(order)
        try:
            yield keeper
        finally:
            try:
                keeper.end()
            finally:  # also after Ctrl-C, which is held back until it has ended
                if keeper.was_killed and not instructions.keeps_databases:
                    _take_over(start(replace(order, left=tuple(keeper.clones))), instructions)


def _take_over(keeper: Keeper, instructions: Instructions) -> None:
    """Drops what one that was killed had made; raises DatabaseError where it can't either."""
    try:
        keeper.wait()
        keeper.end()
    except DatabaseError as error:
        why = str(error).rstrip(".")
    else:
        if not keeper.was_killed:
            return
        why = "it hung, or was killed too"
    raise DatabaseError(
        "The databases' keeper was killed, and another one could not drop what it had made "
        f"({why}); databases whose names begin with bench_{instructions.token} may be left: look "
        "whether the database server answers, and drop them there."
    )


def _start(
    folder: Path, env: Mapping[str, str], log: Path, python: Interpreter
) -> tuple[subprocess.Popen[bytes], int]:
    """The child, and where its answers come. It has a session of its own and no mark of the run: it
    must outlive both to drop. Under another interpreter it gets no packages of ours.
    """
    left_out = (RUN_VARIABLE,) if python.is_own else (RUN_VARIABLE, *ASTRAY)
    answers, theirs = os.pipe()
    request = str(folder / "keeper-request.json")
    try:
        with folders.private_log(log) as output:
            child = subprocess.Popen(
                [*python.module("benchsuite.isolation.databases.process"), str(theirs), request],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs,),
                env={
                    **{name: value for name, value in env.items() if name not in left_out},
                    **about_the_project(folder / "keeper-instructions.json"),
                    "PYTHONUNBUFFERED": "1",  # its log says what it does now
                    "PYTHONPATH": whole_path(env) if python.is_own else import_path(python, folder),
                },
                start_new_session=True,
                bufsize=0,
            )
    except OSError as error:
        os.close(answers)
        raise DatabaseError(f"The databases' keeper could not be started: {error}") from error
    finally:
        os.close(theirs)
    return child, answers
