"""Pair files become a prepared folder: cleaning, splits without leaks, vocabularies, ids."""
