"""Build scripts in Python: setup.py for both vendors, and the module that they import for it."""
