"""The sick project as somebody left it, without the tool that its careless settings name."""

from tests.sabotage.sick.careless import *  # noqa: F403

MIDDLEWARE: list[str] = []
