"""The options of `runbench` that say which Python serves, in which environment."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchsuite.core.exceptions import UsageError
from benchsuite.core.specs import RunSpec
from benchsuite.management.options.parsing import APPENDED, names
from benchsuite.runner.environments import environment as kept


def add_to(group: Any) -> None:
    group.add_argument(
        "--python",
        **APPENDED,
        metavar="PYTHON[,PYTHON…]",
        help="Python of the server, as a version (3.13, pypy3.11) or a path (default: this one); "
        "several make an axis",
    )
    group.add_argument(
        "--env",
        **APPENDED,
        metavar="NAME=FILE",
        help="build an environment with what this requirements file names, and serve in it; "
        "several make an axis",
    )


def pythons(options: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each Python with each environment; both are empty for this one."""
    named = names("--python", options["python"])
    environments = _environments(options["env"] or ())
    return [
        {"server.python": python, "server.environment": environment}
        for python in named or [""]
        for environment in environments or [""]
    ]


def again(spec: RunSpec, options: Mapping[str, Any]) -> RunSpec:
    """A stored run, whose environment's requirements may be given again when they were lost."""
    if options["python"]:
        raise UsageError("--again repeats a run as it was, so --python can't be given with it.")
    for environment in _environments(options["env"] or ()):
        if environment != spec.server.environment:
            was = spec.server.environment or "none"
            raise UsageError(
                f"--again repeats a run as it was, and the environment {environment} is not its "
                f"own ({was})."
            )
    return spec


def _environments(given: Sequence[str]) -> list[str]:
    found = [kept(one) for one in given]
    names = [one.partition("@")[0] for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"--env names {', '.join(twice)} twice; give each file a name of its own.")
    return found
