"""One update of the weights: loss, teacher forcing, optimiser, schedule, and the state that they change."""
