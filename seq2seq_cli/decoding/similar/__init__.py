"""Translation with similar pairs: the probabilities of the model and of what stands in the pairs, together."""
