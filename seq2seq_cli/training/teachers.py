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

from seq2seq_cli.compute.process import has_other_processes
from seq2seq_cli.config.keys import values_by_key
from seq2seq_cli.config.loader import load_config, overridden_keys
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER, MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import Interrupted, TrainingError, UsageError
from seq2seq_cli.files.writing import write_json, write_whole
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import check_free
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.training.plan import BASE, Options, checked, run_path
from seq2seq_cli.training.resolve import resolve_config

logger = logging.getLogger(__name__)


def with_teachers(options: Options, teachers: int, train: Callable[..., object]) -> Options:
    """The options of the last model, after `teachers` models per direction have been trained in half of the minutes.

    ``train(minutes=..., data=..., ...)`` trains one of them. They stay beside the run, in a folder per corpus: those
    that an earlier call has left are not trained again.

    Raises UsageError for options of a run that no dial makes, and for pairs that have other help; TrainingError for a
    teacher that has learned nothing; Interrupted, with the run kept, when the user stops it.
    """
    options = checked(options)
    if options.minutes is None or not options.is_dialled or has_other_processes():
        raise UsageError("--teachers: goes with --minutes, not with --config, --resume, --init-from or torchrun")
    path, corpus = run_path(options), PreparedCorpus.open(options.data or DEFAULT_FOLDER)
    check_free(path, overwrite=options.overwrite)
    config = load_config(BASE, options.overrides)
    resolve_config(config, corpus, overridden=overridden_keys(options.overrides))  # a mistake is told before any work
    if len(corpus.manifest.splits) > len(SPLITS):
        raise UsageError(f"{corpus.path}: was prepared with --related or other help: --teachers is for pairs alone")
    begun, minutes, seed = time.monotonic(), options.minutes, config.training.seed
    dropped = ("data.", "text.", "training.max_minutes=", "training.seed=")  # of the corpus, or others for each model
    overrides = [override for override in options.overrides if not override.strip().startswith(dropped)]
    folder = path.parent / f"{path.name}_teachers" / corpus.fingerprint[:8]
    from seq2seq_cli.decoding.load import load  # not above: torch

    corpora = {"forward": corpus, "back": _prepared(corpus, folder / "swapped", SIDES[::-1])}
    found = []
    for number, (name, data) in product(range(1, teachers + 1), corpora.items()):
        run, translations = RunFolder(folder / f"{name}{number}"), folder / f"{name}{number}.tsv"
        if options.overwrite or not translations.is_file():
            saved = run.has_checkpoint and not options.overwrite
            try:
                train(
                    minutes=None if saved else minutes / (4 * teachers),
                    data=data.path,
                    out=run.path,
                    overrides=[*overrides, f"training.seed={seed + number}"],
                    resume=saved,
                    overwrite=not saved,
                )
            except Interrupted as error:
                kept = f"interrupted; {run.path} is kept: give the same command again, without --overwrite"
                raise Interrupted(kept, exit_code=error.exit_code) from None
            sources = list(data.texts("train", "src"))
            logger.info("%s translates %s", run.path, counted(len(sources), "training sentence"))
            # Without similar pairs: each sentence is most similar to itself.
            teacher = load(run.path, device=config.training.device, overrides=["decoding.similar_pairs=0"])
            sides = (sources, teacher.translate(sources))[:: 1 if name == "forward" else -1]
            lines = [f"{src}\t{tgt}\n" for src, tgt in zip(*sides, strict=True) if src and tgt]
            if not lines:
                raise TrainingError(f"{run.path}: leaves all sentences empty: give more --minutes")
            write_whole(translations, "".join(["source\ttarget\n", *lines]).encode())  # so that none is of labels
        found.append(f"{translations}:{'-'.join(corpus.manifest.text.languages)}")
    last = _prepared(corpus, folder / "prepared", SIDES, related=found)
    overrides = ["training.help.least_covered=0", *overrides, f"training.seed={seed}"]
    minutes = min(max(minutes - (time.monotonic() - begun) / 60, minutes / 4), minutes / 2)
    return replace(options, data=last.path, out=path, minutes=float(f"{minutes:.3g}"), overrides=overrides)


def _prepared(
    corpus: PreparedCorpus, out: Path, sides: tuple[SideName, ...], related: Sequence[str] = ()
) -> PreparedCorpus:
    """The splits of a corpus, prepared again with a source and a target of its `sides`."""
    from seq2seq_cli.preparation.pipeline import prepare  # spaCy

    src, tgt = (getattr(corpus.manifest.text, side) for side in sides)
    text, limits = corpus.manifest.text.model_copy(update={"src": src, "tgt": tgt}), corpus.manifest.data
    data = DataConfig(max_tokens=limits.max_tokens, max_ratio=limits.max_ratio, valid_sources=0, test_sources=0)
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
        overrides=[f"{k}={shown(v)}" for k, v in (*values_by_key(text, "text."), *values_by_key(data, "data."))],
        overwrite=True,
    ).manifest
    named = manifest.model_copy(update={"pair_files": corpus.manifest.pair_files})  # the model card says: made from
    write_json(out / MANIFEST, named.model_dump())
    return PreparedCorpus.open(out)
