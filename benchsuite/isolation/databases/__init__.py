"""Throw-away databases of the project: made, filled and removed."""
