"""The program `benchsuite`: measures a project from its folder, without a line in the project."""
