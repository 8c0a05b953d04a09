"""The formats of files that hold sentence pairs, each read as records of columns."""
