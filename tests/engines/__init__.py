"""Tests of the engines: those of one game in its folder, those of every game beside them."""
