"""Settings, as a process meets them."""
