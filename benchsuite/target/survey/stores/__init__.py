"""Stores for answers beside the database's own."""
