"""What holds for all tests: nothing is skipped in silence, nothing is left behind."""

pytest_plugins = ["tests.strictness", "tests.left_over"]
