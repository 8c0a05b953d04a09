"""Attention as text and as a picture; any figure as a file."""
