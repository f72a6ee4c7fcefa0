"""How each command is decided, a module per concern. All pure: state and command in, a `Decision` out."""
