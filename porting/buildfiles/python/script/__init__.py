"""The text of the generated gpu_build.py, as modules that are checked and tested like any other.

`generate` joins them below the tables that they import, so they use the standard library of Python
3.8 alone, and each name once.
"""
