"""Search: the best translations by the proposals of an engine, in numpy; it knows no model."""
