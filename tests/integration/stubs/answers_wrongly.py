"""Answers 200 without the run's header, as somebody else's server would."""

import sys

from answering import serve

serve(int(sys.argv[1]), header=False)
