"""The controller's pure core: state, commands in, events and effects out. No clock, no I/O, no threads."""
