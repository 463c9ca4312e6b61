"""Bazel build files: CUDA in them is found and told; they are not converted."""
