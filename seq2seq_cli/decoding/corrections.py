"""What the owner of a run corrects: translations of sentences and of terms, which count from the next text on.

A corrected sentence has the given translation; sentences like it consult it, as training pairs are consulted.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.demands import Demands, glossary_of, translated_lines
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.sentences import split_passage
from seq2seq_cli.decoding.translator import Correction, Ids, Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.runs.layout import CORRECTIONS, GLOSSARY
from seq2seq_cli.text.characters import lower, normalise
from seq2seq_cli.text.sides import Codecs
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
    corrections: dict[Ids, Correction] = {}
    codecs = translator.src_codec, translator.tgt_codec
    if (path := run / CORRECTIONS).exists():
        for number, *pair in _corrections_in(path):
            corrections |= read_correction(codecs, *pair, name=f"{path}:{number}")
    if (path := run / GLOSSARY).exists():
        of_run = Demands(terms=glossary_of(read_lines(path), str(path)))
        translator = translator.with_demands(of_run, str(path)).with_demands(translator.demands)
    if not corrections:
        return translator
    from seq2seq_cli.decoding.similar.pairs import MOST_PAIRS, SimilarPairs

    src, tgt = Ragged.of([*corrections]), Ragged.of([each.ids for each in corrections.values()])
    pairs = SimilarPairs.of(src, tgt, others=MOST_PAIRS, least=_LEAST)
    translator = translator.consulting(pairs, most=max(_MOST, translator.options.similar_pairs), corrects=True)
    return replace(translator, corrections=corrections)


def read_corrections(path: Path) -> dict[str, str]:
    """The translations of a file by their sources, the last of each; raises InputError for a line of another form."""
    return {source: translation for _, source, translation in _corrections_in(path)}


def _corrections_in(path: Path) -> Iterator[tuple[int, str, str]]:
    return translated_lines(read_lines(path), str(path), "a source, a tab")


def read_correction(codecs: Codecs, source: str, translation: str, *, name: str) -> dict[Ids, Correction]:
    """The corrections of the sentences of a source, by the ids of the sentences.

    Raises InputError, with the name, unless both sides have as many sentences and the model knows all words, but for
    those that are kept and those that stand on both sides.
    """
    src, tgt = codecs
    sides = zip((source, translation), codecs, strict=True)
    pieces, translations = (split_passage(text, codec.config.language, lambda _: True).pieces for text, codec in sides)
    if not len(pieces) == len(translations) > 0:
        counts = f"{counted(len(pieces), 'sentence')}, its translation {len(translations)}"
        raise InputError(f"{name}: the source has {counts}: give one for each")
    found: dict[Ids, Correction] = {}
    for piece, other in zip(pieces, translations, strict=True):
        read, written = src.read(piece.text, piece.kept), tgt.read(other.text, other.kept)
        places = (place for place, id_ in enumerate(written.ids) if id_ == UNK)
        left = [word.text if word.is_unknown else "" for word in read.words]
        kept, copies = {piece.text[start:end] for start, end in piece.kept}, dict[int, int]()
        for place, word in zip(places, [word.text for word in written.words if word.is_unknown], strict=True):
            if word not in left:
                raise InputError(f"{name}: the model cannot write {word}, and cannot copy it from the source")
            copies[place] = left.index(word)
            left[copies[place]] = ""
        for text in left:
            if text and text not in kept:  # with another unknown word, a source would be the same
                raise InputError(f"{name}: the model does not know {text}, which is not in the translation")
        found[tuple(read.ids)] = Correction(tuple(written.ids), copies, written.case, source_case=read.case)
    return found


def correction_line(translator: Translator, source: str, translation: str) -> bytes:
    """The line of a file of corrections; raises InputError for a correction that could not be used."""
    if any("\t" in side or side.splitlines()[1:] for side in map(str.strip, (source, translation))):
        raise InputError("the correction: has several lines or columns: correct each by itself")
    source, translation = normalise(source), normalise(translation)
    found = read_correction((translator.src_codec, translator.tgt_codec), source, translation, name="the correction")
    [written] = replace(translator, corrections=found).translate([source])
    tgt = translator.tgt_codec.config  # some models lack spaces and case
    plain = [lower(text, tgt.language) if tgt.lowercase else text for text in (written.text, translation)]
    if "".join(plain[0].split()) != "".join(plain[1].split()):  # marks and addresses that the source lacks are lost
        raise InputError(f"the correction: would be written: {written.text}")
    return f"{source}\t{translation}\n".encode()


def add_line(path: Path, line: bytes) -> None:
    """Add a line to a file of corrections, which need not exist; raises InputError for a file that is full."""
    with path.open("a+b") as file:
        if (size := file.tell()) > _MOST_BYTES:
            raise InputError(f"{path.name}: is full: it takes more once its owner has moved lines out of it")
        if size:  # an editor may have left the last line without its end
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)
