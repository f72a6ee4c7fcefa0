"""Resource requirements: one string or mapping, parsed into a tree that prints canonically."""
