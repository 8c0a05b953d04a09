"""``s2s prepare`` as a function: from pair files and the name of a config to a prepared folder."""

from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepared import DEFAULT_FOLDER
from seq2seq_cli.pairs.pair_files import pair_paths
from seq2seq_cli.preparation.prepare import PrepareReport, prepare_corpus
from seq2seq_cli.preparation.reading import LineProgress
from seq2seq_cli.preparation.workers import workers_at
from seq2seq_cli.text.sides import load_codecs


def prepare(
    *files: Path | str,
    src: Sequence[Path | str] = (),
    tgt: Sequence[Path | str] = (),
    valid: Sequence[Path | str] = (),
    test: Sequence[Path | str] = (),
    out: Path | str | None = None,
    config: str | None = None,
    overrides: Sequence[str] = (),
    languages: str | None = None,
    codec_from: Path | str | None = None,
    overwrite: bool = False,
    executor: str | None = None,
    progress: LineProgress = lambda _done, _total: None,
) -> PrepareReport:
    """Make the prepared folder `out` (``data/prepared`` by default) from files of sentence pairs.

    `files` hold pairs; `src` and `tgt` are aligned files with one side each. `valid` and `test` are held-out splits,
    taken as they are. `config` is a config by name or path, `overrides` are keys of it with other values
    (``"text.unit=bpe"``). `languages` names the columns (``en-de``), `codec_from` a run whose vocabularies are used,
    `executor` a Dask cluster that does the work. `progress` is called with (lines done, estimated total).

    Raises S2SError: PairFileError for a file that cannot be used, UsageError when `out` may not be replaced or options
    contradict each other, InputError for a language without a tokenizer, Interrupted when the user stops it.
    """
    return prepare_corpus(
        pair_paths(_paths(files), _paths(src), _paths(tgt)),
        DEFAULT_FOLDER if out is None else Path(out),
        load_config(config, overrides),
        valid=_paths(valid),
        test=_paths(test),
        languages=languages,
        codecs=load_codecs(Path(codec_from)) if codec_from else None,
        overwrite=overwrite,
        open_workers=workers_at(executor),
        progress=progress,
    )


def _paths(paths: Sequence[Path | str]) -> list[Path]:
    return list(map(Path, paths))
