"""The prepared folder as training and evaluation read it: manifest, ids, texts, batches, augmentation, inspection."""
