"""`breakpoint()` in actors: sessions, terminals, and the debugger of a program."""
