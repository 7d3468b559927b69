"""Runs and comparisons as files for other programs."""
