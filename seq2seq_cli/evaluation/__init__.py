"""Scores of translations, and pictures of attention."""
