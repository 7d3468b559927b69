"""Answers right, but only after a second."""

import sys

from answering import serve

serve(int(sys.argv[1]), delay_s=1.0)
