"""What the page knows of text, as plain data: the tables and expressions of Python."""

import sys
from typing import Any, TypeAlias

from seq2seq_cli.decoding import keep, marks, sentences
from seq2seq_cli.decoding.page.javascript import Expression, to_javascript
from seq2seq_cli.decoding.search.search import LEAST_COVERAGE
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.letters import DOTTED
from seq2seq_cli.text.normalise import APOSTROPHES, DROPPED, INNER_APOSTROPHE, LOUD_STOPS, SPACING, UNSPACED
from seq2seq_cli.text.tokenizer import KINDS, LONGEST_WORD, TokenizerRules

Data: TypeAlias = dict[str, Any]


def codec_data(codec: Codec) -> Data:
    """A codec whose tokens are characters, or words cut by rules."""
    return {
        "unit": codec.unit,
        "language": codec.config.language,
        "lowercase": codec.config.lowercase,
        "spacing": codec.config.spacing,
        "apostrophe": codec.apostrophe,
        "words": codec.vocabulary.words,
        "merges": codec.merges,
        "tokenizer": codec.rules and _tokenizer_data(codec.rules),
    }


def _tokenizer_data(rules: TokenizerRules) -> Data:
    expressions = {kind: to_javascript(rules.pattern(kind), finds_all=kind == "infix") for kind in KINDS}
    return {"isKnown": rules.is_known, "exceptions": rules.exceptions, "expressions": expressions}


def expressions_data() -> dict[str, Expression]:
    """The expressions that are the same for all languages, by the names that the scripts have for them."""
    unspaced = f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in UNSPACED)}]"
    solid, letter = to_javascript(rf"[^\s{SPACING}]")[0], rf"[[\p{{L}}\p{{N}}\p{{M}}]--{to_javascript(unspaced)[0]}]"
    one: Data = {
        "space": r"\s",
        "digit": r"\d",
        "anyMark": marks.ANY_MARK,
        "htmlTag": marks.TAG,
        "first": marks.FIRST,
        "unspaced": unspaced,
        "following": sentences.FOLLOWING,
        "lastWord": sentences.LAST_WORD,
    }
    every: Data = {
        "innerApostrophe": INNER_APOSTROPHE,
        "dropped": DROPPED,
        "gap": rf"[\s{SPACING}]",
        "mark": marks.MARK,
        "sentenceEnd": sentences.SENTENCE_END,
        "widened": keep.WIDENED,
        **{f"cut{rank}": cut for rank, cut in enumerate(sentences.CUTS)},
    }
    return {
        **{name: to_javascript(pattern) for name, pattern in one.items()},
        **{name: to_javascript(pattern, finds_all=True) for name, pattern in every.items()},
        # Words as in keep.py, parted by punctuation; with the classes of JavaScript, as Python has no such ones.
        "words": (rf"{solid}(?:\p{{M}}|\u200d|(?<=\u200d){solid}|(?<={letter}){letter})*", "gv"),
    }


def tables_data(language: str) -> Data:
    """The tables by the names that the scripts have for them; the abbreviations are of the source's language."""
    letters = filter(str.islower, map(chr, range(sys.maxunicode + 1)))
    return {
        "titles": {letter: letter.title() for letter in letters if letter.title() != letter.upper()},
        "dotted": sorted(DOTTED),
        "apostrophes": APOSTROPHES,
        "kinds": marks.KINDS,
        "singleStops": sentences.SINGLE_STOPS,
        "openingMarks": sentences.OPENING_MARKS,
        "otherStops": sentences.OTHER_STOPS,
        "loudStops": LOUD_STOPS,
        "noStops": "" if language == "el" else sentences.GREEK_STOPS,
        "units": sentences.UNITS,
        "noSpaceBefore": keep.NO_SPACE_BEFORE,
        "longestWord": LONGEST_WORD,
        "leastCoverage": LEAST_COVERAGE,
        "longestAbbreviation": sentences.LONGEST_ABBREVIATION,
        "abbreviations": sorted(sentences.abbreviations_of(language)),
    }
