"""The engine of a run: ONNX Runtime with the exported model, or torch."""

import importlib.util
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.choices import DecodingPrecision, DeviceName, EngineName
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import EXPORT_RECORD
from seq2seq_cli.runs.weights import Weights, check_finite, read_weights

# Torch is imported by the engine that needs it.
if TYPE_CHECKING:
    from seq2seq_cli.model.seq2seq import Seq2Seq

logger = logging.getLogger(__name__)


def open_engine(
    run: RunFolder,
    *,
    engine: EngineName = "auto",
    device: DeviceName = "auto",
    threads: int | None = None,
    precision: DecodingPrecision = "fp32",
    with_features: bool = False,
) -> Engine[Any]:
    """The engine with the best weights of a run, or those that `run` names; the config explains the keywords.

    Only `with_features` does it compute those of given targets, too. Nothing is written into the run. Where it has no
    exported model that fits its weights and the code of the models, torch computes, with a warning; a model that was
    exported by other code computes where ONNX Runtime is asked for, or torch is not installed.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others, or when there is neither an
    exported model nor torch; UsageError for a device that this machine lacks, or that the engine cannot use.
    """
    on_cpu = device in ("auto", "cpu")
    if engine == "onnx" and not on_cpu:
        raise UsageError(f"decoding.engine=onnx computes on the cpu: leave out --device {device}, or choose torch")
    if engine == "torch" or not on_cpu:
        if precision != "fp32":
            raise UsageError(f"decoding.precision={precision}: torch translates in fp32: leave it out, or choose onnx")
        return _torch_engine(run, device, threads)
    exported, problem = _exported(run, threads, precision, with_features=with_features)
    if exported is None:
        check_finite(run.chosen or run.best_path)  # raises the same for weights that no export can help
    if exported and not problem:
        return exported
    has_torch = importlib.util.find_spec("torch") is not None
    if has_torch and engine == "auto" and precision == "fp32":
        logger.warning("%s; computing with torch", problem)
        return _torch_engine(run, "cpu", threads)
    if exported:
        logger.warning("%s; computing with the exported model", problem)
        return exported
    raise ModelFileError(problem if has_torch else f"{problem}; or install all of s2s here, to compute with torch")


def ensure_exported(run: RunFolder) -> None:
    """Export the model of a run, unless that is done.

    Raises ModelFileError when a file of the run is missing, damaged, or does not fit the others; ExportError when the
    model cannot be exported.
    """
    _, problem = _exported(run, threads=1, precision="fp32", with_features=False)
    if problem:
        from seq2seq_cli.decoding.engines.export import export_best  # not above: torch

        export_best(run.path, load_model(run, read_weights(run.best_path)), run.config())


def _exported(
    run: RunFolder, threads: int | None, precision: DecodingPrecision, *, with_features: bool
) -> tuple[OnnxEngine | None, str]:
    """The engine of the exported model, None without one that fits the weights; and what is wrong, "" for nothing."""
    weights, cure = _identity(run.best_path), "s2s export RUN FILE.zip makes one"
    try:
        record = ExportRecord.read(run.path / EXPORT_RECORD)
        engine = OnnxEngine(
            run.path, record, weights=run.chosen, threads=threads, precision=precision, with_features=with_features
        )
    except ModelFileError:
        return None, f"{run.path}: has no exported model that fits its weights: {cure}"
    # A run that is being trained may have saved better weights between the reading of encoder and decoder.
    if _identity(run.best_path) != weights:
        return _exported(run, threads, precision, with_features=with_features)
    is_other = record.is_of_other_code
    return engine, f"{run.path}: its exported model is of other code of seq2seq_cli/model: {cure}" if is_other else ""


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of a file, which another one at the same path does not have; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _torch_engine(run: RunFolder, device: DeviceName, threads: int | None) -> Engine[Any]:
    import torch

    from seq2seq_cli.compute.device import choose_device
    from seq2seq_cli.decoding.engines.torch_engine import TorchEngine

    if threads is not None:
        torch.set_num_threads(min(threads, usable_cores()))
    chosen = choose_device(device)
    return TorchEngine(load_model(run, run.read_best()).to(chosen), chosen)


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
