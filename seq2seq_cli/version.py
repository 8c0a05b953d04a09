"""The version of s2s."""

__version__ = "0.1.0"
