"""``s2s train`` as a function: plan, train, report, with teachers on request; ``s2s compare``: several configs alike.

Torch takes seconds to load: it is imported after the plan, so that a mistake in the config or the options is told at
once.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.compute.process import has_other_processes
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.compute.workers import beside
from seq2seq_cli.config.keys import find_differences, values_by_key
from seq2seq_cli.config.loader import load_config, overridden_keys
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.config.yaml12 import shown
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER, MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import Interrupted, TrainingError, UsageError
from seq2seq_cli.files.writing import contents, write_json, write_whole
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import RUNS, check_free
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.training.plan import BASE, Options, checked, make_plan, run_path
from seq2seq_cli.training.resolve import resolve_config

if TYPE_CHECKING:
    from seq2seq_cli.runs.listing import Run
    from seq2seq_cli.training.events import Event, Report

logger = logging.getLogger(__name__)

_SOURCES_HELD_OUT = 500
"""Sources of each held-out split of a comparison, where the config holds out none."""
_SAME_PRECISION = "training.precision=fp32"
"""Of all runs of a comparison, unless another one is asked for: `auto` depends on the machine."""


def train(
    config: str | None = None,
    *,
    minutes: float | None = None,
    data: Path | str | None = None,
    out: Path | str | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    overwrite: bool = False,
    init_from: Path | str | None = None,
    corrections: bool = False,
    teachers: int = 0,
    on_event: Callable[["Event"], None] = lambda _: None,
) -> "Report | None":
    """Train a translator on a prepared folder, and keep the best weights in a run folder.

    `config` is a config by name or path; without it, a size and noise for the pairs, the minutes and the speed of the
    machine are chosen, or it is the config of the run to go on from. `minutes` are those of training from now on, by
    default those of the config, or 6. `overrides` are keys of it with other values (``"training.lr=3e-4"``). The `data`
    and `text` sections come from the prepared folder. Other values that the folder does not allow are replaced; in
    `overrides` they are an error. `data` is the prepared folder, by default the one of the run to resume, or
    ``data/prepared``; `out` is the run folder, by default one in ``runs/`` named after the config or the minutes, or
    ``RUN_continued`` with `init_from`. With `resume` a run is resumed from its last checkpoint; with `overwrite` a new
    one replaces it; with `init_from` a new one begins with the best weights of another, and with `corrections` it
    learns the corrections in that folder as well. `teachers` is the number of models per direction that translate the
    pairs first (see `with_teachers`). `on_event` is called with each event.

    Returns the report, which is the last event too; None in the processes of torchrun other than the first.

    Raises S2SError: UsageError and other InputErrors before anything is written, TrainingError when training cannot
    continue, Interrupted, with everything saved, when the user stops it.
    """
    options = Options(
        config=config,
        minutes=minutes,
        overrides=overrides,
        data=Path(data) if data else None,
        out=Path(out) if out else None,
        resume=resume,
        overwrite=overwrite,
        init_from=Path(init_from) if init_from else None,
        corrections=corrections,
    )
    return _run(with_teachers(options, teachers, on_event) if teachers else options, on_event)


def _run(options: Options, on_event: Callable[["Event"], None]) -> "Report | None":
    event = None
    # The run is locked from before its checkpoint is read until the report is written.
    with ExitStack() as locks:
        planned = None if has_other_processes() else make_plan(options, locks=locks)
        from seq2seq_cli.training.events import Report  # not above: torch
        from seq2seq_cli.training.run import run_events

        with closing(run_events(options, planned, locks)) as events:
            for event in events:
                on_event(event)
    return event if isinstance(event, Report) else None


@contextmanager
def _keeping(told: str) -> Iterator[None]:
    """A training that is one of several: when the user stops it, `told` is how to go on with all of them."""
    try:
        yield
    except (Interrupted, KeyboardInterrupt) as error:
        raise Interrupted(f"interrupted; {told}", exit_code=getattr(error, "exit_code", None)) from None


def with_teachers(options: Options, teachers: int, on_event: Callable[["Event"], None]) -> Options:
    """The options of the last model, after `teachers` models per direction have been trained in half of the minutes.

    Data diversification: they translate the training pairs, and the last model reads all in each epoch; Nguyen et al.
    2020, "Data diversification: a simple strategy for neural machine translation", algorithm 1 with one round. The
    translations are a part of a prepared folder, and help the own pairs as related pairs do (see `feed`). The models
    stay beside the run, in a folder per corpus: those that an earlier call has left are not trained again.

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
    dropped = ("data.", "text.", "training.max_minutes", "training.seed")  # of the corpus, or others for each model
    overrides = [override for override in options.overrides if not override.strip().startswith(dropped)]
    folder = path.parent / f"{path.name}_teachers" / corpus.fingerprint[:8]
    corpora = {"forward": corpus, "back": _prepared(corpus, folder / "swapped", SIDES[::-1])}
    found = []
    for number in range(1, teachers + 1):
        # Without similar pairs: each sentence is most similar to itself.
        stated = [*overrides, f"training.seed={seed + number}", "training.members=1", "decoding.similar_pairs=0"]
        taught = replace(options, minutes=minutes / (2 * teachers), overrides=stated)
        files = {name: folder / f"{name}{number}.tsv" for name in corpora}
        found += [f"{made}:{'-'.join(corpus.manifest.text.languages)}" for made in files.values()]
        wanted = [name for name, made in files.items() if options.overwrite or not made.is_file()]
        calls = [
            partial(_teach, replace(taught, data=corpora[name].path), files[name], name == "back", len(wanted))
            for name in wanted
        ]
        again = "give the same command again"
        if options.overwrite:
            again = f"remove {path}, then {again}, without --overwrite"
        with _keeping(f"{folder} is kept: {again}"), beside(calls[1:]):
            for call in calls[:1]:
                call(on_event)
    last = _prepared(corpus, folder / "prepared", SIDES, related=found)
    # However few of the validation split's units the translations have, they are of its kind, and all are read.
    read_all = ["training.help.least_covered=0", "training.help.own_share=0"]
    overrides = [*read_all, *overrides, f"training.seed={seed}"]
    minutes = min(max(minutes - (time.monotonic() - begun) / 60, minutes / 4), minutes / 2)
    return replace(options, data=last.path, out=path, minutes=float(f"{minutes:.3g}"), overrides=overrides)


