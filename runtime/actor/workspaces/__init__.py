"""Workspaces: directories of the client that its hosts have copies of."""
