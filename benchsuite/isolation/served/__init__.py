"""The project inside a measured server."""
