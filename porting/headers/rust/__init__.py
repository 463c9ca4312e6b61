"""Rust: the crates of a tree, what they use of CUDA, and the module that gives it over HIP."""
