"""The measured views: a separate Django app that imports nothing else of benchsuite."""
