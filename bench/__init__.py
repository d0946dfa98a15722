"""Benchmarks: the product and its baselines in one run, interleaved.  ``python -m bench``."""
