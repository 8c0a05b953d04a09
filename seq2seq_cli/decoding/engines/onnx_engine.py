"""The engine that computes with ONNX Runtime on a CPU, from the exported graphs of a model; it needs no torch.

R rows, B sources, S source length with ``<eos>``, k proposals per row, A tokens asked for.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.decoding.engine import Look, Proposals, readers_of, still_read
from seq2seq_cli.errors import ModelFileError, one_line
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import DECODER, ENCODER, FEATURES, SEARCH
from seq2seq_cli.runs.weights import Header, read_header
from seq2seq_cli.shapes import Int
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

# Without it, the packages of ONNX Runtime report to its maker over the network.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime  # not before

onnxruntime.disable_telemetry_events()  # where the variable does nothing: Windows

MEMORY = frozenset(("states", "keys", "mask"))
"""The outputs of the encoder that stay as they are; a decoder step has a next value of each other one."""
NEXT = "next_"
"""The prefix of the names of the next state's tensors."""
PROPOSALS = ("best_tokens", "best_log_probabilities", "asked_log_probabilities", "weights", "features")
"""The first outputs of a decoder step; the next state follows."""
ASKED = ("asked_units", "asked_places")
"""The inputs that stand for ``asked`` in int8: the different tokens of all rows, at least one, and the place of each
token of a row among them. Rows mostly ask for the same ones: one product for all takes less time than one for each."""
EXACT = 12
"""The best tokens of a row that int8 computes in fp32, PAD and BOS counted. Not as many as k, which depends on other
rows."""
OF_ALL = "log_probabilities"
"""The output of a decoder step that has the log-probabilities of all tokens."""
WITHOUT_OUTPUT = PROPOSALS[3:]
"""The outputs of a step without the output layer."""
LOOK = Look._fields[1:]
"""The outputs of a step that show its attention; a model without attention has not all of them."""

_MOST_BYTES = 16_000_000
"""Size of the largest graph: without weights, it takes tens of kilobytes."""

Tensors: TypeAlias = Mapping[str, Any]
"""Arrays by the names of the graphs' inputs."""


class Graph:
    """A graph that ONNX Runtime computes."""

    def __init__(self, path: Path) -> None:
        """Open a graph, whose weights are read later; ModelFileError if it is missing, damaged, or not for them."""
        self.path = path
        options = onnxruntime.SessionOptions()
        # No threads of its own: several searches at a time, each in a thread of the caller's, use the cores better than
        # one whose operators are shared among them. Measured with beam 5 on two cores.
        options.intra_op_num_threads = 1
        options.log_severity_level = 4  # an error is raised, and is reported once
        try:
            if path.stat().st_size > _MOST_BYTES:
                raise ValueError(f"larger than {_MOST_BYTES / 1e6:g} MB")  # noqa: TRY301  # as for a damaged one
            # A fallback to the same CPU would only print to stdout.
            only = ["CPUExecutionProvider"]
            self._session = onnxruntime.InferenceSession(path, options, providers=only, enable_fallback=0)
            self.outputs: list[str] = [output.name for output in self._session.get_outputs()]
            if len(set(self.outputs)) < len(self.outputs):
                raise ValueError("two outputs of one name")  # noqa: TRY301  # as for a damaged one
        except Exception as error:  # ONNX Runtime's errors have no base of their own
            raise self._failure(error, "missing, damaged, or not for these weights") from None
        self._inputs = {value.name for value in self._session.get_inputs()}

    def run(self, inputs: Tensors, outputs: Sequence[str]) -> list[Any]:
        """Some outputs, in the order of their names, by the inputs that the graph has; ModelFileError if that fails."""
        given = {name: value for name, value in inputs.items() if name in self._inputs}
        try:
            found: list[Any] = self._session.run(outputs, given)
        except Exception as error:  # as above
            raise self._failure(error, "cannot be computed") from None
        return found

    def _failure(self, error: Exception, problem: str) -> Exception:
        if is_out_of_memory(error):
            return error
        return ModelFileError(f"{self.path}: {problem}: {one_line(str(error))}")


@dataclass(frozen=True, kw_only=True)
class OnnxState:
    """The rows of a search: the memory once per source, and for each row its source and its decoder state."""

    memory: Tensors
    size: int
    """B: a model without attention has no memory."""
    sources: Int[np.ndarray, " R"]
    """The row of `memory` that each row attends to."""
    decoder: Tensors

    def select(self, rows: Int[np.ndarray, " R"]) -> "OnnxState":
        """The state of the given rows, in the order given; a row may be taken more than once."""
        decoder = {name: values.take(rows, axis=_row_axis(name)) for name, values in self.decoder.items()}
        kept, sources = still_read(self.sources[rows], self.size)
        if kept is None:
            return replace(self, sources=sources, decoder=decoder)
        memory = {name: values[kept] for name, values in self.memory.items()}
        return OnnxState(memory=memory, size=len(kept), sources=sources, decoder=decoder)


