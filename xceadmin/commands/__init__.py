"""One noun a file: parse, call, show."""
