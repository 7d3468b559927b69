"""What was measured, as texts to paste: made from the command line of the run."""

import json
import re
import shlex
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from benchsuite.core import commands
from benchsuite.core.specs import DatabaseSpec, ServerSpec
from benchsuite.core.specs.database import VENDORS, pool_sizes

KINDS = ("command", "systemd", "Procfile", "Dockerfile", "settings")
"""What there may be to paste, beside the files that a server reads."""

UNIT = Path(__file__).parent / "conf" / "systemd.service"
EVERYWHERE = "0.0.0.0"
SPECIAL = re.compile(r"[\s\"'\\;#]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """How a server is started where it serves, and ended."""

    argv: Sequence[str]
    files: Mapping[str, str]  #: That it names, by their name in the project's folder.
    env: Mapping[str, str]
    python: str  #: The interpreter that was measured.
    stop_signal: signal.Signals
    grace_s: float

    @property
    def short(self) -> list[str]:
        """By name alone what is in the environment that was measured, wherever that is now."""
        program = Path(self.argv[0])
        if self.argv[0] == self.python:
            return ["python", *self.argv[1:]]
        is_there = program.parent == Path(self.python).parent
        return [program.name if is_there else self.argv[0], *self.argv[1:]]


def texts(here: Deployed, contained: Deployed, port: int, spec: ServerSpec) -> dict[str, str]:
    """Kind → text: files by their names, then ways to start it; `contained` as in a container."""
    text = " ".join([*here.argv, *here.files.values()])
    words = [f"--server={spec.server}", f"--processes={spec.processes}"]
    words += [f"--threads={spec.threads}"] if spec.threads is not None else []
    words += [f"--application={spec.application}"] if spec.application else []
    words += [f"--python={spec.python}"] if spec.python else []
    words += [f"--front={spec.front}", f"--instances={spec.instances}"] if spec.front else []
    for option, given in (("--option", spec.options), ("--front-option", spec.front_options)):
        for name, value in given.items():
            shown = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
            words += [option, f"{name}={shown}"]
    head = f"# Measured by: {commands.command('runbench', *words)}\n"
    if "benchsuite." in text:
        head += "# It starts benchsuite's launcher: install django-benchsuite beside the project.\n"
    variables = [f"{name}={value}" for name, value in here.env.items()]
    command = shlex.join(["env", *variables, *here.short] if variables else here.short)
    unit, stop = _unit(here), here.stop_signal
    kinds = {**here.files, "command": command, "systemd": unit, "Procfile": f"web: {command}"}
    if contained.files == here.files:  # else they name the address
        own = {name: json.dumps(one, ensure_ascii=False) for name, one in contained.env.items()}
        lines = [f"ENV {name}={text}".replace("$", r"\$") for name, text in own.items()]
        lines += [f"COPY {name} ./" for name in contained.files]
        lines += [f"EXPOSE {port}"]
        lines += [f"STOPSIGNAL {stop.name}"] if stop is not signal.SIGTERM else []
        lines += [f"CMD {json.dumps(contained.short)}"]
        kinds["Dockerfile"] = "\n".join(lines)
    return {kind: f"{head}{text}\n" for kind, text in kinds.items()}


def databases(spec: DatabaseSpec) -> str:
    """What settings say to reach the databases as was measured; empty where that is as they are."""
    if spec.pool is not None:
        flag, sizes = f"pool={spec.pool}", json.dumps(pool_sizes(spec.pool))
        signs = ", ".join(map(json.dumps, VENDORS["postgresql"].split("|")))
        lines = [
            f'    if any(sign in entry.get("ENGINE", "") for sign in ({signs})):',
            '        entry["CONN_MAX_AGE"] = 0',
            f'        entry["OPTIONS"] = {{**entry.get("OPTIONS", {{}}), "pool": {sizes}}}',
        ]
    elif spec.conn_max_age_s is not None:
        flag = f"conn-max-age={spec.conn_max_age_s:g}"
        lines = [f'    entry["CONN_MAX_AGE"] = {spec.conn_max_age_s:g}']
    else:
        return ""
    head = f"# Measured with: --{flag}; below DATABASES in the settings"
    return "\n".join([head, "for entry in DATABASES.values():", *lines, ""])


def flags(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The options of a command line without their dashes; None for those without a value."""
    for word, after in zip(words, [*words[1:], "--"], strict=True):
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            yield name, value if equals else None if after.startswith("--") else after


def _unit(server: Deployed) -> str:
    variables = (_quoted(f"{name}={value}") for name, value in server.env.items())
    stop = server.stop_signal
    text = Template(UNIT.read_text()).substitute(
        folder=str(Path.cwd()).replace("%", "%%"),
        environment="".join(f"Environment={variable}\n" for variable in variables),
        command=" ".join(_quoted(word).replace("$", "$$") for word in server.argv),
        stop_signal="" if stop is signal.SIGTERM else f"KillSignal={stop.name}\n",
        grace_s=f"{server.grace_s:g}",
    )
    return text.rstrip()


def _quoted(word: str) -> str:
    """As a word of a systemd unit."""
    word = word.replace("%", "%%")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if SPECIAL.search(word) else word
