"""Clients of the public API, under the MIT licence (see LICENSE beside this file)."""
