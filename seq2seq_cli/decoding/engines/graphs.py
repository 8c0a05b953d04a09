"""The export of a trained model: its ONNX graphs, traced by torch, written beside its best weights, and checked.

The graphs are the encoder and the decoder step: in fp32, without the output layer, and as searches take it, from
`LEAST_UNITS` units on with the output layer in int8. They hold no weights: each weight is a reference to its place in
the file of weights, in the folder of the graph.

B sources, S source length with ``<eos>``, R rows, K rows of a source at most, k proposals per row, A tokens asked for.
"""

import copy
import io
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.onnx import symbolic_helper
from torch.onnx.utils import register_custom_op_symbolic

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.engines.int8_output import LEAST_UNITS, in_int8
from seq2seq_cli.decoding.engines.onnx_engine import LOOK, MEMORY, NEXT, OF_ALL, PROPOSALS, WITHOUT_OUTPUT, OnnxEngine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine, propose, watched
from seq2seq_cli.errors import ExportError, ModelFileError, one_line
from seq2seq_cli.files.writing import write_whole
from seq2seq_cli.model.attention.attention import Attention
from seq2seq_cli.model.recurrent import ChoGRU
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.model.state import DecoderState, Memory, Readers, RNNState
from seq2seq_cli.runs.exported import ExportRecord, config_checksum, model_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import BEST, DECODER, ENCODER, EXPORT_RECORD, FEATURES, SEARCH
from seq2seq_cli.runs.weights import Places, read_header
from seq2seq_cli.text.vocabulary import BOS, EOS

TOLERANCE, INT8_TOLERANCE = 1e-4, 0.1
"""Largest difference between a number of the exported model and torch's; that of trained models in int8 is 0.01."""
OPSET = 18
"""The version of ONNX's operators; every ONNX Runtime from 1.14 on has it."""

AXES = {
    **dict.fromkeys(("src", "states", "keys", "mask"), "BS"),
    **dict.fromkeys(("hidden", "cell"), "_R"),
    **dict.fromkeys(("tokens", "places", "attentional", "position", "features", "query", "context", OF_ALL), "R"),
    "slots": "BK",
    **dict.fromkeys(("best_tokens", "best_log_probabilities"), "Rk"),
    **dict.fromkeys(("asked", "asked_log_probabilities"), "RA"),
    "lengths": "B",
    **dict.fromkeys(("weights", "scores"), "RS"),
}
"""The first axes of inputs and outputs; their sizes differ from call to call, except for _."""

Tensors: TypeAlias = dict[str, Tensor]
_Part: TypeAlias = Callable[[Seq2Seq, Tensors], Tensors]


def export_best(folder: Path, model: Seq2Seq, config: Config) -> None:
    """Write the graphs of a model beside its best weights, which `model` has, in the run folder.

    Raises ExportError when ONNX cannot express a part of the model, or when they do not compute what torch computes;
    OSError when they cannot be written.
    """
    model = copy.deepcopy(model).cpu().eval()
    places = read_header(folder / BEST).places
    graphs = _trace_graphs(model)
    attention = model.decoder.attention
    record = ExportRecord(
        vocabulary_size=model.output.out_features,
        has_attention=attention.has_weights,
        max_source_length=attention.max_length,
        config=config_checksum(folder),
        decoding=config.decoding.options,
        model=model_checksum(),
        weights=places,
    )
    (folder / EXPORT_RECORD).unlink(missing_ok=True)
    for path, model_graph in graphs.items():
        _refer_to_weights(model_graph.graph, places)
        write_whole(folder / path, model_graph.SerializeToString(deterministic=True))

    def difference(precision: DecodingPrecision) -> float:
        exported = OnnxEngine(RunFolder(folder), record, threads=1, precision=precision)
        return largest_difference(exported, TorchEngine(model), src_size=model.encoder.embedding.num_embeddings)

    try:
        # Not >, which is false for NaN, here and below.
        if not (found := difference("fp32")) <= TOLERANCE:
            differ = f"the exported model's numbers differ from torch's by up to {found:.1e}, more than {TOLERANCE:.0e}"
            raise ExportError(f"{folder}: {differ}: translate with decoding.engine=torch")
        if not difference("auto") <= INT8_TOLERANCE:  # rounding changes these weights too much
            write_whole(folder / SEARCH, (folder / DECODER).read_bytes())
    except ModelFileError as error:
        raise ExportError(f"ONNX Runtime cannot compute the exported model: {error}") from error
    write_whole(folder / EXPORT_RECORD, record.content)


