"""A module that ends the interpreter when it is imported."""

raise SystemExit(3)
