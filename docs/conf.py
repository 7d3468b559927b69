"""Sphinx: these pages as a site (`make docs`)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r'__version__ = "(.*)"', (ROOT / "benchsuite/__init__.py").read_text())
assert VERSION is not None

project = "benchsuite"
author = "the authors of benchsuite"
release = version = VERSION[1]
extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = f"benchsuite {release}"
html_show_copyright = False
myst_heading_anchors = 4
highlight_language = "none"
