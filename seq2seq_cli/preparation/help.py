"""Files that help to train, beside the pairs of the two languages: related languages, word lists, texts of one side.

A related pair shares the source's or the target's language and stands on that side. A text of one side has equal sides
here; training changes its sources.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.manifest import ENDINGS
from seq2seq_cli.corpus.splits import RELATED, SRC_ONLY, TGT_ONLY, PartName
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.marked_lines import find_marked
from seq2seq_cli.pairs.pair_files import PairFile
from seq2seq_cli.pairs.recognise import recognise
from seq2seq_cli.pairs.stated_languages import DEFAULT, Codes, by_words, find_mismatch, fits, script_of, with_languages
from seq2seq_cli.pairs.xml_records import find_xml
from seq2seq_cli.preparation.analysis import PairSettings
from seq2seq_cli.text.characters import letter_of_marks
from seq2seq_cli.text.languages import name_of
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.text.vocabulary import UNK

_MEASURED: dict[PartName, tuple[SideName, ...]] = {"related": SIDES, "tgt_only": ("tgt",)}
"""The sides on which a part may have what the own pairs lack."""
_BLOCK = 1 << 17
"""Sentences that are compared at a time."""

_OPTIONS = {TGT_ONLY: "--tgt-only", SRC_ONLY: "--src-only"}


def read_help(file: PairFile, codes: Codes | None, config: Config) -> tuple[PairFile, PairSettings, list[str]]:
    """A file that helps, recognised, with the way to read it and what may be wrong with it.

    A related file is turned around if the language that it shares stands on the other side. `config` has the languages
    of the translator, `codes` are stated ones of the columns of a related file. Raises UsageError for a related file
    that shares no language, and PairFileError for a text that is none, or for texts in the script of another language.
    """
    if file.split in _OPTIONS:
        return _of_text(file, config)
    text, data = config.text, config.data
    [file] = recognise([file], encoding=data.encoding, columns=None, languages=codes)
    own, related = text.languages, file.split == RELATED
    columns = file.sample(data.encoding)
    if related:
        stated = codes or (file.statement and file.statement.codes)
        cure = f"name the languages of its columns behind it, as in --related FILE:{own[1]}-fr"
    else:  # few words tell their language, but many their script
        orders = (own[::-1], own) if data.swap else (own, own[::-1])
        fitting = [order for order in orders if not find_mismatch(columns, order)]
        stated = file.statement.codes if file.statement else (*fitting, orders[0])[0]
        cure = "--dictionary is for words in the two languages"
    found = stated or by_words(columns).codes
    straight, turned = (sum(map(str.__eq__, each, own)) for each in (found, found[::-1]))
    if related and not straight and not turned:
        raise UsageError(
            f"{file.name}: is taken as {' and '.join(map(name_of, found))}, and shares neither"
            f" {' nor '.join(map(name_of, own))} with the pairs: {cure}"
        )
    swap = data.swap if straight == turned else turned > straight
    src, tgt = (found[::-1] if swap else found) if related else own
    in_languages, warnings = with_languages(text, src, tgt)
    if mismatch := find_mismatch(columns, (tgt, src) if swap else (src, tgt), cure):
        if not codes:
            raise PairFileError(f"{file.name}: {mismatch}")
        warnings.append(f"{file.name}: {mismatch}")
    first, second = map(letter_of_marks, columns)
    notice = f"{file.name}: read as {name_of(src)} to {name_of(tgt)} ({src}-{tgt})" if related else file.notice
    file = replace(file, languages=found if related else None, notice=notice)
    return file, PairSettings(text=in_languages, letters=(first, second), swap=swap), warnings


def _of_text(file: PairFile, config: Config) -> tuple[PairFile, PairSettings, list[str]]:
    """A text in the language of one side."""
    file = replace(file, is_text=True)
    option = _OPTIONS[file.split]
    language = (config.text.tgt if file.split == TGT_ONLY else config.text.src).language
    lines, _ = file.sample(config.data.encoding)
    has_columns = 2 * sum("\t" in line.strip() for line in lines) > len(lines)
    if has_columns or find_marked(head := "\n".join(lines)) or find_xml(head):
        what = "has columns" if has_columns else "has marks that are no text"
        raise PairFileError(f"{file.name}: {what}: {option} is for a text in one language, a sentence per line")
    script = script_of(lines)
    if not fits(script, language):
        raise PairFileError(f"{file.name}: is in {script} script, not {name_of(language)} ({language}), for {option}")
    in_language, _ = with_languages(config.text, language, language)
    letter, (seen, again) = letter_of_marks(lines), by_words((lines, lines)).codes
    is_other = seen == again and {seen, language} == {*DEFAULT}
    other = f"{file.name}: looks like {name_of(seen)}, and {option} is for {name_of(language)} ({language})"
    return file, PairSettings(text=in_language, letters=(letter, letter), swap=False), [other] if is_other else []


def covered(folder: Path, part: PartName) -> float | None:
    """The share that a part has of the neighbouring units in the validation split that the training split lacks.

    Of the side that has more, for related pairs: their other side is in another language. None for a part that is not
    measured, and where the training split lacks nothing or there is no validation split.
    """
    shares = []
    for side in _MEASURED.get(part, ()):
        valid, train, others = (_neighbours(folder / f"{name}.{side}") for name in ("valid", "train", part))
        if len(missing := _lacking(np.concatenate(list(valid)), train)):
            shares.append(1 - len(_lacking(missing, others)) / len(missing))
    return max(shares, default=None)


def _lacking(pairs: NDArray[np.int64], blocks: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The pairs of neighbours that are in none of the blocks."""
    for block in blocks:
        pairs = pairs[np.isin(pairs, block, invert=True)]
    return pairs


def _neighbours(stem: Path) -> Iterator[NDArray[np.int64]]:
    """Each two neighbouring units of a sentence, both known, as one number: a block of sentences at a time."""
    ids, offsets = (np.load(stem.with_name(stem.name + ending), mmap_mode="r") for ending in ENDINGS[:2])
    for first in range(0, len(offsets), _BLOCK):
        bounds = offsets[first : first + _BLOCK + 1]
        units, sentence = ids[bounds[0] : bounds[-1]].astype(np.int64), np.repeat(bounds[1:], np.diff(bounds))
        known = units != UNK
        yield (units[:-1] << 32 | units[1:])[known[:-1] & known[1:] & (sentence[:-1] == sentence[1:])]
