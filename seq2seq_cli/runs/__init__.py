"""The run folder on disk: its layout, weights, checkpoint, lock, metrics and listing. Loads without torch."""
