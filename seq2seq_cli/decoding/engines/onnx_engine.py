"""The engine that computes with ONNX Runtime on a CPU, from the exported graphs of a model; it needs no torch.

R rows, B sources, S source length with ``<eos>``, k proposals per row, A tokens asked for, F features,
T target length with ``<eos>``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from seq2seq_cli.compute.environment import refuse_telemetry
from seq2seq_cli.compute.out_of_memory import is_out_of_memory
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.errors import ModelFileError, one_line
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.layout import BEST, DECODER, DECODER_INT8, ENCODER, EXPORT_RECORD
from seq2seq_cli.runs.layout import FEATURES as FEATURES_GRAPH
from seq2seq_cli.runs.weights import Weights, check_finite, map_weights
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

refuse_telemetry()
import onnxruntime  # noqa: E402  # not before

onnxruntime.disable_telemetry_events()  # where the variable does nothing: Windows

ENCODER_INPUTS = frozenset(("src", "lengths"))
STEP_INPUTS = frozenset(("tokens", "sources", "k", "asked"))
"""The inputs of a decoder step, besides the outputs of the encoder."""
MEMORY = frozenset(("states", "keys", "mask"))
"""The outputs of the encoder that stay as they are; a decoder step has a next value of each other one."""
NEXT = "next_"
"""The prefix of the names of the next state's tensors."""
FEATURES = "features"
PROPOSALS = ("best_tokens", "best_log_probabilities", "asked_log_probabilities", "weights", FEATURES)
"""The first outputs of a decoder step; those of the next state follow."""

_MOST_BYTES = 16_000_000
"""Size of the largest graph: without weights, it takes tens of kilobytes."""

Tensors: TypeAlias = Mapping[str, Any]
"""Arrays by the names of the graphs' inputs."""


@dataclass(frozen=True, kw_only=True)
class OnnxState:
    """The rows of a search: the memory once per source, and for each row its source and its decoder state."""

    memory: Tensors
    """The memory of the sources, B rows."""
    sources: Int[np.ndarray, " R"]
    """The row of `memory` that each row attends to."""
    decoder: Tensors
    """The state of the decoder, R rows."""

    def select(self, rows: Int[np.ndarray, " R"]) -> "OnnxState":
        """The state of the given rows, in the order given; a row may be taken more than once."""
        decoder = {name: values.take(rows, axis=_row_axis(name)) for name, values in self.decoder.items()}
        return OnnxState(memory=self.memory, sources=self.sources[rows], decoder=decoder)


