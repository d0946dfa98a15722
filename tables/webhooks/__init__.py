"""Telling the programs of players what happens at their tables, by Standard Webhooks.

``announcing`` writes a delivery for each endpoint in the transaction of what happened; ``delivering``
sends what is due, ``sending`` one request; ``schedule`` says when a failure is tried again, and when an
endpoint is given up.  ``targets`` says what may be reached at all, ``signing`` makes secrets and
signatures, ``endpoints`` and ``deliveries`` are what the API does.

A body says that something happened at a table, and where its log stands: public facts alone.
Sources: api.md 3.8; security.md, "Webhook SSRF".
"""
