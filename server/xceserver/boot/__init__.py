"""Composition roots: where the parts are put together and started. Nobody imports this package."""
