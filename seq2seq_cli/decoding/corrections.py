"""What the owner of a run corrects: translations of sentences and of terms, which count from the next text on.

A corrected sentence has the given translation; sentences like it consult it, as training pairs are consulted.
"""

import os
from dataclasses import replace
from pathlib import Path

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.demands import Demands, glossary_of, translated_lines
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.sentences import split_passage
from seq2seq_cli.decoding.translator import Ids, Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.runs.layout import CORRECTIONS, GLOSSARY
from seq2seq_cli.text.normalise import normalise
from seq2seq_cli.text.vocabulary import UNK

_MOST = 8
"""Corrections that a sentence consults, or as many as training pairs where these are more."""
_MOST_BYTES = 10_000_000
"""The size at which a file takes no more: anybody may send suggestions."""
_LEAST = 0.5
"""The least similarity of a corrected source that a sentence consults: others keep their translations to the letter."""


def corrected(run: Path, translator: Translator) -> Translator:
    """The translator with the corrections and the glossary in a run folder; the same one where it has neither.

    The last correction of a source counts. Raises InputError for a line that cannot be used.
    """
    corrections: dict[Ids, Ids] = {}
    if (path := run / CORRECTIONS).exists():
        for number, *pair in translated_lines(read_lines(path), str(path), "a source"):
            corrections |= correction_ids(translator, *pair, name=f"{path}:{number}")
    if (path := run / GLOSSARY).exists():
        translator = translator.with_demands(Demands(terms=glossary_of(read_lines(path), str(path))))
    if not corrections:
        return translator
    from seq2seq_cli.decoding.similar.engine import ConsultingEngine
    from seq2seq_cli.decoding.similar.pairs import MOST_PAIRS, SimilarPairs

    sides = (Ragged.of([*side]) for side in (corrections.keys(), corrections.values()))
    pairs = SimilarPairs.of(*sides, others=MOST_PAIRS, least=_LEAST)
    most, weight = max(_MOST, translator.options.similar_pairs), translator.options.similar_pairs_weight
    engine = ConsultingEngine(translator.engine, pairs, most=most, weight=weight)
    return replace(translator, engine=engine, corrections=corrections)


def correction_ids(translator: Translator, source: str, translation: str, *, name: str) -> dict[Ids, Ids]:
    """The ids of the sentences of a source, and of their translations.

    Raises InputError, with the name, unless both sides have as many sentences and the model knows all words.
    """
    src, tgt = translator.src_codec, translator.tgt_codec
    pieces = translator.split(source).pieces
    translations = split_passage(translation, tgt.config.language, lambda _: True).pieces
    if not len(pieces) == len(translations) > 0:
        counts = f"{counted(len(pieces), 'sentence')}, its translation {len(translations)}"
        raise InputError(f"{name}: the source has {counts}: correct each sentence by itself")
    found: dict[Ids, Ids] = {}
    for piece, other in zip(pieces, translations, strict=True):
        sides = [tuple(codec.read(each.text, each.kept).ids) for codec, each in ((src, piece), (tgt, other))]
        for ids, text in zip(sides, (piece.text, other.text), strict=True):
            if ids.count(UNK) > len(piece.kept):  # with other unknown words, a source would be the same
                raise InputError(f"{name}: the model does not know all words of {text}: choose others")
        found[sides[0]] = sides[1]
    return found


def add_correction(path: Path, translator: Translator, source: str, translation: str) -> None:
    """Add a line to a file of corrections, which need not exist.

    Raises InputError for a correction that could not be used, and for a file that is full.
    """
    correction_ids(translator, source, translation, name="the correction")
    line = f"{normalise(source)}\t{normalise(translation)}\n".encode()
    with path.open("a+b") as file:
        if (size := file.tell()) > _MOST_BYTES:
            raise InputError(f"{path.name}: is full: no more is taken until the owner of the run has read it")
        if size:  # an editor may have left the last line without its end
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)
