"""The append-only event store: streams of bytes, their hashes and commitments.

It knows no game and no table.  What the bytes mean is said by the transcript format ``ttx v1``.
"""