def _teach(
    options: Options, made: Path, swapped: bool, models: int, on_event: Callable[["Event"], None] = lambda _: None
) -> None:
    """Train one of several `models` side by side, and write its translations of its training sentences to `made`."""
    from seq2seq_cli.compute.device import threads_among  # not above: torch
    from seq2seq_cli.decoding.load import load

    run = RunFolder(made.with_suffix(""))
    saved = run.has_checkpoint and not options.overwrite
    minutes = None if saved else options.minutes
    with threads_among(models, models - 1 if swapped else 0):
        _run(replace(options, minutes=minutes, out=run.path, resume=saved, overwrite=not saved), on_event)
        sources = list(PreparedCorpus.open(options.data or DEFAULT_FOLDER).texts("train", "src"))
        logger.info("%s translates %s", run.path, counted(len(sources), "training sentence"))
        threads, device = max(1, usable_cores() // models), run.config().training.device
        translated = load(run.path, device=device, threads=threads).translate(sources)  # torch would keep `threads`
    sides = (sources, translated)[:: -1 if swapped else 1]
    lines = [f"{src}\t{tgt}\n" for src, tgt in zip(*sides, strict=True) if src and tgt]
    if not lines:
        raise TrainingError(f"{run.path}: leaves all sentences empty: give more --minutes")
    write_whole(made, "".join(["source\ttarget\n", *lines]).encode())  # so that none is of labels


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
    values = *values_by_key(text, "text."), *values_by_key(data, "data.")
    stated = [f"{key}={shown(value)}" for key, value in values]
    report = prepare(
        src=[source], tgt=[target], valid=valid, test=test, related=related, out=out, overrides=stated, overwrite=True
    )
    made_from = {"pair_files": corpus.manifest.pair_files}  # which the model card names
    write_json(out / MANIFEST, report.manifest.model_copy(update=made_from).model_dump())
    return PreparedCorpus.open(out)


def compare(
    *configs: str,
    pairs: Path | str,
    out: Path | str = "comparison",
    seeds: int = 3,
    overrides: Sequence[str] = (),
    on_event: Callable[["Event"], None] = lambda _: None,
) -> "dict[str, list[Run]]":
    """Train configs on the same pairs with the same precision; the runs of each, with the seeds 1 to `seeds`.

    `pairs` is a pair file, prepared as the first config says; where that holds out no pairs, 500 sources are held out
    to validate and 500 to test. `overrides` are keys of all configs with other values. The folder `out` gets the runs,
    their learning curves (``curves.png``) and, of the first seeds, the attention while it was learned (``film.html``).
    Called again, it resumes the runs that have a checkpoint: it can be continued, or extended by configs and seeds.

    Raises S2SError as `prepare` and `train` do, and UsageError for less than two configs, two of the same name, a seed
    among the overrides, processes of torchrun, a folder of something else, and a run there with other settings.
    """
    if has_other_processes():
        raise UsageError("compare trains in one process: start it without torchrun")
    named = {run_path(Options(config=config)).name: config for config in configs}
    if not 2 <= len(named) == len(configs):
        raise UsageError("compare takes two configs or more, no two of the same name; s2s configs lists them")
    if seeds < 1 or "training.seed" in overridden_keys(overrides):
        raise UsageError("compare trains with the seeds 1 to N: give N, 1 or more, by --seeds, and no training.seed")
    of_training = [_SAME_PRECISION, *(each for each in overrides if not each.startswith(("data.", "text.")))]
    for config in configs:  # a mistake in the last one is told before the first is trained
        load_config(config, of_training)
    data = load_config(configs[0], overrides).data
    keys = [f"data.{split}_sources" for split in HELD_OUT if not getattr(data, f"{split}_sources")]
    held_out = [f"{key}={_SOURCES_HELD_OUT}" for key in keys]
    folder, corpus = Path(out), Path(out, "prepared")
    if folder.is_dir() and contents(folder) and not (corpus / MANIFEST).is_file():
        raise UsageError(f"{folder}: exists and is not the folder of a comparison: choose another one with --out")
    from seq2seq_cli.preparation.pipeline import prepare  # not above: train does without
    from seq2seq_cli.runs.curves import plot_runs
    from seq2seq_cli.runs.listing import Run

    for warning in prepare(pairs, out=corpus, config=configs[0], overrides=[*held_out, *overrides]).warnings:
        logger.warning(warning)
    runs: dict[str, list[Run]] = {name: [] for name in named}
    for seed, (name, config) in product(range(1, seeds + 1), named.items()):
        run = RunFolder(folder / RUNS / f"{name}-{seed}")
        stated = [*of_training, f"training.seed={seed}"]
        if saved := run.has_checkpoint:
            resolved = resolve_config(load_config(config, stated), PreparedCorpus.open(corpus))
            if changes := find_differences(run.config(), resolved, sections=("model", "training")):
                told = "; ".join(map(str, changes))
                raise UsageError(f"{run.path}: is there with other settings ({told}): choose another folder with --out")
        with _keeping(f"{folder} is kept: give the same command again"):
            wanted = Options(config=config, data=corpus, out=run.path, overrides=stated)
            _run(replace(wanted, resume=saved, overwrite=not saved), on_event)
        runs[name].append(Run.read(run.path))
    everything = {run.path.name: run for of_config in runs.values() for run in of_config}
    plot_runs(everything, folder / "curves.png", axis="epoch", overwrite=True)
    first = {name: of_config[0] for name, of_config in runs.items()}
    plot_runs(first, folder / "film.html", axis="epoch", overwrite=True)
    return runs
