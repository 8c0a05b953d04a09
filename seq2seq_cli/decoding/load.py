"""Loading a run to translate with it: its codecs, and its engine, which is ONNX Runtime's or torch's."""

import importlib.util
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from filecmp import cmpfiles
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, overload

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.choices import DecodingOptions, DecodingPrecision, DeviceName
from seq2seq_cli.decoding.corrections import corrected
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.engines.onnx_engine import EXACT, OnnxEngine
from seq2seq_cli.decoding.translation import SearchStep, Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError, ModelFileError, UsageError
from seq2seq_cli.runs.exported import ExportRecord, config_checksum
from seq2seq_cli.runs.folder import RunFolder, resume_command
from seq2seq_cli.runs.layout import CONFIG, CORRECTIONS, FEATURE_FILES, GLOSSARY, PAIR_FILES
from seq2seq_cli.runs.weights import Weights, read_header, read_weights
from seq2seq_cli.text.sides import Codecs, load_codecs
from seq2seq_cli.text.vocabulary import BOS, PAD

# Torch and pydantic are imported where they are needed.
if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig
    from seq2seq_cli.model.seq2seq import Seq2Seq

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class LoadedRun:
    """A trained run in memory, ready to translate."""

    folder: RunFolder
    """Of several that translate together, the first."""
    uncorrected: Translator
    """The translator without the corrections and the glossary in the folder."""
    _corrected: tuple[object, Translator] | None = field(default=None, init=False, repr=False)
    """The sizes and times of these files when they were read, and the translator with them."""

    @property
    def path(self) -> Path:
        """The run folder."""
        return self.folder.path

    @property
    def translator(self) -> Translator:
        """The translator with the corrections and the glossary that stand in the folder now.

        Raises InputError for a line that cannot be used; once the files could be read, it is a warning.
        """
        state = []
        for name in (CORRECTIONS, GLOSSARY):
            with suppress(OSError):  # where there is none
                found = (self.path / name).stat()
                state.append((name, found.st_size, found.st_mtime_ns))
        if self._corrected is None or self._corrected[0] != state:
            try:
                self._corrected = state, corrected(self.path, self.uncorrected)
            except InputError as error:
                if self._corrected is None:
                    raise
                logger.warning("%s: the file counts as it was before", error)
                self._corrected = state, self._corrected[1]
        return self._corrected[1]

    @overload
    def translate(self, text: str) -> str: ...
    @overload
    def translate(self, text: list[str]) -> list[str]: ...
    def translate(self, text: str | list[str]) -> str | list[str]:
        """The translation of a text, or of each of several; a blank text stays blank."""
        texts = [text] if isinstance(text, str) else text
        translations = [translation.text for translation in self.translator.translate(texts)]
        return translations[0] if isinstance(text, str) else translations

    def explain(self, text: str) -> Translation:
        """The translation of a text with its scores, its words, the attention between them, and the search for it."""
        return self.translator.with_traces(steps=True).translate([text])[0]

    def steps(self, text: str, *, prefix: str = "") -> Iterator[SearchStep]:
        """The steps of the translation of a text, one per token, sentence by sentence.

        With a `prefix`, they are those of the best translation that begins with it: what if these words came first?
        Raises InputError for words that the model cannot write.
        """
        demands = replace(self.translator.demands, prefix=prefix)
        translator = self.translator.with_demands(demands).with_traces()
        for sentence in translator.translate([text])[0].sentences:
            yield from translator.steps(sentence)


def load(
    run: Path | str | Sequence[Path | str] | None = None,
    *,
    device: DeviceName = "auto",
    overrides: Sequence[str] = (),
    threads: int | None = None,
) -> LoadedRun:
    """Load a run: its folder, its name in ``runs/``, or one of its files of weights; None for the newest.

    Several runs, prepared together, and the members of a run translate together with the options and the similar pairs
    of the first: the probability of a token is the mean of theirs.
    `overrides` are keys of the ``decoding`` section with other values, as text; `threads` are those that compute.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others; UsageError for a device that this
    machine lacks or s2s does not know, for runs with different vocabularies, and for overrides of other sections;
    ConfigError for overrides that no config has, and with overrides for a damaged config.
    """
    if device not in get_args(DeviceName):
        raise UsageError(f"device {device}: choose one of {', '.join(get_args(DeviceName))}")
    for override in overrides:
        if not override.startswith("decoding."):
            raise UsageError(f"--set {override}: only decoding.KEY=VALUE: the model is trained already")
    runs = [run] if run is None or isinstance(run, str | Path) else run
    if not runs or run == "":
        raise UsageError("no run is named: name one, or several, or leave it out for the newest")
    folders = [member for each in runs for member in RunFolder.find_model(None if each is None else Path(each)).members]
    translator = load_translator(*folders, device=device, overrides=overrides, threads=threads)
    return LoadedRun(folder=folders[0], uncorrected=translator)


