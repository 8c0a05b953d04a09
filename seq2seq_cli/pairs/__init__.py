"""Files of sentence pairs, plain or packed, one's own or published: found, downloaded, and read as lines."""
