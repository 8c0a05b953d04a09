"""From text to ids and back: normalising, cutting into tokens, vocabulary, and the Codec that joins them."""
