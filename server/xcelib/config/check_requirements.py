"""A profile's resource requirement: every text parses and names what exists."""
