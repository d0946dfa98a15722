"""Tests of Arrecife."""
