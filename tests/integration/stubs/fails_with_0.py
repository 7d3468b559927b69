"""Prints why it can't, and ends with 0, as hypercorn and `uvicorn --workers 2` do."""

import traceback

try:
    import no_such_module
except ImportError:
    traceback.print_exc()
    print("shutting down")
else:
    raise AssertionError(no_such_module)
