"""Races, against the real server from processes of their own."""
