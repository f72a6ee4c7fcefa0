"""The peers: each is a program that starts its cluster, measures, ends it, and prints one JSON object."""
