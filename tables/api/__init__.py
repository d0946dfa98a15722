"""HTTP: bodies in, records out; every rule and every row is elsewhere."""
