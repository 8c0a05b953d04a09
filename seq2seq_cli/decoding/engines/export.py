"""Exporting a trained model: its graphs beside its best weights, checked against torch."""

import copy
from pathlib import Path

import numpy as np
import torch

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.engines.graphs import refer_to_weights, trace_graphs
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.decoding.engines.quantise import quantise_output
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.errors import ExportError, ModelFileError
from seq2seq_cli.files.writing import write_whole
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.exported import ExportRecord, config_checksum, model_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import BEST, DECODER, DECODER_INT8, EXPORT_RECORD
from seq2seq_cli.runs.weights import read_header
from seq2seq_cli.text.vocabulary import BOS

TOLERANCE = 1e-4
"""Largest difference between a number of the exported model and torch's."""

_CHECKED_STEPS = 4


def export_best(folder: Path, model: Seq2Seq, config: Config) -> None:
    """Write the graphs of a model beside its best weights, which `model` has, in the run folder.

    Raises ExportError when ONNX cannot express a part of the model, or when they do not compute what torch computes;
    OSError when they cannot be written.
    """
    model = copy.deepcopy(model).cpu().eval()
    places = read_header(folder / BEST).places
    graphs = trace_graphs(model)
    attention = model.decoder.attention
    record = ExportRecord(
        vocabulary_size=model.output.out_features,
        has_attention=attention.has_weights,
        max_source_length=attention.max_length,
        config=config_checksum(folder),
        decoding=config.decoding.options,
        model=model_checksum(),
        weights=places,
        graphs={path.stem: refer_to_weights(graphs[path].graph, places, BEST.name) for path in graphs},
    )
    (folder / EXPORT_RECORD).unlink(missing_ok=True)
    for path, graph in (graphs | {DECODER_INT8: quantise_output(graphs[DECODER])}).items():
        write_whole(folder / path, graph.SerializeToString(deterministic=True))
    try:
        exported = OnnxEngine(RunFolder(folder), record, threads=1)
        reference = TorchEngine(model, torch.device("cpu"))
        difference = largest_difference(exported, reference, src_size=model.encoder.embedding.num_embeddings)
    except ModelFileError as error:
        raise ExportError(f"ONNX Runtime cannot compute the exported model: {error}") from error
    if not difference <= TOLERANCE:  # not >, which is false for NaN
        raise ExportError(
            f"{folder}: the exported model's numbers differ from torch's by up to {difference:.1e}, more than"
            f" {TOLERANCE:.0e}: translate with decoding.engine=torch"
        )
    record.write(folder)


def largest_difference(ours: Engine, reference: Engine, *, src_size: int) -> float:  # type: ignore[type-arg]
    """The largest difference between the outputs of two engines, in some steps on random sentences; NaN for NaN.

    The outputs are log-probabilities and features.
    """
    random = np.random.default_rng(1)
    longest = min(12, (reference.max_source_length or 13) - 1)
    sources = [random.integers(src_size, size=length).tolist() for length in (longest, longest // 2, 0)]
    differences = []
    states = ours.start(sources), reference.start(sources)
    tokens = np.full(len(sources), BOS)
    for _ in range(_CHECKED_STEPS):
        everything = np.tile(np.arange(reference.vocabulary_size), (len(tokens), 1))
        found, ours_after = ours.step(tokens, states[0], k=1, asked=everything)
        expected, reference_after = reference.step(tokens, states[1], k=1, asked=everything)
        differences += [np.abs(found.asked - expected.asked).max(), np.abs(found.features - expected.features).max()]
        rows = random.integers(len(tokens), size=len(tokens) + 1)  # more rows than sources, as with beams
        tokens = expected.tokens[rows, 0]
        states = ours_after.select(rows), reference_after.select(rows)
    return float(np.max(differences))
