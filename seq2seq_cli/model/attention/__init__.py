"""Attention = score x scope."""
