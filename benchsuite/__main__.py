"""`python -m benchsuite` is the program `benchsuite`."""

import sys

from benchsuite.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
