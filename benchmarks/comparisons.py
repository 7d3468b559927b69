"""Whether `benchsuite.stats.compare` keeps its word: simulated server starts, known truth.

    python -m benchmarks.comparisons [--quick] [--cases 400]

Prints how often the 95 % interval holds the true ratio, how often two equal sides come out
"different" (A/A), how often a 5 % slowdown is found, and whether what `detectable` promises is
found as often as it says. Takes two to three minutes; `--quick` a quarter of that.

A script beside this one that is run by its path finds this file where it asks for the standard
module `statistics`; so under that name it hands over that module.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)
    from benchmarks.simulated import main

    main()
elif __name__ == "statistics":
    elsewhere = [place for place in sys.path if Path(place).resolve() != HERE]
    found = PathFinder.find_spec(__name__, elsewhere)
    if found is None or found.loader is None:
        raise ModuleNotFoundError("The standard module statistics is not where it should be.")
    sys.modules[__name__] = module_from_spec(found)
    found.loader.exec_module(sys.modules[__name__])
