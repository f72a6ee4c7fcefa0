"""What both clients share: io, guard, views, the HTTP client, settings, the bridge to typer."""
