"""What a choice is worth in BLEU: minutes of training, length penalties, the first weights of the output layer."""
