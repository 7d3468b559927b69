"""Public projects that nobody here wrote, each from `pip install` to a stored run."""
