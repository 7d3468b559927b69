"""Tunings as people read them: a page, Markdown and one HTML file."""
