"""The environment variables a measured server is started with."""

import os
import random
import sys
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
    """Where the project's modules are found: the folder of manage.py, this folder, PYTHONPATH."""
    folders = [str(Path(sys.argv[0]).resolve().parent), str(Path.cwd())]
    folders += [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    return list(dict.fromkeys(folders))
