"""Configuration sources: YAML read with positions, and built into one ClusterConfig."""
