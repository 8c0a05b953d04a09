"""Documents: their texts, to be translated, and the same documents with the translations in place."""