class OnnxEngine:
    """The steps of an exported model."""

    def __init__(
        self,
        folder: Path,
        record: ExportRecord,
        *,
        weights: Path | None = None,
        threads: int | None = None,
        precision: DecodingPrecision = "fp32",
        with_features: bool = False,
    ) -> None:
        """Open the exported model of a run folder, with its best weights or other `weights` of the same run.

        Only `with_features` can it compute those of given targets. So many `threads` may search at the same time, one
        per core by default. Raises ModelFileError when a file is missing or damaged, or does not fit the others.
        """
        if not record.fits(weights or folder / BEST):
            raise ModelFileError(f"{folder / EXPORT_RECORD}: made for other weights: remove it; it will be made again")
        check_finite(weights or folder / BEST)
        self.vocabulary_size = record.vocabulary_size
        self.has_attention = record.has_attention
        self.threads = min(threads or usable_cores(), usable_cores())
        self.max_source_length = record.max_source_length
        # Arrays in the place of the best weights; ONNX Runtime does not keep them alive.
        self._arrays = map_weights(weights) if weights else None
        decoder = {"fp32": DECODER, "int8": DECODER_INT8}[precision]
        self._folder = folder
        self._record = record
        self._graphs = folder / ENCODER, folder / decoder
        self._encoder = open_session(self._graphs[0], self._arrays, record.encoder)
        self._decoder = open_session(self._graphs[1], self._arrays, record.decoder)
        self._encoded = [output.name for output in self._encoder.get_outputs()]
        outputs = [output.name for output in self._decoder.get_outputs()]
        self._state = [name.removeprefix(NEXT) for name in outputs[len(PROPOSALS) :]]
        _check_inputs(self._graphs[0], self._encoder, ENCODER_INPUTS)
        _check_inputs(self._graphs[1], self._decoder, STEP_INPUTS.union(self._encoded))
        expected = [*PROPOSALS, *(NEXT + name for name in self._state)]
        if outputs != expected or sorted(self._state) != sorted(set(self._encoded) - MEMORY):
            raise _other_graph(self._graphs[1], "outputs")
        self._features_session = self._open_features() if with_features else None

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxState:
        """The state before the first step: one row per source, of ids without ``<eos>``."""
        lengths = np.array([len(source) + 1 for source in sources], dtype=np.int64)
        src = np.full((len(sources), lengths.max()), PAD, dtype=np.int64)
        for row, source in zip(src, sources, strict=True):
            row[: len(source)] = source
            row[len(source)] = EOS
        outputs = _run(self._graphs[0], self._encoder, {"src": src, "lengths": lengths})
        encoded = dict(zip(self._encoded, outputs, strict=True))
        state = {name: encoded.pop(name) for name in self._state}
        return OnnxState(memory=encoded, sources=np.arange(len(sources)), decoder=state)

    def step(
        self, tokens: Int[np.ndarray, " R"], state: OnnxState, *, k: int, asked: Int[np.ndarray, "R A"]
    ) -> tuple[Proposals, OnnxState]:
        """The proposals after the previous tokens, and the next state; see `Engine`."""
        given = {"tokens": tokens, "sources": state.sources, "k": np.array(k), "asked": asked}
        outputs = _run(self._graphs[1], self._decoder, {**given, **state.memory, **state.decoder})
        (best_tokens, *others), after = outputs[: len(PROPOSALS)], outputs[len(PROPOSALS) :]
        decoder = dict(zip(self._state, after, strict=True))
        if best_tokens.dtype != np.int64:
            raise _other_graph(self._graphs[1], "outputs")
        # ONNX Runtime's integers are C's long long, which numpy names apart from int64.
        proposals = Proposals(best_tokens.view(np.int64), *others)
        self._check(proposals, decoder, len(tokens), k)
        return proposals, OnnxState(memory=state.memory, sources=state.sources, decoder=decoder)

    def features(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[Float[np.ndarray, "T F"]]:
        """The features, step by step of all targets that go on; see `Engine`."""
        if not sources:
            return []
        lengths = np.array([len(target) + 1 for target in targets])
        order = np.argsort(-lengths, kind="stable")  # the longest first: those that go on are the first rows
        tgt_in = np.full((len(targets), lengths.max()), PAD)
        for row, number in zip(tgt_in, order.tolist(), strict=True):
            row[: lengths[number]] = [BOS, *targets[number]]
        state, steps = self.start([sources[number] for number in order.tolist()]), []
        for t, tokens in enumerate(tgt_in.T):
            open_rows = np.flatnonzero(lengths[order] > t)
            state = state.select(open_rows)
            features, state = self._features(tokens[open_rows], state)
            steps.append(features)
        whole = np.zeros((len(targets), len(steps), steps[0].shape[1]), dtype=np.float32)
        for t, features in enumerate(steps):
            whole[order[: len(features)], t] = features
        return [of_target[:length] for of_target, length in zip(whole, lengths.tolist(), strict=True)]

    def _features(self, tokens: Int[np.ndarray, " R"], state: OnnxState) -> tuple[Float[np.ndarray, "R F"], OnnxState]:
        """The features of one step, and the next state."""
        graph = self._folder / FEATURES_GRAPH
        assert self._features_session is not None  # noqa: S101  # opened with_features
        given = {"tokens": tokens, "sources": state.sources, **state.memory, **state.decoder}
        # A decoder without attention needs no mask here, of which a step makes its weights of 0.
        needed = [value.name for value in self._features_session.get_inputs()]
        features, *after = _run(graph, self._features_session, {name: given[name] for name in needed})
        if len(features) != len(tokens):
            raise _other_graph(graph, "outputs")
        decoder = dict(zip(self._state, after, strict=True))
        return features, OnnxState(memory=state.memory, sources=state.sources, decoder=decoder)

    def _open_features(self) -> Any:
        """The session of a step without the output layer."""
        graph = self._folder / FEATURES_GRAPH
        session = open_session(graph, self._arrays, self._record.features)
        if not {value.name for value in session.get_inputs()} <= STEP_INPUTS.union(self._encoded) - {"k", "asked"}:
            raise _other_graph(graph, "inputs")
        if [output.name for output in session.get_outputs()] != [FEATURES, *(NEXT + name for name in self._state)]:
            raise _other_graph(graph, "outputs")
        return session

    def _check(self, proposals: Proposals, state: Tensors, rows: int, k: int) -> None:
        """Raise ModelFileError for what no step of a model computes: the graph may be a stranger's."""
        tokens, best, *others = proposals
        if tokens.shape != (rows, k) or best.shape != (rows, k) or any(len(values) != rows for values in others):
            raise _other_graph(self._graphs[1], "outputs")
        if any(values.shape[_row_axis(name)] != rows for name, values in state.items()):
            raise _other_graph(self._graphs[1], "outputs")
        # As numbers without a sign, the negative ones are the largest.
        if tokens.view(np.uint64).max() >= self.vocabulary_size:
            raise _other_graph(self._graphs[1], "tokens")
        if np.isnan(best.min()):
            raise ModelFileError(f"{self._graphs[1]}: it computes NaN: its weights are too large: train again")


def _row_axis(name: str) -> int:
    """The axis of the rows in a tensor of the state: those of the RNN's layers have the layers first."""
    return 1 if name in ("hidden", "cell") else 0


def open_session(graph: Path, weights: Weights | None = None, names: Sequence[str] = ()) -> Any:
    """A session with `weights`, of which it uses those with the `names`; None: with those that the graph refers to.

    Raises ModelFileError when the graph is missing or damaged, or does not fit the weights.
    """
    options = onnxruntime.SessionOptions()
    # No threads of its own: several searches at a time, each in a thread of the caller's, use the cores better than
    # one whose operators are shared among them. Measured with beam 5 on two cores.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # an error is raised, and is reported once
    if weights is not None:
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(weights[name]) for name in names]
        options.add_external_initializers(list(names), values)
    try:
        if graph.stat().st_size > _MOST_BYTES:
            raise ValueError(f"larger than {_MOST_BYTES / 1e6:g} MB")  # noqa: TRY301  # as for a damaged one
        # A fallback to the same CPU would only print to stdout.
        return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"], enable_fallback=0)
    except Exception as error:  # ONNX Runtime's errors have no base of their own
        if is_out_of_memory(error):
            raise
        reason = one_line(str(error))
        raise ModelFileError(f"{graph}: missing, damaged, or not for these weights ({reason})") from error


def _run(graph: Path, session: Any, inputs: Tensors) -> list[Any]:
    try:
        outputs: list[Any] = session.run(None, inputs)
    except Exception as error:  # as above
        if is_out_of_memory(error):
            raise
        raise ModelFileError(f"{graph}: cannot be computed: {one_line(str(error))}") from error
    return outputs


def _check_inputs(graph: Path, session: Any, names: frozenset[str]) -> None:
    if {value.name for value in session.get_inputs()} != names:
        raise _other_graph(graph, "inputs")


def _other_graph(graph: Path, what: str) -> ModelFileError:
    return ModelFileError(
        f"{graph}: damaged: its {what} are not those of a graph of s2s: remove it; it will be made again"
    )