def load_translator(
    *runs: RunFolder, device: DeviceName = "auto", overrides: Sequence[str] = (), threads: int | None = None
) -> Translator:
    """The translator of a run, or of several together, with their best weights; see `load`."""
    options = _options(runs[0], overrides)
    options = options if threads is None else replace(options, threads=threads)
    if len(runs) > 1 or options.sampling or options.beam_size + len((PAD, BOS)) > EXACT:
        options = replace(options, precision="fp32")  # their steps ask for more tokens than are exact in int8
    keep_features = all((run.path / FEATURE_FILES["weights"]).is_file() for run in runs)
    with_features = options.similar_pairs > 0 and not keep_features
    first, *others = (open_translator(run, options, device, with_features=with_features) for run in runs)
    for run, other in zip(runs[1:], others, strict=True):
        if not (other.src_codec.has_units_of(first.src_codec) and other.tgt_codec.has_units_of(first.tgt_codec)):
            cure = "only runs whose prepared folders have the same vocabularies translate together"
            raise UsageError(f"{run.path}: has other vocabularies than {runs[0].path}: {cure}")
    if others:
        from seq2seq_cli.decoding.engines.ensemble import Ensemble

        first = replace(first, engine=Ensemble([each.engine for each in (first, *others)]))
    return _consulting(runs, first)


def open_translator(run: RunFolder, options: DecodingOptions, device: DeviceName, *, with_features: bool) -> Translator:
    """The translator of a run, without similar pairs."""
    src, tgt = load_codecs(run.path)
    engine = open_engine(run, options, device, with_features=with_features)
    src_shape = read_header(run.weights_path).places.get("encoder.embedding.weight", [])[2:]
    for side, size, codec in (("source", next(iter(src_shape), 0), src), ("target", engine.vocabulary_size, tgt)):
        if size != len(codec.vocabulary):
            problem = f"its weights have {size} {side} units, its codec has {len(codec.vocabulary)}"
            raise ModelFileError(f"{run.path}: {problem}: restore them, or train again")
    return Translator(engine=engine, src_codec=src, tgt_codec=tgt, options=options)


def _options(run: RunFolder, overrides: Sequence[str]) -> DecodingOptions:
    """The values of the ``decoding`` section of a run: beside its exported model, unless config.yaml has changed."""
    if overrides:
        from seq2seq_cli.config.loader import load_saved_config

        return load_saved_config(run.path / CONFIG, overrides).decoding.options
    with suppress(ModelFileError, OSError):
        record = ExportRecord.read(run.path)
        if record.config == config_checksum(run.path):
            return record.decoding
    return run.config().decoding.options


def open_engine(
    run: RunFolder, options: DecodingOptions, device: DeviceName = "auto", *, with_features: bool = False
) -> Engine[Any]:
    """The engine with the best weights of a run, or those that `run` names; `with_features` as `OnnxEngine`.

    Nothing is written into the run. Torch computes with weights that `run` names and, with a warning, where there is no
    exported model that fits the weights, or only one that other code of the models exported.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others, or when there is neither an
    exported model nor torch; UsageError for a device that this machine lacks; ModuleNotFoundError where torch is needed
    and missing.
    """
    if options.engine == "torch" or device not in ("auto", "cpu") or run.chosen:
        return _torch_engine(run, device, options.threads)
    read_header(run.weights_path)  # raises what is wrong with weights that no export can help
    needs_export = importlib.util.find_spec("torch") is None
    try:
        record = ExportRecord.read(run.path)
        exported = OnnxEngine(
            run, record, threads=options.threads, precision=options.precision, with_features=with_features
        )
        problem = "its exported model is of other code of seq2seq_cli/model" if record.is_of_other_code else ""
        if needs_export or not problem:
            return exported
    except ModelFileError as error:
        problem = "has no exported model that can be used"
        if needs_export:
            raise ModelFileError(f"{run.path}: {problem}: s2s export RUN FILE.zip makes one, with torch") from error
    logger.warning("%s: %s: s2s export RUN FILE.zip makes one; computing with torch", run.path, problem)
    return _torch_engine(run, "cpu", options.threads)


