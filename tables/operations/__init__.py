"""What an operator needs to know of an installation: health, metrics, logs, and what the doctor finds."""
