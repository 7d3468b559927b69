"""Where benchsuite keeps what it makes once for a user: environments, calibrations."""

import os
from pathlib import Path

VARIABLE = "BENCHSUITE_CACHE"  #: The environment variable that moves the cache.


def folder(chosen: str | None = None) -> Path:
    """BENCHSUITE_CACHE, else `chosen`, else `benchsuite` in the user's cache folder."""
    named = os.environ.get(VARIABLE) or chosen
    if named:
        return Path(named).expanduser().absolute()
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The specification ignores relative paths.
    base = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    return base / "benchsuite"
