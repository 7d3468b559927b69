"""What Apache serves; a project that can't be loaded ends Apache, which would answer 500 for ever."""

import os
import signal
import sys
import traceback

os.chdir($project)
sys.path.insert(0, $project)
try:
    from $module import $callable as application
except BaseException:
    traceback.print_exc()
    os.kill(os.getppid(), signal.SIGTERM)
    raise
