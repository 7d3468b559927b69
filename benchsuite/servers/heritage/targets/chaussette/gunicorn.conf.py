"""Starts, in each process, the threads that the second version of the application uses."""


class Config:
    backend = "gevent"


def post_fork(server, worker):
    from chaussette.util import setup_bench

    setup_bench(Config)
