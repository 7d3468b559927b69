"""How the programs of this package are started."""

import sys
from pathlib import Path


def python(module: str) -> list[str]:
    """The start of a command line that calls the module's `main()`.

    Isolated: nothing in the project's environment or folder can keep it from starting.
    """
    package = str(Path(__file__).resolve().parents[2])
    program = f"import sys; sys.path.append({package!r}); from {module} import main; main()"
    return [sys.executable, "-I", "-c", program]
