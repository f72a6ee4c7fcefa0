"""The REST API: wire to command, view to wire. Thin: no rule lives here."""
