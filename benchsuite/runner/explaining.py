"""What explains a run: the errors that the server met behind failed answers, and what a diagnostic
start has seen, of all processes together, by its own account or by py-spy beside them.
"""

import math
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchsuite.core.exceptions import AnswerError, UnavailableError
from benchsuite.core.specs import LoadProfile
from benchsuite.isolation.facts import Facts
from benchsuite.isolation.served.diagnosing import COUNTED, read
from benchsuite.isolation.served.errors import Error, is_the_projects, short
from benchsuite.load.parent.driver import NameEntry
from benchsuite.pythons.interpreter import OWN
from benchsuite.runner.running_system import RunningSystem
from benchsuite.stats import stacks
from benchsuite.system.process import Process, running

EMPTY = (
    "the database holds no rows but those that `migrate` makes, so lists are empty (--fixture, "
    "--fill or --fill-from=mine fill it)"
)
DEBUG_OFF = (
    "Runs switch DEBUG off, which is True in your settings: name settings for production in "
    "BENCHSUITE['TARGET_SETTINGS'], or keep it with --setting=DEBUG=True."
)
PROFILER = "py-spy"
RATE_HZ = 100  #: How often it looks.
WRITE_S = 10.0  #: How long it may take to write what it has seen.
DENIED = ("permission denied", "operation not permitted")  #: As it says that the kernel refuses.


def error_behind(asked: str, status: int | None, errors: Sequence[Error]) -> Error | None:
    """What is behind an answer with this status: of this page if possible, else the first alike."""
    alike = [one for one in errors if one.status == status is not None]
    here = (one for one in alike if one.asked == asked.partition("?")[0])
    return next(here, alike[0]) if alike else None


def reason(error: Error) -> str:
    """The error in words, and what helps."""
    is_static = "Missing staticfiles manifest entry" in error.message
    return error.words + "; --static=collect collects them anew for the run" * is_static


def with_cause(
    answer: AnswerError, serving: RunningSystem, facts: Facts, filled: Sequence[str]
) -> str:
    """A wrong answer in words, with what is behind it."""
    behind = error_behind(f"{answer.method} {answer.path}", answer.status, serving.errors)
    cause = reason(behind) if behind else serving.first_error() or ""
    routed = behind is None or behind.routed
    data = about_the_data(answer, routed=routed, empty=facts.empty, filled=filled)
    by_debug = "DEBUG" in facts.undone and (answer.status or 0) >= 400
    wrong = str(answer)
    if cause:
        wrong = f"{wrong.removesuffix('.')} ({cause.removesuffix('.')})."
    return " ".join(filter(None, [wrong, DEBUG_OFF * by_debug, data]))


def about_the_data(answer: AnswerError, *, routed: bool, empty: bool, filled: Sequence[str]) -> str:
    """What the database held, where that may be why an answer was not the right one."""
    status = answer.status
    if status is None or answer.why or not routed:
        return ""
    if status >= 400 and status not in (404, 410, 500):  # which may come of what is stored
        return ""
    if empty:
        return f"{'Likely cause' if status < 500 else 'Beside that'}: {EMPTY}."
    return f"The database holds what `migrate` makes, and: {', '.join(filled)}." if filled else ""


def explained(names: Sequence[NameEntry], errors: Sequence[Error]) -> list[NameEntry]:
    """The same names; an example of a failure by its status says the error, too."""
    entries = []
    for entry in names:
        examples = dict(entry.examples)
        for kind, example in entry.examples.items():
            status, asked = entry.answers.get(kind, (None, ""))
            if behind := error_behind(asked, status, errors):
                examples[kind] = f"{example}: {reason(behind)}"
        entries.append(replace(entry, examples=examples))
    return entries


PACKAGES = re.compile(r".*/(?:site-packages|dist-packages|python\d\.\d+)/")
TARGET_APP = "/benchsuite/target/"  #: The project, where it is measured.
IDLE = re.compile(
    r"\S*\b(select|poll) \((selectors|waitress/wasyncore)\.py|Condition\.wait \(threading\.py"
    r"|_worker \(concurrent/futures/thread\.py|<module> \(\S*\bbin/uwsgi:"
)
"""Where threads wait for work. One that has just been woken is taken for busy there; py-spy, which
leaves such stacks out too, knows these functions without their classes. Of uWSGI, whose C code
waits below no function, it can't tell at all whether it does."""
Account = Mapping[str, Any]


def diagnosis(instructions: Path) -> dict[str, Any] | None:
    """Means of a request, page by page, most time first; None where nothing was written."""
    accounts = read(instructions)
    names = dict.fromkeys(name for one in accounts for name in one["pages"])
    if not (pages := [_page(name, accounts) for name in names]):
        return None
    return {
        "pages": sorted(pages, key=lambda page: -page["requests"] * page["request_s"]),
        "paused_s": sum(one["paused_s"] for one in accounts),
        "longest_pause_s": max(one["longest_pause_s"] for one in accounts),
        "cpu_s": sum(one["cpu_s"] for one in accounts),
    }


