"""Tests: `unit` starts nothing, `integration` starts the real thing, `web` is the pages."""
