"""Programs for servers that are libraries and bring no command line of their own.

Each runs as a module in the interpreter of its server, and imports that server and the standard
library.
"""
