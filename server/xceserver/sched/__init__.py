"""The scheduler: a pure session over a view of the cluster, and the process around it."""
