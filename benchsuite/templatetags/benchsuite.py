"""`{% load benchsuite %}`. Django imports this module for every command of a project, so what the
tags need is imported when a template first loads them.
"""

from importlib import import_module

from django.utils.functional import SimpleLazyObject

register = SimpleLazyObject(lambda: import_module("benchsuite.report.pages.html").register)
