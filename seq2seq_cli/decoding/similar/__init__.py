"""Translation with similar pairs: the model's probabilities, and those of what stands in the pairs, together."""
