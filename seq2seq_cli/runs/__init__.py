"""The run folder on disk: layout, weights, checkpoint (which alone needs torch), lock, metrics, listing."""
