"""The views that are measured; a Django app of its own that imports nothing else of benchsuite."""
