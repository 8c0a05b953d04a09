"""Data diversification: first models of both directions translate the training pairs, and the last model reads all.

Nguyen et al. 2020, "Data diversification: a simple strategy for neural machine translation", algorithm 1 with one
round. The translations are a part of a prepared folder, and help the own pairs as related pairs do (see `feed`).
"""

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.corpus.manifest import MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.writing import write_json, write_whole
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.sides import SIDES, SideName

TRANSLATED = "training.help.least_covered=0"
"""Has the last model read the translations, which share most neighbouring units with the pairs."""


def add_translations(
    corpus: PreparedCorpus,
    folder: Path,
    teachers: int,
    train: Callable[[Path, RunFolder, int], object],
    *,
    overwrite: bool,
) -> Path:
    """A prepared folder with the corpus and its translations by so many first models per direction, all in `folder`.

    ``train(data, run, seed)`` trains one of them. Translations that an earlier call has left are taken, unless they are
    to be overwritten. Raises UsageError for a corpus that has other help, and when the earlier call had another corpus.
    """
    if len(corpus.manifest.splits) > len(SPLITS):
        raise UsageError(f"{corpus.path}: has more than pairs: translations by --teachers help pairs alone")
    first = RunFolder(folder / "forward1")
    if first.has_checkpoint and not overwrite and first.provenance().fingerprint != corpus.fingerprint:
        raise UsageError(f"{folder}: has the teachers of another corpus: --overwrite trains others, --out names others")
    swapped = _prepare(corpus, folder / "swapped", SIDES[::-1])
    found = []
    for number, name in product(range(1, teachers + 1), ("forward", "back")):
        run, translations = RunFolder(folder / f"{name}{number}"), folder / f"{name}{number}.tsv"
        if overwrite or not translations.is_file():
            data = corpus.path if name == "forward" else swapped
            train(data, run, number)
            pairs = _translated(run, PreparedCorpus.open(data))
            lines = [f"{src}\t{tgt}\n" for src, tgt in (pairs if name == "forward" else map(reversed, pairs))]
            write_whole(translations, "".join(lines).encode("utf-8"))
        found.append(f"{translations}:{'-'.join(corpus.manifest.text.languages)}")
    return _prepare(corpus, folder / "prepared", SIDES, related=found)


def _translated(run: RunFolder, corpus: PreparedCorpus) -> list[tuple[str, str]]:
    """The sources of the training pairs with their translations, but for empty ones.

    Similar pairs are not consulted: each sentence is most similar to itself.
    """
    from seq2seq_cli.decoding.load import load  # torch

    sources = list(corpus.texts("train", "src"))
    translations = load(run.path, overrides=["decoding.similar_pairs=0"]).translate(sources)
    return [pair for pair in zip(sources, translations, strict=True) if pair[1]]


def _prepare(corpus: PreparedCorpus, out: Path, sides: tuple[SideName, ...], related: Sequence[str] = ()) -> Path:
    """A folder with the splits of a corpus, prepared again with a source and a target of its `sides`."""
    from seq2seq_cli.preparation.pipeline import prepare  # spaCy

    text, data = corpus.manifest.text, corpus.manifest.data
    src, tgt = (getattr(text, side) for side in sides)
    config = Config(
        text=text.model_copy(update={"src": src, "tgt": tgt}),
        data=DataConfig(max_tokens=data.max_tokens, max_ratio=data.max_ratio, valid_sources=0, test_sources=0),
    )
    write_whole(out.with_suffix(".yaml"), dump_config(config).encode("utf-8"))
    files = [
        [corpus.path / f"{split}.{side}.txt" for side in sides if corpus.manifest.splits[split].pairs]
        for split in SPLITS
    ]
    (source, target), valid, test = files
    manifest = prepare(
        src=[source],
        tgt=[target],
        valid=valid,
        test=test,
        related=related,
        out=out,
        config=str(out.with_suffix(".yaml")),
        overwrite=True,
    ).manifest
    named = manifest.model_copy(update={"pair_files": corpus.manifest.pair_files})  # the model card says: made from
    write_json(out / MANIFEST, named.model_dump())
    return out
