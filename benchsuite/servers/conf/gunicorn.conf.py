"""Read by gunicorn instead of a gunicorn.conf.py that happens to be in the project's folder.

All measured settings are on the command line. Gunicorn ignores unknown names, so this also works
with versions that have no control socket.
"""

control_socket_disable = True  # it would be in the user's home, shared by two runs
