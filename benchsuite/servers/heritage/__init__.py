"""Legacy servers, each under a Python of its era, with a small target of its own: in `targets` as
data, none of which the Python of benchsuite can import.
"""

import tomllib
from pathlib import Path
from typing import Any

TARGETS = Path(__file__).parent / "targets"
TABLE: dict[str, dict[str, dict[str, Any]]] = tomllib.loads((TARGETS / "servers.toml").read_text())
BUILTIN = {name: f"{__name__}.adapters.{name}" for name in TABLE["servers"]}
