"""The cluster's configuration as the daemons and clients know it: model, check, canonical form."""
