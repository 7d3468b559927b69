"""Programs of this package: their command lines."""

import sys
from pathlib import Path


def python(module: str, *, packages: bool = False) -> list[str]:
    """The start of a command line that calls the module's `main()`.

    Isolated: nothing in the project's environment or folder can prevent its start. Without
    site-packages (`packages`) it starts in a few hundredths of a second.
    """
    root = str(Path(__file__).resolve().parents[2])
    program = f"import sys; sys.path.append({root!r}); from {module} import main; main()"
    return [sys.executable, "-I", *([] if packages else ["-S"]), "-c", program]
