"""Attention as text, picture and file; learning curves as a picture."""
