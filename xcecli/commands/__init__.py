"""One command a file: parse, call, show."""
