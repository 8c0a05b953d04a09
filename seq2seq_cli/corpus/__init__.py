"""From a file of sentence pairs to leak-free splits, memory-mapped ids and batches."""
