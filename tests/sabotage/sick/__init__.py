"""A Django project whose pages are wrong in a known way each."""
