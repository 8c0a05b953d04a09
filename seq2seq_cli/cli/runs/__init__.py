"""What the commands of ``s2s runs`` do: the list, the comparison, following a training, removing."""
