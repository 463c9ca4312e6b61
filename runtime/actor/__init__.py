"""Actors on meshes of processes, in the model and with the names of PyTorch Monarch."""
