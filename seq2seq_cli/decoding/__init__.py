"""Translation: search over the steps of a model, copying of unknown words, and the Translator from text to text."""
