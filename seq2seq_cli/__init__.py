"""s2s: train an attention translator from any file of sentence pairs, and use it."""

__version__ = "0.1.0"
