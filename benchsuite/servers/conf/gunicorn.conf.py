"""What gunicorn reads instead of a gunicorn.conf.py that happens to lie in the project's folder.

Everything that is measured stands on the command line. Gunicorn ignores names it doesn't know, so
this also works with versions that have no control socket.
"""

control_socket_disable = True  # it would lie in the user's home, and two runs would share it
