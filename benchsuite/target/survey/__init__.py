"""A survey application: surveys of several pages, kept in the database, answered in a browser."""
