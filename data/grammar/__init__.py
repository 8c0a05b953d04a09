"""A small grammar of English and German, which writes the sentence pairs of `data/sample.txt` and their links.

Its sentences depend on nothing but these files and a seed. Read them in this order:

- `words.py`: what is known of a word; `lexicon.py` and `verbs.py` are the words
- `meaning.py`: what a sentence says; `english.py` and `german.py` say it
- `alignment.py`: words that know what they stand for, and the links between the two languages
- `sampler.py`: draws a meaning; `simple.py` and `subordinate.py`: patterns that put it into a sentence of one clause
  or of two
- `collection.py`: how many sentences of each pattern are in the file, and which of them stay
- `__main__.py`: the command
"""

from data.grammar.collection import pairs

__all__ = ["pairs"]
