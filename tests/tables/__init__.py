"""Tables in process, on the real database."""
