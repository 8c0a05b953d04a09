"""Exporting a trained model: its graphs beside its best weights, checked against torch."""

import copy
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch

from seq2seq_cli.compute.out_of_memory import is_out_of_memory
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.decoding.engine import Engine, EngineState
from seq2seq_cli.decoding.engines.graphs import refer_to_weights, trace_graphs
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.decoding.engines.quantise import quantise_output
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.errors import ExportError, one_line
from seq2seq_cli.files.writing import write_whole
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.exported import ExportRecord, model_checksum, schema_checksum
from seq2seq_cli.runs.layout import BEST, CONFIG, DECODER, DECODER_INT8, ENCODER, EXPORT_RECORD, FEATURES
from seq2seq_cli.runs.weights_header import read_header
from seq2seq_cli.text.vocabulary import BOS, UNK

TOLERANCE = 1e-4
"""Largest difference between a number of the exported model and torch's."""

_CHECKED_STEPS = 4

State = TypeVar("State", bound=EngineState)
Other = TypeVar("Other", bound=EngineState)


def export_best(folder: Path, model: Seq2Seq, config: Config) -> None:
    """Write the graphs of a model beside its best weights, which `model` has, in the run folder.

    Raises ExportError when ONNX cannot express a part of the model, or when they do not compute what torch computes;
    OSError when they cannot be written.
    """
    model = copy.deepcopy(model).cpu().eval()
    places = read_header(folder / BEST).places
    encoder, decoder, features = trace_graphs(model)
    attention = model.decoder.attention
    record = ExportRecord(
        vocabulary_size=model.output.out_features,
        has_attention=attention.has_weights,
        max_source_length=attention.max_length,
        config=(folder / CONFIG).read_text(encoding="utf-8"),
        decoding=config.decoding.model_dump(mode="json"),
        schema=schema_checksum(),
        model=model_checksum(),
        weights=places,
        encoder=refer_to_weights(encoder.graph, places, BEST.name),
        decoder=refer_to_weights(decoder.graph, places, BEST.name),
        features=refer_to_weights(features.graph, places, BEST.name),
    )
    (folder / EXPORT_RECORD).unlink(missing_ok=True)
    write_whole(folder / ENCODER, encoder.SerializeToString(deterministic=True))
    write_whole(folder / DECODER, decoder.SerializeToString(deterministic=True))
    write_whole(folder / FEATURES, features.SerializeToString(deterministic=True))
    write_whole(folder / DECODER_INT8, quantise_output(decoder).SerializeToString(deterministic=True))
    _check(folder, record, model)
    record.write(folder / EXPORT_RECORD)


def _check(folder: Path, record: ExportRecord, model: Seq2Seq) -> None:
    """Raise ExportError unless the graphs, with the decoder in fp32, compute what the model computes."""
    reference = TorchEngine(model, torch.device("cpu"))
    try:
        exported = OnnxEngine(folder, record, threads=1, with_features=True)
        difference = largest_difference(exported, reference, src_size=model.encoder.embedding.num_embeddings)
    except Exception as error:  # ONNX Runtime's errors have no base of their own
        if is_out_of_memory(error):
            raise
        raise ExportError(
            f"{folder}: ONNX Runtime cannot compute the exported model: {one_line(str(error))}"
        ) from error
    if not difference <= TOLERANCE:  # not >, which is false for NaN
        raise ExportError(
            f"{folder}: the exported model's numbers differ from torch's by up to {difference:.1e}, more than"
            f" {TOLERANCE:.0e}: translate with decoding.engine=torch"
        )


def largest_difference(ours: Engine[State], reference: Engine[Other], *, src_size: int) -> float:
    """The largest difference between the outputs of two engines, in some steps on random sentences.

    The outputs are log-probabilities, and the features of given targets.

    NaN where one of them computes NaN.
    """
    random = np.random.default_rng(1)
    longest = min(12, (reference.max_source_length or 13) - 1)
    sources = [random.integers(src_size, size=length).tolist() for length in (longest, longest // 2, 0)]
    states = ours.start(sources), reference.start(sources)
    tokens = np.full(len(sources), BOS)
    targets = [random.integers(UNK, reference.vocabulary_size, size=length).tolist() for length in (0, 3, 5)]
    features = zip(ours.features(sources, targets), reference.features(sources, targets), strict=True)
    difference = float(np.max([np.abs(found - expected).max() for found, expected in features]))
    for _ in range(_CHECKED_STEPS):
        everything = np.tile(np.arange(reference.vocabulary_size), (len(tokens), 1))
        found, ours_after = ours.step(tokens, states[0], k=1, asked=everything)
        expected, reference_after = reference.step(tokens, states[1], k=1, asked=everything)
        # Not max(), which leaves out NaN.
        difference = float(np.maximum(difference, np.abs(found.asked - expected.asked).max()))
        # More rows than sources, as with beams.
        rows = random.integers(len(tokens), size=len(tokens) + 1)
        tokens = expected.tokens[rows, 0]
        states = ours_after.select(rows), reference_after.select(rows)
    return difference
