"""System checks: wrong settings are found by `manage.py check`, each with an id and a hint."""
