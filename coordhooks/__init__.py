"""Coordination of many coding agents on one codebase."""

__version__ = "0.1.0"
