"""Management commands of an installation."""
