"""One Plan → one RunResult. Knows no models."""

from benchsuite.runner.session import Session, Watcher, session

__all__ = ["Session", "Watcher", "session"]
