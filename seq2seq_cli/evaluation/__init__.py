"""Scores of translators: on a split while they are trained, and of finished ones with all that is known about them."""
