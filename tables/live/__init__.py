"""Waiting for news: what the live process does for everybody who waits, without HTTP.

``signs`` asks the database whether anything has happened, ``hub`` wakes whoever waits for it, ``feeds``
reads what it was.  Nobody who waits holds a thread or a connection.
"""
