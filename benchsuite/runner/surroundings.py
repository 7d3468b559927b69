"""The environment variables a measured server is started with."""

import os
import random
import sys
import sysconfig
from pathlib import Path

from benchsuite.servers.base import ServerAdapter

SETTINGS = "benchsuite.isolation.settings"
MOST_PADDING = 4096


def surroundings(adapter: ServerAdapter, *, token: str, plan: Path, seed: int) -> dict[str, str]:
    """This process's variables, with what opens the target and what each start must vary.

    The size of the environment shifts the stack, and the hash seed the order of sets; either
    alone can move a result by several percent (Mytkowicz et al., ASPLOS 2009). So every start
    draws both from the run's seed: repeats average over them, and `--again` repeats them.
    """
    draw = random.Random(seed)
    return {
        **os.environ,
        **adapter.env(),
        "BENCHSUITE_RUN": token,
        "BENCHSUITE_PLAN": str(plan),
        "DJANGO_SETTINGS_MODULE": SETTINGS,
        "PYTHONPATH": os.pathsep.join(import_folders()),
        "PYTHONHASHSEED": str(draw.randrange(2**32)),
        "BENCHSUITE_PADDING": "x" * draw.randrange(MOST_PADDING),
    }


def import_folders() -> list[str]:
    """Where the project's modules are found: the import path without the interpreter's own."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [str(Path(entry or ".").resolve()) for entry in sys.path]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if Path(folder).is_dir() and not any(Path(folder).is_relative_to(one) for one in own)
    ]