def _page(name: str, accounts: Iterable[Account]) -> dict[str, Any]:
    seen = [account["pages"][name] for account in accounts if name in account["pages"]]
    sums = {key: sum(page[key] for page in seen) for key in COUNTED}
    requests = sums.pop("requests")
    times, seconds = Counter[tuple[str, str, int]](), Counter[tuple[str, str, int]]()
    for *shape, count, took_s in (shape for page in seen for shape in page["shapes"]):
        times[*shape] += count
        seconds[*shape] += took_s
    shapes = [
        {
            "query": shape[0],
            "place": shape[1],
            "times": times[shape] / requests,
            "query_s": took_s / requests,
        }
        for shape, took_s in seconds.most_common(10)  # those that took most time
    ]
    means = {key: value / requests for key, value in sums.items()}
    return {"page": name, "requests": requests, **means, "shapes": shapes}


def flame(seen: str, rate_hz: int) -> dict[str, Any]:
    """Of stacks as the profiler writes them; raises UnavailableError where there are none."""
    own: set[str] = set()

    def renamed(call: str) -> str:
        """With a short path; it is remembered whether this is what is measured."""
        name, place = stacks.words(call)
        path, _, line = place.rpartition(":")
        if not path:
            return call
        package = PACKAGES.sub("", path)  # else from the current directory
        place = package if package != path or path.startswith("<") else short(path)
        words = f"{name} ({place}:{line})"
        is_file = not path.startswith("<") and "/bin/" not in path
        if is_file and (TARGET_APP in path or is_the_projects(path)):
            own.add(words)
        return words

    parsed = stacks.parsed(seen, renamed)
    busiest, least = stacks.folded({one: n for one, n in parsed.items() if not IDLE.match(one[-1])})
    if not busiest:
        raise UnavailableError(
            "The profiler saw no Python code at work: the server hardly used its CPUs; ask for a "
            "page that does more, or leave --flame out."
        )
    calls = {call for stack in busiest for call in stack}
    return {
        "flame": {
            "samples": sum(busiest.values()),
            "rate_hz": rate_hz,
            "least": least,
            "project": sorted(own & calls),
            "stacks": stacks.packed(busiest),
        }
    }


def ensure_profiler() -> str:
    """The program of the profiler; raises UnavailableError without it."""
    if (path := shutil.which(OWN.script(PROFILER))) is None:
        raise UnavailableError(
            f"--flame needs {PROFILER}, which is not installed: "
            "pip install 'django-benchsuite[profile]'."
        )
    return path


def has_profiler() -> bool:
    return shutil.which(OWN.script(PROFILER)) is not None


def profiler_refusal(reason: str) -> str:
    """The sentence for what it says when it can't look at a process."""
    if any(sign in reason.lower() for sign in DENIED):
        return (
            "--flame reads the memory of the server's processes, which the kernel refuses "
            "(ptrace): run as root, or: sudo sysctl kernel.yama.ptrace_scope=0; in a container, "
            "start that with --cap-add=SYS_PTRACE."
        )
    lines = [line for line in reason.splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith("Error")), lines[0] if lines else "")
    first = first.removeprefix("Error: ").rstrip(".")
    return (
        f"{PROFILER} {OWN.installed(PROFILER) or ''} can't read the server's processes ({first}): "
        f"take another --python or --server, upgrade {PROFILER}, or leave --flame out."
    )


class Profiler:
    """Looks at some processes, with all their children, while the window of a load lasts; what it
    starts ends with the stack.
    """

    def __init__(self, stack: ExitStack, folder: Path, load: LoadProfile, marker: str) -> None:
        self._stack = stack
        self._folder = folder
        self._load = load
        self._marker = marker
        self._begun: dict[Path, Process] = {}  #: By the files in which they write.

    def tick(self, elapsed_s: float, leaders: Sequence[int]) -> None:
        """The load has come to that second, and these processes serve: begins with the window."""
        if elapsed_s < self._load.window_start_s or self._begun:
            return
        for number, pid in enumerate(leaders):
            seen = self._folder / f"profile-{number}.txt"
            options = (
                # Halted, threads that wait are woken, and taken for busy: of a pool's idle
                # threads it then saw five times as much.
                *("--pid", str(pid), "--subprocesses", "--nonblocking"),
                *("--format", "raw", "--function", "--full-filenames", "--rate", str(RATE_HZ)),
                *("--duration", str(math.ceil(self._load.duration_s)), "--output", str(seen)),
            )
            looking = running(
                [ensure_profiler(), "record", *options],
                name=PROFILER,
                log=seen.with_suffix(".log"),
                env={"LC_ALL": "C.UTF-8"},
                stop_signal=signal.SIGINT,  # it writes what it has seen
                grace_s=WRITE_S,
                marker=self._marker,
                on_cpus=self._load.cpus,
            )
            self._begun[seen] = self._stack.enter_context(looking)

    def end(self) -> dict[str, Any]:
        """What was seen, as `flame` has it; raises UnavailableError where it saw nothing."""
        self._stack.close()
        if not self._begun:
            raise UnavailableError("The load ended before its window, so nothing was profiled.")
        written = []
        for seen, process in self._begun.items():
            try:
                written.append(seen.read_text(errors="replace"))
            except FileNotFoundError:
                default = f"It wrote nothing within {WRITE_S:g} s and was killed."
                raise UnavailableError(profiler_refusal(process.log_tail() or default)) from None
        return flame("".join(written), RATE_HZ)
