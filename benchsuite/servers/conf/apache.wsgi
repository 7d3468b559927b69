"""What Apache serves."""

import os
import sys

os.chdir($project)
sys.path.insert(0, $project)
try:
    from $module import $callable as application
except BaseException:  # ends Apache, in a run alone: it would answer 500 for ever
    import signal
    import traceback

    traceback.print_exc()
    os.kill(os.getppid(), signal.SIGTERM)
    raise
