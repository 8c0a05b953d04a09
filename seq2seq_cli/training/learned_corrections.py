"""The corrections of a run, as training pairs of a run that begins with its weights."""

import logging
from dataclasses import replace

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.decoding.corrections import read_correction, read_corrections
from seq2seq_cli.errors import InputError, UsageError, one_line
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CORRECTIONS
from seq2seq_cli.text.sides import SIDES

logger = logging.getLogger(__name__)


def with_corrections(corpus: PreparedCorpus, origin: RunFolder) -> PreparedCorpus:
    """The corpus with the corrections of a run, and those that it was trained on itself.

    Those that cannot be used are left out with a warning. Raises UsageError when none is left, InputError for a line of
    the file that is no correction.
    """
    path, own, usable = origin.path / CORRECTIONS, corpus.split("train"), dict[str, str]()
    given = origin.provenance().corrections | (read_corrections(path) if path.exists() else {})
    for source, translation in given.items():
        try:
            pairs = correction_pairs(replace(corpus, corrections={source: translation}))
            if any(pairs.side(side).lengths.max() > own.side(side).lengths.max() for side in SIDES):
                raise InputError(f"{one_line(source)}: longer than all training pairs")  # noqa: TRY301  # as any other
            usable[source] = translation
        except InputError as error:
            logger.warning("%s: a correction is left out: %s", origin.path, error)
    if not usable:
        raise UsageError(f"{origin.path}: has no correction that can be learned: s2s correct adds one")
    return replace(corpus, corrections=usable)


def correction_pairs(corpus: PreparedCorpus) -> ParallelIds:
    """The corrections of a corpus, sentence by sentence; raises InputError for one that its codecs cannot write."""
    found = [
        (ids, correction.ids)
        for source, translation in corpus.corrections.items()
        for ids, correction in read_correction(corpus.codecs, source, translation, name=one_line(source)).items()
    ]
    src, tgt = map(Ragged.of, zip(*found, strict=True))
    return ParallelIds(src=src, tgt=tgt)
