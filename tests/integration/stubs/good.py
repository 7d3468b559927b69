"""Does all that is asked of a server."""

import sys

from answering import serve

serve(int(sys.argv[1]))
