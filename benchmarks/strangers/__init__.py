"""Public projects that nobody here wrote, each from `pip install` to a stored run.

    python -m benchmarks.strangers [NAME …]

`projects.py` says what each one is, `trying.py` tries it as its owner would by the quickstart, and
`theirs.py` tells whether anything of theirs is another one afterwards.
"""
