"""What is kept of the stacks of a profiler."""

from pathlib import Path

VIEW = f"{Path.cwd()}/shop/views.py"
WAITING = """\
run (/usr/lib/python3.11/threading.py:9);EpollSelector.select (/usr/lib/python3.11/selectors.py:4) 9
run (/usr/lib/python3.11/threading.py:9);Condition.wait (/usr/lib/python3.11/threading.py:288) 9
_worker (/usr/lib/python3.11/concurrent/futures/thread.py:69) 9
<module> (/opt/venv/bin/uwsgi:1) 9
"""
LIB = "/opt/venv/lib/python3.11/site-packages"
SEEN = f"""\
process 1:"gunicorn";<module> (/opt/venv/bin/gunicorn:1);list ({LIB}/django/x.py:3) 5
process 1:"gunicorn";run (/usr/lib/python3.11/threading.py:9);list_products ({VIEW}:7) 8
process 1:"gunicorn";cpu ({LIB}/benchsuite/target/views/sync.py:4) 2
run (<frozen importlib._bootstrap>:2);watch (/srv/benchsuite/isolation/served/x.py:1) 1
"""


def test_values(golden):
    golden.values()
