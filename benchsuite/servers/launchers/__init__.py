"""Programs for servers that are libraries without a command line; each runs as a module in its
server's interpreter and imports only that server and the standard library.
"""
