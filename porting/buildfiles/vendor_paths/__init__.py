"""Paths, tools and variables of NVIDIA's in Python and shell: found, and told what to use."""
