"""Locust, whose import patches the interpreter with gevent: programs import this before anything
else.

gevent tells installed packages of each of 25 patches, and reads the metadata of all packages each
time: a quarter of a second of CPU time in a usual environment. Here they are read once.
"""

from importlib import metadata

_entry_points = metadata.entry_points
metadata.entry_points = metadata.entry_points().select
try:
    import locust  # noqa: F401
finally:
    metadata.entry_points = _entry_points
