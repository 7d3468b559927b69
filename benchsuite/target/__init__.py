"""The measured views: a separate Django app that imports nothing else of benchsuite."""

MAX_SIZE = 10**8  #: About ten seconds of one CPU: more would only hang the server.
MAX_BODY_BYTES = 2**24
MAX_EVENT_BYTES = 2**20
MAX_SLEEP_S = 60.0
MAX_CALLS = 100
PAGE = 25  #: Rows that io_read reads.
