"""Tests of Reafan."""
