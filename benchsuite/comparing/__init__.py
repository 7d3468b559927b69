"""Runs against runs: which may be compared, what differs, and whether a difference is real."""
