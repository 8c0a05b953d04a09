"""The loop, the optimiser, the run folder and its checkpoints."""
