"""Settings of the project that are replaced while it is measured."""
