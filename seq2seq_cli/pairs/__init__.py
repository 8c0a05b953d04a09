"""Sentence pairs as people have them: files of every kind, plain or packed, published or their own, read as lines."""
