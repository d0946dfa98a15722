"""Clients that others generate from the document, generated, compiled and put to use: ``make clients``."""
