"""Benchmarks, as ratios: a machine's own speed cancels out."""
