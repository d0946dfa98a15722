"""The client in the browser: its files, and real games in a real browser."""
