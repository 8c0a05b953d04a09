"""Passages: a text of any kind is taken apart into sentences to translate, and put together again from translations.

    passage = split_passage(text, ...)                        sentences without marks, and all that lies between them
    for piece in passage.pieces:                              each is read, searched and written by itself
        outputs.append(restore(piece, written, ...))          marks put back by the attention weights
    passage.join(outputs)

Everything here is a function of texts and numbers: no model is needed.
"""
