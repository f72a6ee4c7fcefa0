"""What the clients and the server share: pure types, grammars and rules. See server/README.md."""
