"""How a port reaches the disk: whole trees, single files, changes in place; or a diff."""
