"""Serves someone else's project with a few settings changed and none of its data at risk."""
