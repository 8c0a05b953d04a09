"""The config: every key with its type, range, default and sentence; a module per section.

A YAML file has five sections: ``data`` and ``text`` say how ``s2s prepare`` makes a corpus, ``model`` and
``training`` what ``s2s train`` makes of it, ``decoding`` how ``s2s translate`` searches. Messages,
``s2s configs show`` and the JSON schema are made from here: a new key needs no line elsewhere.
"""
