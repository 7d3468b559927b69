"""Executions of studies as people read them: a page, Markdown, CSV and one HTML file."""
