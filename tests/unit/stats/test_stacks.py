"""Stacks of a profiler: read, bounded, packed, counted by function, and as boxes."""

SEEN = """\
process 7:"gunicorn -c "x; y" shop.wsgi";process 8:"gunicorn: worker";run (a.py:1);view (v.py:5) 30
process 7:"python -c import os
os.x()";run (a.py:1);view (v.py:5) 12
run (a.py:1);view (v.py:5);<genexpr> (v.py:9) 40
run (a.py:1) 18
half a line"""

FOUND = {
    ("run (a.py:1)", "view (v.py:5)"): 42,
    ("run (a.py:1)", "view (v.py:5)", "<genexpr> (v.py:9)"): 40,
    ("run (a.py:1)",): 18,
}


def test_values(golden):
    golden.values()
