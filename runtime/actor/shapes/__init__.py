"""Where things are in a mesh: arithmetic over ranks, and values in their dimensions."""
