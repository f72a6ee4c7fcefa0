"""Presets on disk, and their expansion."""
