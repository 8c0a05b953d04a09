"""Attention as text and as a picture; learning curves as a picture."""
