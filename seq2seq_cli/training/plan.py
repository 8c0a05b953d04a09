"""The plan of a run: decided once by the main process, without torch, before any writing, and sent to the others."""

import logging
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import inf
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from seq2seq_cli.compute.process import has_other_processes, launch_name
from seq2seq_cli.config.keys import ChangedKey, find_weight_differences
from seq2seq_cli.config.loader import load_config, load_saved_config, overridden_keys
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.corpus.manifest import DEFAULT_FOLDER
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.whole_folder import clear_leftovers
from seq2seq_cli.runs.folder import RunFolder, find_saved_last, named_run
from seq2seq_cli.runs.layout import CONFIG, CORPUS, RUNS, TRAINED, check_free
from seq2seq_cli.runs.records import Provenance, read_history
from seq2seq_cli.training.learned_corrections import with_corrections
from seq2seq_cli.training.resolve import CHOSEN, LEFT_TO_CORPUS, fitted, given_up, resolve_config, resumed_changes

BASE = "quick"
"""The config that the dial starts from."""
_LIMIT, _RATE, _MEMBERS = "training.max_minutes", "training.lr", "training.members"
_SLOWER = 0.1
"""Factor of the learning rate with which a trained run learns corrections."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of ``s2s train``, as `seq2seq_cli.train` describes them."""

    config: str | None = None
    minutes: float | None = None
    overrides: Sequence[str] = ()
    data: Path | None = None
    out: Path | None = None
    resume: bool = False
    overwrite: bool = False
    init_from: Path | None = None
    corrections: bool = False

    @property
    def is_dialled(self) -> bool:
        """Whether the dial chooses the config: the user names none, and no run to go on from."""
        return self.config is None and self.init_from is None and not self.resume

    def limited(self, minutes_before: float = 0.0) -> Sequence[str]:
        """The overrides with the time limit in `minutes`, which count from now on."""
        limit = [] if self.minutes is None else [f"{_LIMIT}={minutes_before + self.minutes:g}"]
        return [*self.overrides, *limit]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The decisions for the start or the resume of a run."""

    path: Path
    config: Config
    """The config, resolved against the corpus."""
    resumed: Provenance | None = None
    """The provenance of the run as it was saved; None for a new run."""
    overwrite: bool = False
    """Whether a new run may replace one at `path`."""
    init_from: Path | None = None
    """The run whose best weights the run began, or begins, with."""
    stated: frozenset[str] = frozenset()
    """The keys that an override states or, in a resumed run, stated before: training chooses nothing in their place."""
    changes: tuple[str, ...] = ()
    """The options that differ from the config or, in a resumed run, from before, in words."""


Planned: TypeAlias = tuple[Plan, PreparedCorpus]
"""A plan and its corpus, opened."""


def make_plan(options: Options, *, locks: ExitStack) -> Planned:
    """Decide what to train, and open the corpus; config, corpus and run are checked to fit together.

    A run that the torchrun of this process has begun before is resumed or replaced unasked.
    The lock of a run that is resumed is taken before anything of the run is read, and is in `locks` of the caller.

    Raises UsageError for options that do not go together or do not fit the run, ConfigError, PreparedFolderError and
    ModelFileError for files that cannot be used.
    """
    options, launch = checked(options), launch_name()
    run = RunFolder(run_path(options))
    may_be_ours = launch is not None and not options.resume and (run.path / CORPUS).is_file()
    restarted = may_be_ours and run.provenance().launch == launch
    is_resumed = options.resume or (restarted and run.has_checkpoint)
    overwrite = options.overwrite or restarted
    planned = _plan_to_resume(options, locks) if is_resumed else _plan_to_start(options, overwrite=overwrite)
    if (launch or has_other_processes()) and planned[0].config.training.members > 1:
        raise UsageError(f"{_MEMBERS}: several models are not trained under torchrun: set it to 1, or start s2s alone")
    return planned


def checked(options: Options) -> Options:
    """The options with the minutes of the dial; raises UsageError for options that do not go together."""
    if options.resume and options.overwrite:
        raise UsageError("--resume continues a run and --overwrite replaces it: give one of them")
    if options.resume and options.init_from:
        raise UsageError("--resume continues a run and --init-from begins a new one: give one of them")
    if options.corrections and not options.init_from:
        raise UsageError("--corrections: are those of a run: name it with --init-from")
    if options.minutes is not None:
        if _LIMIT in overridden_keys(options.overrides):
            raise UsageError(f"--minutes and --set {_LIMIT} are the same: give one of them")
        if not 0 < options.minutes < inf:
            raise UsageError(f"--minutes: {options.minutes:g} is no time to train in: give more than 0")
    elif options.is_dialled:
        return replace(options, minutes=load_config(BASE, options.overrides).training.max_minutes)
    return options


def _plan_to_start(options: Options, *, overwrite: bool) -> Planned:
    origin = RunFolder.find(options.init_from) if options.init_from else None
    overrides = options.limited()
    overridden = overridden_keys(overrides)
    if origin and options.config is None:
        # The new data has its own `data` and `text` sections, and decides what is left to it.
        without = (*PREPARED_SECTIONS, *LEFT_TO_CORPUS)
        config = load_saved_config(origin.path / CONFIG, overrides, without=without)
    else:
        config = load_config(BASE if options.config is None else options.config, overrides)
    path, corpus, chosen = run_path(options), PreparedCorpus.open(options.data or DEFAULT_FOLDER), []
    if options.is_dialled and options.minutes is not None:
        check_free(path, overwrite=overwrite)
        found = resolve_config(config, corpus, overridden=overridden)  # a mistake is told before torch is loaded
        from seq2seq_cli.training.speed import measure_budget

        recipe = load_config(BASE, [override for override in overrides if not override.startswith("model.")])
        is_stated = _MEMBERS in overridden or launch_name() or has_other_processes()  # torchrun trains one
        members = config.training.members if is_stated else None
        budget = measure_budget(fitted(recipe, corpus), corpus, options.minutes, members)
        metric = f"training.best_metric={found.training.best_metric}"  # found above, so that its warning is told once
        # What does not go with stated keys is left out: noise, and word vectors, which belong to the dial's states.
        attention, has_state = config.model.attention, "model.decoder.hidden_size" in overridden
        choices = {
            "training.bpe_dropout": attention.has_places,
            "model.encoder.state_dropout": not attention.has_weights,
            **dict.fromkeys(("model.encoder.embedding_size", "model.decoder.embedding_size"), has_state),
        }
        unfit = tuple(key for key, is_unfit in choices.items() if is_unfit)
        dialled = [override for override in budget.overrides if not override.startswith(unfit)]
        config = load_config(BASE, [metric, *dialled, *overrides])
        chosen = [budget.in_words(config.model.decoder.hidden_size, config.model.decoder.embedding_size)]
    if origin:
        check_origin(origin, path, config, corpus)
        if options.corrections:
            corpus = with_corrections(corpus, origin)
            if _RATE not in overridden and (options.config or not origin.provenance().corrections):
                config = config.with_value(_RATE, config.training.lr * _SLOWER)
                chosen = [f"{_RATE} {config.training.lr:g}, a tenth: with more, the model would forget more"]
        corpus = _leave_out_known(corpus, origin, origin.path)
    resolved = resolve_config(config, corpus, overridden=overridden, keeps_model=origin is not None)
    changes, begun = (*chosen, *given_up(config, resolved, corpus)), origin.path if origin else None
    plan = Plan(path=path, config=resolved, overwrite=overwrite, init_from=begun, stated=overridden, changes=changes)
    return plan, corpus


def _plan_to_resume(options: Options, locks: ExitStack) -> Planned:
    is_named = options.out or options.config is not None or not options.resume
    path = named_run(run_path(options)) if is_named else find_saved_last()
    clear_leftovers(path)
    run = RunFolder.find(path)
    locks.enter_context(run.lock())
    saved, provenance = run.config(), run.provenance()
    # Those of a torchrun that starts its processes again count from its start.
    overrides = options.limited((read_history(run.path).minutes or 0.0) if options.resume else 0.0)
    if options.config is not None:
        config = load_config(options.config, overrides)
    else:
        config = load_saved_config(run.path / CONFIG, overrides)
    overridden = overridden_keys(overrides)
    chosen = [f"decoding.{key}" for key in CHOSEN] if config.training.choose_decoding else []
    for key in {*chosen, *([_RATE] if provenance.corrections else [])} - overridden:
        config = config.with_value(key, attrgetter(key)(saved))  # as the run has decided it
    folder = options.data or Path(provenance.folder)
    if options.data is None and not folder.exists():
        raise UsageError(f"{folder}: the prepared folder of {run.path} is missing: name its new place with --data")
    corpus = replace(PreparedCorpus.open(folder), corrections=provenance.corrections)
    if corpus.fingerprint != provenance.fingerprint:
        problem = f"{corpus.path}: not the corpus that {run.path} was trained on, so the run cannot be resumed with it"
        raise UsageError(f"{problem}: prepare that corpus again, or train a new run with --out")
    origin = Path(provenance.init_from) if provenance.init_from else None
    if origin:
        corpus = _leave_out_known(corpus, run, origin)
    resolved = resolve_config(config, corpus, overridden=overridden)
    changes = tuple(resumed_changes(saved, resolved, run.path))
    stated = overridden.union(provenance.stated)
    plan = Plan(path=run.path, config=resolved, resumed=provenance, init_from=origin, stated=stated, changes=changes)
    return plan, corpus


def check_origin(origin: RunFolder, path: Path, config: Config, corpus: PreparedCorpus) -> None:
    """Raise UsageError unless a new run of `config` on `corpus` in `path` can begin with the weights of `origin`.

    It can when both have the same model, dropout aside, and units of the same kind; the vocabularies may differ.
    `config` need not be resolved: what a corpus decides is not in the model.
    """
    new, old = path.resolve(), origin.path.resolve()
    if new.is_relative_to(old) or old.is_relative_to(new):
        raise UsageError(f"{path}: --init-from does not change {origin.path}: name another folder with --out")
    known = origin.config()
    if differences := find_weight_differences(known, config):
        told = "; ".join(difference.against(str(origin.path)) for difference in differences)
        cure = f"to take the model of {origin.path}, leave out --config and these keys"
        raise UsageError(f"{told}: the weights of one model fit no other; {cure}")
    units = ChangedKey("text.unit", known.text.unit, corpus.manifest.text.unit)
    if units.old != units.new:
        problem = f"{corpus.path}: {units.against(str(origin.path))}: the vectors of one kind of units fit no other"
        raise UsageError(f"{problem}; prepare with --set {units.key}={units.old}")


def _leave_out_known(corpus: PreparedCorpus, run: RunFolder, origin: Path) -> PreparedCorpus:
    """The corpus without the held-out pairs of which `run` was trained on a sentence; a warning names `origin`."""
    trained, what = TrainedSentences.read(run.path / TRAINED), "was trained on"
    if corpus.corrections:
        corrected = corpus.corrections.keys(), corpus.corrections.values()
        trained, what = trained.joined(TrainedSentences.of_texts(*corrected)), f"{what} or has corrected"
    known = trained.held_out_pairs(corpus)
    if not known:
        return corpus
    splits = corpus.manifest.splits
    counts = (f"{len(numbers):,} of {counted(splits[name].pairs, f'{name} pair')}" for name, numbers in known.items())
    warning = "%s of %s have a sentence that %s %s: they are left out of the scores"
    logger.warning(warning, " and ".join(counts), corpus.path, origin, what)
    return corpus.leaving_out(known)


def run_path(options: Options) -> Path:
    """The folder of a new run, named after its config, the run to begin with, or its minutes."""
    if options.out:
        return options.out
    if options.init_from:
        return RUNS / f"{RunFolder.find(options.init_from).path.resolve().name}_continued"
    if options.config is None:
        return RUNS / (BASE if options.minutes is None else f"{options.minutes:g}min")
    name = Path(options.config).name
    return RUNS / name.removesuffix(".yaml").removesuffix(".yml")  # no stem: lr0.5 has no ending
