"""The pure rules of every game: standard library only, no clock, no I/O, no chance of their own."""