class OnnxEngine:
    """The steps of an exported model."""

    def __init__(
        self,
        run: RunFolder,
        record: ExportRecord,
        *,
        threads: int | None = None,
        precision: DecodingPrecision = "auto",
        with_features: bool = False,
    ) -> None:
        """Open the exported model of a run with its best weights.

        So many `threads` may search at the same time, one per core by default; `with_features` it takes half the time
        for steps without the output layer. With the `precision` auto, the output layer is in int8 where a step is not
        asked for all tokens. Raises ModelFileError for files that are missing, damaged, or do not fit.
        """
        self._run = run
        header: Header | None = None
        while header != read_header(run.best_path):  # a training may replace the weights between two graphs
            header = read_header(run.best_path)
            if record.weights != header.places:
                raise ModelFileError(f"{run.path}: its exported model is not for the weights of {run.best_path}")
            self._encoder = Graph(run.path / ENCODER)
            self._search = Graph(run.path / (DECODER if precision == "fp32" else SEARCH))
            self._features = Graph(run.path / FEATURES) if with_features else None
        self._header = header
        if precision == "fp32":
            self._decoder = self._search
        self.vocabulary_size = record.vocabulary_size
        self.has_attention = record.has_attention
        self.threads = min(threads or usable_cores(), usable_cores())
        self.max_source_length = record.max_source_length
        self._state = [name for name in self._encoder.outputs if name not in MEMORY]
        self._next = [NEXT + name for name in self._state]
        if not {*PROPOSALS, *self._next} <= set(self._search.outputs):
            raise ModelFileError(f"{self._search.path}: damaged, or of another version of s2s")

    def start(self, sources: Sequence[Sequence[int]]) -> OnnxState:
        """The state before the first step: one row per source, of ids without ``<eos>``."""
        lengths = np.array([len(source) + 1 for source in sources], dtype=np.int64)
        src = np.full((len(sources), lengths.max()), PAD, dtype=np.int64)
        for row, source in zip(src, sources, strict=True):
            row[: len(source) + 1] = [*source, EOS]
        names = self._encoder.outputs
        memory = dict(zip(names, self._encoder.run({"src": src, "lengths": lengths}, names), strict=True))
        state = {name: memory.pop(name) for name in self._state}
        return OnnxState(memory=memory, size=len(sources), sources=np.arange(len(sources)), decoder=state)

    def step(
        self, tokens: Int[np.ndarray, " R"], state: OnnxState, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, OnnxState]:
        """The proposals after the previous tokens, and the next state; see `Engine`."""
        no_tokens, nothing = (np.zeros((len(tokens), 0), dtype) for dtype in (np.int64, np.float32))
        given = _inputs(tokens, state, k, no_tokens if asked is None else asked)
        if self._features and not (k or asked is None or asked.size):
            graph = self._features
            found = [no_tokens, nothing, nothing, *graph.run(given, [*WITHOUT_OUTPUT, *self._next])]
        else:
            # Sampling asks for all tokens by k.
            asks_all = asked is None or k == self.vocabulary_size - len((PAD, BOS))
            graph = self._decoder if asks_all else self._search
            best_and_asked = [*PROPOSALS[:2], OF_ALL if asked is None else PROPOSALS[2]]
            found = graph.run(given, [*best_and_asked, *WITHOUT_OUTPUT, *self._next])
        proposals = Proposals(*found[: len(PROPOSALS)])
        decoder = dict(zip(self._state, found[len(PROPOSALS) :], strict=True))
        self._check(graph, proposals, decoder, len(tokens), k)
        # ONNX Runtime's integers are C's long long, which numpy names apart from int64.
        return proposals._replace(tokens=proposals.tokens.view(np.int64)), replace(state, decoder=decoder)

    def look(self, tokens: Int[np.ndarray, " R"], state: OnnxState) -> Look | None:
        """The attention of the same step; see `Engine`."""
        if not set(LOOK) <= set(self._decoder.outputs):
            return None
        given = _inputs(tokens, state, 1, tokens[:, np.newaxis])
        return Look(state.memory["states"][state.sources], *self._decoder.run(given, LOOK))

    @cached_property
    def _decoder(self) -> Graph:
        """The decoder step in fp32, opened when it is needed: for its product it copies the weights."""
        graph = Graph(self._run.path / DECODER)
        if read_header(self._run.best_path) != self._header:
            raise ModelFileError(f"{self._run.path}: its weights have changed since it was opened: open it again")
        return graph

    def _check(self, graph: Graph, proposals: Proposals, state: Tensors, rows: int, k: int) -> None:
        """Raise ModelFileError for what no step of a model computes: the graph may be a stranger's."""
        tokens, best, *others = proposals
        lengths = [len(values) for values in others]
        lengths += [values.shape[_row_axis(name)] for name, values in state.items()]
        is_sound = tokens.shape == best.shape == (rows, k) and set(lengths) == {rows} and tokens.dtype == np.int64
        # Without a sign, negative numbers are the largest.
        if not is_sound or tokens.view(np.uint64).max(initial=0) >= self.vocabulary_size:
            raise ModelFileError(f"{graph.path}: damaged: it computes other values than a graph of s2s")
        if np.isnan(best.min(initial=0)) or np.isnan(proposals.asked.min(initial=0)):
            raise ModelFileError(f"{graph.path}: it computes NaN: its weights are too large: train again")


def _inputs(tokens: Int[np.ndarray, " R"], state: OnnxState, k: int, asked: Int[np.ndarray, "R A"]) -> Tensors:
    slots, places = readers_of(state.sources, state.size)
    is_asked = np.zeros(asked.max(initial=PAD) + 1, dtype=np.bool_)
    is_asked[PAD] = True  # at least one, as ASKED has it
    is_asked[asked] = True
    of_asked = dict(zip(ASKED, (np.flatnonzero(is_asked), (is_asked.cumsum() - 1)[asked]), strict=True))
    given = {"tokens": tokens, "slots": slots, "places": places, "k": np.array(k), "asked": asked}
    return {**given, **of_asked, **state.memory, **state.decoder}


def _row_axis(name: str) -> int:
    """The axis of the rows in a tensor of the state: the RNN's layers have the layers first."""
    return 1 if name in ("hidden", "cell") else 0
