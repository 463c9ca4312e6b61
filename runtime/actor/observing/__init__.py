"""A program that can be looked at: what its processes and hosts tell, and to whom."""
