"""The engine that computes with torch, on any device; the reference of the others.

R rows, B sources, S source length with ``<eos>``, k proposals per row, A tokens asked for, V target vocabulary.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seq2seq_cli.decoding.engine import Look, Proposals, readers_of, still_read
from seq2seq_cli.model.attention.attention import Attention, ContextProvider
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.model.state import DecoderState, Memory, Readers
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD


@dataclass(frozen=True, kw_only=True)
class TorchState:
    """The rows of a search: the memory once per source, and for each row its source and its decoder state."""

    memory: Memory
    sources: Int[np.ndarray, " R"]
    """The row of `memory` that each row attends to."""
    decoder: DecoderState

    def select(self, rows: Int[np.ndarray, " R"]) -> "TorchState":
        """The state of the given rows, in the order given; a row may be taken more than once."""
        device = self.memory.mask.device
        kept, sources = still_read(self.sources[rows], len(self.memory.mask))
        memory = self.memory if kept is None else self.memory.select(torch.from_numpy(kept).to(device))
        decoder = self.decoder.select(torch.from_numpy(rows).to(device))
        return TorchState(memory=memory, sources=sources, decoder=decoder)


class TorchEngine:
    """The steps of a model, on the device where its weights lie."""

    def __init__(self, model: Seq2Seq) -> None:
        self._model = model
        self._device = next(model.parameters()).device
        attention = model.decoder.attention
        self.vocabulary_size = model.output.out_features
        self.has_attention = attention.has_weights
        self.threads = 1  # torch shares each of its operators among threads of its own
        self.max_source_length = attention.max_length

    @torch.inference_mode()
    def start(self, sources: Sequence[Sequence[int]]) -> TorchState:
        """The state before the first step: one row per source, of ids without ``<eos>``."""
        rows = [torch.tensor([*source, EOS]) for source in sources]
        src = pad_sequence(rows, batch_first=True, padding_value=PAD).to(self._device)
        with evaluating(self._model):
            memory, decoder = self._model.encode(src, torch.tensor([len(row) for row in rows]))
        return TorchState(memory=memory, sources=np.arange(len(rows)), decoder=decoder)

    @torch.inference_mode()
    def step(
        self, tokens: Int[np.ndarray, " R"], state: TorchState, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, TorchState]:
        """The proposals after the previous tokens, and the next state; see `Engine`."""
        readers = readers_of(state.sources, len(state.memory.mask))
        slots, places = (torch.from_numpy(part).to(self._device) for part in readers)
        memory = replace(state.memory, readers=Readers(slots=slots, places=places))
        previous = torch.from_numpy(tokens).to(self._device)
        with evaluating(self._model):
            features, decoder, weights = self._model.decoder.step(previous, state.decoder, memory)
            log_probabilities = self._model.output(features).log_softmax(dim=1)
        wanted = np.zeros((len(tokens), 0), dtype=np.int64) if asked is None else asked
        best, of_best, of_asked = propose(log_probabilities, k, torch.from_numpy(wanted).to(self._device))
        parts = best, of_best, log_probabilities if asked is None else of_asked, weights, features
        # One copy: each waits for a GPU. No vocabulary has a token that is not exact in fp32, 2^24.
        joined = torch.cat([part.float() for part in parts], dim=1).cpu().numpy()
        tokens, *others = np.split(joined, np.cumsum([part.shape[1] for part in parts[:-1]]), axis=1)
        return Proposals(tokens.astype(np.int64), *others), replace(state, decoder=decoder)

    @torch.inference_mode()
    def look(self, tokens: Int[np.ndarray, " R"], state: TorchState) -> Look | None:
        """The attention of the same step; see `Engine`."""
        memory = state.memory.select(torch.from_numpy(state.sources).to(self._device))
        with evaluating(self._model), watched(self._model.decoder.attention) as seen:
            self._model.decoder.step(torch.from_numpy(tokens).to(self._device), state.decoder, memory)
        parts = {"states": memory.states} | {name: part.squeeze(1) for name, part in seen.items()}
        return Look(**{name: part.float().cpu().numpy() for name, part in parts.items()}) if seen else None


@contextmanager
def watched(attention: ContextProvider) -> Iterator[dict[str, Tensor]]:
    """The parts of `Look` that an attention computes in a step inside, watched so that a step has one definition."""
    seen: dict[str, Tensor] = {}
    if not isinstance(attention, Attention):
        yield seen
        return
    with (
        attention.score.register_forward_hook(lambda _score, _given, scores: seen.update(scores=scores)),
        attention.register_forward_hook(
            lambda _attention, given, found: seen.update(query=given[0], weights=found.weights, context=found.context)
        ),
    ):
        yield seen


def propose(
    log_probabilities: Float[Tensor, "R V"], k: "int | Int[Tensor, '']", asked: Int[Tensor, "R A"]
) -> tuple[Int[Tensor, "R k"], Float[Tensor, "R k"], Float[Tensor, "R A"]]:
    """The k best tokens but PAD and BOS, their log-probabilities, and the log-probabilities of the tokens asked for.

    k is at most V - 2; it is a tensor where this is traced. Each operation was chosen for its time in ONNX Runtime,
    where a mask over all V tokens takes longer than two more of the best.
    """
    k = cast("int", k)
    best, tokens = log_probabilities.topk(k + 2, dim=1)
    best, order = best.masked_fill((tokens == PAD) | (tokens == BOS), -torch.inf).topk(k, dim=1)
    return tokens.gather(1, order), best, log_probabilities.gather(1, asked)
