"""The whole cluster in one process, from a seed: the real core, store schema, recovery and scheduler,
over a simulated clock, net, disk and hosts. Same seed, same story."""
