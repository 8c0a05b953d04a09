"""Scores: BLEU and chrF of translations, and all scores of a held-out split, its loss included."""
