"""Encoder, attention, decoder: the networks."""