def _consulting(runs: Sequence[RunFolder], translator: Translator) -> Translator:
    """The translator, which consults the training pairs in the folder of the first run if its options say so."""
    options = translator.options
    if not options.similar_pairs:
        return translator
    from seq2seq_cli.decoding.similar.features import JoinedFeatures, KeptFeatures
    from seq2seq_cli.decoding.similar.pairs import SimilarPairs

    src_size, tgt_size = (len(codec.vocabulary) for codec in (translator.src_codec, translator.tgt_codec))
    opened, parts = runs[0], list[KeptFeatures]()  # the run whose files are read: an error is about them
    try:
        pairs = SimilarPairs.open(opened.path, src_size=src_size, tgt_size=tgt_size)
        for opened in runs:
            if _has_usable_features(opened, runs[0]) and (part := KeptFeatures.open(opened, pairs)):
                parts.append(part)
    except ModelFileError as error:
        resume = resume_command(opened.path, f"decoding.similar_pairs={options.similar_pairs}")
        cure = f"without that folder, {resume} writes it anew" if opened.has_checkpoint else "have it sent again"
        raise ModelFileError(f"{error}: {cure}; --set decoding.similar_pairs=0 translates without it") from None
    kept = JoinedFeatures(parts) if len(parts) == len(runs) else None
    return translator.consulting(pairs, most=options.similar_pairs, kept=kept)


def _has_usable_features(run: RunFolder, first: RunFolder) -> bool:
    """Whether features that a run keeps are of today's code of the models, and of the pairs of the first one."""
    with suppress(ModelFileError):  # no exported model
        if ExportRecord.read(run.path).is_of_other_code:
            return False
    if run is first:
        return True
    _, different, missing = cmpfiles(run.path, first.path, PAIR_FILES.values(), shallow=False)
    return not different + missing


def translator_of(model: "Seq2Seq", codecs: Codecs, config: "DecodingConfig") -> Translator:
    """The translator of a model that torch computes, where its weights lie."""
    from seq2seq_cli.decoding.engines.torch_engine import TorchEngine

    return Translator(engine=TorchEngine(model), src_codec=codecs[0], tgt_codec=codecs[1], options=config.options)


def ensure_exported(run: RunFolder) -> None:
    """Export the model of a run, unless that is done.

    Raises ModelFileError when a file of the run is missing, damaged, or does not fit the others; ExportError when the
    model cannot be exported.
    """
    with suppress(ModelFileError):
        record = ExportRecord.read(run.path)
        for precision in get_args(DecodingPrecision):
            OnnxEngine(run, record, precision=precision, with_features=True)
        if not record.is_of_other_code:
            return
    from seq2seq_cli.decoding.engines.graphs import export_best  # not above: torch

    export_best(run.path, load_model(run, read_weights(run.best_path)), run.config())


def _torch_engine(run: RunFolder, device: DeviceName, threads: int | None) -> Engine[Any]:
    import torch

    from seq2seq_cli.compute.device import choose_device
    from seq2seq_cli.decoding.engines.torch_engine import TorchEngine

    if threads is not None:
        torch.set_num_threads(min(threads, usable_cores()))
    return TorchEngine(load_model(run, run.read_best()).to(choose_device(device)))


def load_model(run: RunFolder, weights: Weights) -> "Seq2Seq":
    """The model of a run with these weights, in evaluation mode, on the CPU; ModelFileError when they do not fit."""
    from seq2seq_cli.model.build import build_model, build_outline

    try:
        sizes = {"src_size": len(weights["encoder.embedding.weight"]), "tgt_size": len(weights["output.bias"])}
        config = run.config().model
        build_outline(config, **sizes).check_weights(weights)  # before memory is taken for sizes that may be wrong
        model = build_model(config, **sizes)
        model.load_weights(weights)
    except (KeyError, ValueError) as error:
        raise ModelFileError(f"{run.path}: {error}") from None
    return model.eval()
