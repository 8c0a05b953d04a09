"""Search over a step function, and the translator: sentences in, translations out."""
