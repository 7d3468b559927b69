"""Makes the trials that a search asks for as runs, and tells it what they showed."""