def largest_difference(ours: Engine, reference: Engine, *, src_size: int) -> float:  # type: ignore[type-arg]
    """The largest difference between numbers of proposals, in four steps on random sentences; NaN for NaN."""
    random = np.random.default_rng(1)
    longest = min(12, (reference.max_source_length or 13) - 1)
    sources = [random.integers(src_size, size=length).tolist() for length in (longest, longest // 2, 0)]
    differences = []
    states = ours.start(sources), reference.start(sources)
    tokens = np.full(len(sources), BOS)
    for number in range(4):
        asked = tokens[:, np.newaxis] if number else None
        found, ours_after = ours.step(tokens, states[0], k=1, asked=asked)
        expected, reference_after = reference.step(tokens, states[1], k=1, asked=asked)
        for ours_part, part in zip(found[1:], expected[1:], strict=True):  # all but the tokens: of equals, any is right
            differences.append(np.abs(ours_part - part).max())
        rows = random.integers(len(tokens), size=len(tokens) + 1)  # more rows than sources, as with beams
        tokens = expected.tokens[rows, 0]
        states = ours_after.select(rows), reference_after.select(rows)
    return float(np.max(differences))


def _trace_graphs(model: Seq2Seq) -> dict[Path, onnx.ModelProto]:
    """The graphs of a model in evaluation mode, on the CPU, by their files; the weights are the last inputs."""
    # All of one length: an RNN is traced as it runs without padding, and `_complete_rnns` does the rest.
    src = torch.full((2, min(3, model.decoder.attention.max_length or 3)), EOS)
    texts = {"src": src, "lengths": torch.full((2,), src.shape[1])}
    with torch.no_grad():
        encoded = _encode(model, texts)
    after = [NEXT + name for name in encoded if name not in MEMORY]
    rows = torch.arange(2)
    step = {"tokens": torch.full((2,), BOS), "slots": rows.unsqueeze(1), "places": rows, **encoded}
    features = _trace(model, _step, step, [*WITHOUT_OUTPUT, *after])
    step |= {"k": torch.tensor(1), "asked": torch.full((2, 1), EOS)}
    shown = [name for name in LOOK if isinstance(model.decoder.attention, Attention) and name not in PROPOSALS]
    decoder = _trace(model, _step, step, [*PROPOSALS, OF_ALL, *shown, *after])
    search = _trace(model, _step, step, [*PROPOSALS, *after])
    if model.output.out_features >= LEAST_UNITS:
        search = in_int8(search)
    # Of the memory, a decoder without attention needs the mask alone, or not even that.
    encoder = _trace(model, _encode, texts, [value.name for value in decoder.graph.input if value.name in encoded])
    _complete_rnns(encoder.graph, resets_first=isinstance(model.encoder.rnn, ChoGRU))
    return {ENCODER: encoder, DECODER: decoder, FEATURES: features, SEARCH: search}


def _encode(model: Seq2Seq, given: Tensors) -> Tensors:
    """Memory and first state of the decoder, as far as the model has them; keys that are the states, once."""
    memory, state = model.encode(given["src"], given["lengths"])
    own_keys = {} if memory.keys is memory.states else {"keys": memory.keys}
    return {"states": memory.states, **own_keys, "mask": memory.mask, **_named(state)}


def _step(model: Seq2Seq, given: Tensors) -> Tensors:
    """A step of the decoder; without ``k`` among what is given, without the output layer."""
    states = given["states"]
    readers = Readers(slots=given["slots"], places=given["places"])
    memory = Memory(states=states, keys=given.get("keys", states), mask=given["mask"], readers=readers)
    rnn = RNNState(hidden=given["hidden"], cell=given.get("cell"))
    state = DecoderState(rnn=rnn, position=given["position"], attentional=given.get("attentional"))
    with watched(model.decoder.attention) as seen:
        features, state, weights = model.decoder.step(given["tokens"], state, memory)
    after = {NEXT + name: tensor for name, tensor in _named(state).items()}
    if "k" not in given:
        return {**dict(zip(WITHOUT_OUTPUT, (weights, features), strict=True)), **after}
    # In ONNX Runtime, LogSoftmax is ten times as fast as ReduceLogSumExp.
    log_probabilities = model.output(features).log_softmax(dim=1)
    proposals = propose(log_probabilities, given["k"], given["asked"])
    shown = {OF_ALL: log_probabilities} | {name: readers.collect(slots) for name, slots in seen.items()}
    return {**shown, **dict(zip(PROPOSALS, (*proposals, weights, features), strict=True)), **after}


def _named(state: DecoderState) -> Tensors:
    """The tensors of a decoder state that the decoder has, by the names of their fields."""
    fields = vars(state.rnn) | vars(state)
    return {name: tensor for name, tensor in fields.items() if isinstance(tensor, Tensor)}


class _Traced(nn.Module):
    """A part of a model, whose inputs and outputs have no names where it is traced."""

    def __init__(self, model: Seq2Seq, part: _Part, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        super().__init__()
        self.model = model
        self.part, self.inputs, self.outputs = part, inputs, outputs

    def forward(self, *tensors: Tensor) -> list[Tensor]:
        found = self.part(self.model, dict(zip(self.inputs, tensors, strict=True)))
        return [found[name] for name in self.outputs]


def _trace(model: Seq2Seq, part: _Part, inputs: Tensors, outputs: Sequence[str]) -> onnx.ModelProto:
    file = io.BytesIO()
    letters = {name: AXES.get(name.removeprefix(NEXT), "") for name in (*inputs, *outputs)}
    axes = {name: {i: axis for i, axis in enumerate(of_name) if axis != "_"} for name, of_name in letters.items()}
    register_custom_op_symbolic("aten::unsafe_chunk", _split_in_equal_parts, OPSET)
    with warnings.catch_warnings(), torch.no_grad():
        # The exporter that traces is deprecated in favour of one that takes twenty times as long, needs one more
        # package and fails on RNNs; the other warnings are about Python's own decisions, which are meant to be traced.
        warnings.simplefilter("ignore")
        try:
            # Where the exporter fails it prints the whole graph; stdout is for results.
            torch._C._jit_set_onnx_log_output_stream("stderr")  # noqa: SLF001  # there is no public way
            torch.onnx.export(
                _Traced(model, part, list(inputs), outputs),
                tuple(inputs.values()),
                file,  # type: ignore[arg-type]  # its own documentation allows it
                dynamo=False,
                export_params=False,
                do_constant_folding=False,
                opset_version=OPSET,
                input_names=list(inputs),
                output_names=list(outputs),
                dynamic_axes=axes,
            )
        except Exception as error:  # whatever the exporter meets: a model of one's own may have any operation
            if is_out_of_memory(error):
                raise
            raise ExportError(f"the model has a part that ONNX cannot express: {one_line(str(error))}") from error
    return onnx.load_from_string(file.getvalue())


@symbolic_helper.parse_args("v", "i", "i")
def _split_in_equal_parts(graph: Any, value: Any, parts: int, axis: int, _outputs: int) -> Any:
    """The gates of an RNN cell; the exporter's own translation must know how long the axis is, and often does not."""
    return graph.op("Split", value, num_outputs_i=parts, axis_i=axis, outputs=_outputs)


def _complete_rnns(graph: onnx.GraphProto, *, resets_first: bool) -> None:
    """Give each RNN of an encoder the lengths of its rows, so that outputs at padding are 0, and a GRU its reset."""
    graph.node.insert(0, onnx.helper.make_node("Cast", ["lengths"], ["rnn_lengths"], to=onnx.TensorProto.INT32))
    for node in graph.node:
        if node.op_type in ("LSTM", "GRU", "RNN"):
            node.input[4] = "rnn_lengths"
        for attribute in node.attribute:
            if attribute.name == "linear_before_reset":
                attribute.i = int(not resets_first)


def _refer_to_weights(graph: onnx.GraphProto, places: Places) -> None:
    """Make the weights of a traced graph references to their places in the file of the best ones."""
    given = [value for value in graph.input if value.name.startswith("model.")]  # as _Traced calls it
    names = {value.name: value.name.removeprefix("model.") for value in given}
    for value in given:
        offset, length, *shape = places[names[value.name]]
        tensor = graph.initializer.add(name=names[value.name], data_type=onnx.TensorProto.FLOAT, dims=shape)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, entry in {"location": BEST.name, "offset": offset, "length": length}.items():
            tensor.external_data.add(key=key, value=str(entry))
        graph.input.remove(value)
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
