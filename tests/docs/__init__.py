"""What the documentation says is run."""
