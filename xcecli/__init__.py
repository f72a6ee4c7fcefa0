"""`xcecli`: the user's client."""
