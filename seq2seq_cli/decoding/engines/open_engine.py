"""The engine of a run: ONNX Runtime with the exported model, or torch."""

import importlib.util
import logging
from typing import TYPE_CHECKING, Any

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.weights import Weights, read_header, read_weights

# Torch is imported by the engine that needs it.
if TYPE_CHECKING:
    from seq2seq_cli.model.seq2seq import Seq2Seq

logger = logging.getLogger(__name__)


def open_engine(run: RunFolder, options: DecodingOptions, device: DeviceName = "auto") -> Engine[Any]:
    """The engine with the best weights of a run, or those that `run` names.

    Nothing is written into the run. In fp32, torch computes with a warning where there is no exported model that fits
    the weights, or only one that other code of the models exported.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others, or when there is neither an
    exported model nor torch; UsageError for a device that this machine lacks, or that the engine cannot use.
    """
    precision, threads = options.precision, options.threads
    if options.engine == "torch" or device not in ("auto", "cpu"):
        if precision != "fp32":
            raise UsageError(f"decoding.precision={precision}: only on the cpu, without torch, which is for fp32")
        return _torch_engine(run, device, threads)
    read_header(run.chosen or run.best_path)  # raises what is wrong with weights that no export can help
    needs_export = precision != "fp32" or importlib.util.find_spec("torch") is None
    try:
        record = ExportRecord.read(run.path)
        with_features = options.similar_pairs > 0  # steps without proposals are quick then
        exported = OnnxEngine(run, record, threads=threads, precision=precision, with_features=with_features)
        problem = "its exported model is of other code of seq2seq_cli/model" if record.is_of_other_code else ""
        if needs_export or not problem:
            return exported
    except ModelFileError as error:
        problem = "has no exported model that can be used"
        if needs_export:
            raise ModelFileError(f"{run.path}: {problem}: s2s export RUN FILE.zip makes one, with torch") from error
    logger.warning("%s: %s: s2s export RUN FILE.zip makes one; computing with torch", run.path, problem)
    return _torch_engine(run, "cpu", threads)


def ensure_exported(run: RunFolder) -> None:
    """Export the model of a run, unless that is done.

    Raises ModelFileError when a file of the run is missing, damaged, or does not fit the others; ExportError when the
    model cannot be exported.
    """
    try:
        record = ExportRecord.read(run.path)
        OnnxEngine(run, record)
        if not record.is_of_other_code:
            return
    except ModelFileError:
        pass
    from seq2seq_cli.decoding.engines.graphs import export_best  # not above: torch

    export_best(run.path, load_model(run, read_weights(run.best_path)), run.config())


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
