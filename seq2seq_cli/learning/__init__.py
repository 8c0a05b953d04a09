"""One update of the weights: loss, teacher forcing, REINFORCE, optimiser, schedule, state."""
