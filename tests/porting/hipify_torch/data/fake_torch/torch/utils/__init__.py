"""Empty, as a package has to be."""
