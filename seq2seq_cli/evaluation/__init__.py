"""Scores of translations: BLEU, chrF, and the loss of a held-out split."""
