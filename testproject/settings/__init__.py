"""manage.py loads `console`, measured servers load `target`; both begin with `base`."""
