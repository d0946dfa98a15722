"""Tests of Don't Mess with Cthulhu."""
