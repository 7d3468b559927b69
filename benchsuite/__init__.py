"""Measures Django projects on real servers, in numbers that can be believed."""

__version__ = "0.1.0"
