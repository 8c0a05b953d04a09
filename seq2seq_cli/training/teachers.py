"""Data diversification: first models of both directions translate the training pairs, and the last model reads all.

Nguyen et al. 2020, "Data diversification: a simple strategy for neural machine translation", algorithm 1 with one
round. The translations are a part of a prepared folder, and help the own pairs as related pairs do (see `feed`).
"""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from seq2seq_cli.compute.environment import has_other_processes
from seq2seq_cli.config.loader import dump_config, load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER, MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.writing import write_json, write_whole
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import check_free
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.training.plan import BASE, Options, run_path

logger = logging.getLogger(__name__)


def with_teachers(options: Options, teachers: int, train: Callable[..., object]) -> Options:
    """The options of the last model, after so many first models per direction have taken a half of the minutes.

    ``train(minutes=..., data=...)`` trains one of them. They stay in a folder beside the run: called again, it takes
    those that are there, and goes on. Raises UsageError for options of another kind of run, for pairs that have other
    help, and where the folder has teachers of another corpus.
    """
    if not options.is_dialled or teachers < 0 or has_other_processes():
        raise UsageError("--teachers: takes 1 or more, and no --config, --resume, --init-from or torchrun")
    path, corpus = run_path(options), PreparedCorpus.open(options.data or DEFAULT_FOLDER)
    check_free(path, overwrite=options.overwrite)
    if len(corpus.manifest.splits) > len(SPLITS):
        raise UsageError(f"{corpus.path}: has more than pairs: the translations of --teachers help pairs alone")
    folder, begun = path.with_name(f"{path.name}_teachers"), time.monotonic()
    first = RunFolder(folder / "forward1")
    if first.has_checkpoint and not options.overwrite and first.provenance().fingerprint != corpus.fingerprint:
        raise UsageError(f"{folder}: has the teachers of another corpus: --overwrite trains others, --out names others")
    from seq2seq_cli.decoding.load import load  # not above: torch, for a mistake is told before

    minutes = options.minutes or load_config(BASE, options.overrides).training.max_minutes or 0.0
    corpora = {"forward": corpus, "back": _prepared(corpus, folder / "swapped", SIDES[::-1])}
    found = []
    for number, (name, data) in product(range(1, teachers + 1), corpora.items()):
        run, translations = RunFolder(folder / f"{name}{number}"), folder / f"{name}{number}.tsv"
        if options.overwrite or not translations.is_file():
            saved = run.has_checkpoint and not options.overwrite
            train(
                minutes=None if saved else minutes / (4 * teachers),
                data=data.path,
                out=run.path,
                overrides=[*options.overrides, f"training.seed={number}"],
                resume=saved,
                overwrite=not saved,
            )
            sources = list(data.texts("train", "src"))
            logger.info("%s translates %s", run.path, counted(len(sources), "training sentence"))
            # Without similar pairs: each sentence is most similar to itself.
            translated = load(run.path, overrides=["decoding.similar_pairs=0"]).translate(sources)
            sides = (sources, translated) if name == "forward" else (translated, sources)
            lines = [f"{src}\t{tgt}\n" for src, tgt in zip(*sides, strict=True) if src and tgt]
            write_whole(translations, "".join(lines).encode("utf-8"))
        found.append(f"{translations}:{'-'.join(corpus.manifest.text.languages)}")
    last = _prepared(corpus, folder / "prepared", SIDES, related=found)
    left = minutes - (time.monotonic() - begun) / 60
    minutes = round(min(max(left, minutes / 4), minutes / 2), 2)
    # They say the same as the pairs: of the neighbouring units that these lack, they have few.
    overrides = ["training.help.least_covered=0", *options.overrides]
    return replace(options, data=last.path, out=path, minutes=minutes, overrides=overrides)


def _prepared(
    corpus: PreparedCorpus, out: Path, sides: tuple[SideName, ...], related: Sequence[str] = ()
) -> PreparedCorpus:
    """The splits of a corpus, prepared again with a source and a target of its `sides`."""
    from seq2seq_cli.preparation.pipeline import prepare  # spaCy

    text, data = corpus.manifest.text, corpus.manifest.data
    src, tgt = (getattr(text, side) for side in sides)
    config = Config(
        text=text.model_copy(update={"src": src, "tgt": tgt}),
        data=DataConfig(max_tokens=data.max_tokens, max_ratio=data.max_ratio, valid_sources=0, test_sources=0),
    )
    write_whole(out.with_suffix(".yaml"), dump_config(config).encode("utf-8"))
    (source, target), valid, test = (
        [corpus.path / f"{split}.{side}.txt" for side in sides if corpus.manifest.splits[split].pairs]
        for split in SPLITS
    )
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
    return PreparedCorpus.open(out)
