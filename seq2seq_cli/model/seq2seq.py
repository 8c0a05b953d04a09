"""The whole network: one encoding per sentence, then one decoder step per word.

B batch, S source length, T target length, V target vocabulary, R readout.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from seq2seq_cli.compute.device import changed
from seq2seq_cli.model.bridge import Bridge
from seq2seq_cli.model.decoder import Decoder
from seq2seq_cli.model.encoder import Encoder
from seq2seq_cli.model.state import DecoderState, Memory


class Seq2Seq(nn.Module):
    """Encoder, bridge, decoder with attention, and output layer."""

    def __init__(self, *, encoder: Encoder, bridge: Bridge, decoder: Decoder, output: nn.Linear) -> None:
        super().__init__()
        self.encoder = encoder
        self.bridge = bridge
        self.decoder = decoder
        self.output = output

    def encode(self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"]) -> tuple[Memory, DecoderState]:
        """The memory of the source sentences and the decoder's first state.

        Rows of `src` are padded on the right; `lengths` counts their real tokens and lives on the CPU.
        """
        states, last = self.encoder(src, lengths)
        positions = torch.arange(src.shape[1], device=src.device)
        mask = positions < lengths.to(src.device).unsqueeze(1)
        return self.decoder.attention.make_memory(states, last.top, mask), self.decoder.start(self.bridge(last))

    def step(
        self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B V"], DecoderState, Float[Tensor, "B S"]]:
        """The definition of the model: from the previous words to logits, next state and attention weights."""
        features, state, weights = self.decoder.step(tokens, state, memory)
        return self.output(features), state, weights

    def forward(
        self, src: Int[Tensor, "B S"], lengths: Int[Tensor, " B"], tgt_in: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B T S"]]:
        """Logits and attention weights of all steps for given target inputs; equal to `step` by `step`."""
        memory, state = self.encode(src, lengths)
        features, attended = self.decoder(tgt_in, state, memory)
        return self.output(features), attended.weights

    @property
    def parameter_count(self) -> int:
        """The number of parameters; a tied matrix counts once."""
        return sum(parameter.numel() for parameter in self.parameters())

    def weights(self) -> dict[str, NDArray[Any]]:
        """The weights by name, as arrays on the CPU; tied matrices are there once."""
        return {name: weight.detach().cpu().numpy() for name, weight in self.named_parameters()}

    def check_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Raise ValueError unless `weights` has the names and shapes of this model."""
        expected = {name: tuple(weight.shape) for name, weight in self.named_parameters()}
        if {name: array.shape for name, array in weights.items()} != expected:
            raise ValueError("the weights do not fit the model that config.yaml describes")

    def load_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Load what `weights` returns. Raises ValueError when it lacks the names or shapes of this model."""
        self.check_weights(weights)
        # Not strict: a tied matrix is there under one of its names.
        self.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()}, strict=False)

    def load_shared(
        self, weights: Mapping[str, NDArray[Any]], *, src: Mapping[int, int], tgt: Mapping[int, int]
    ) -> None:
        """Load the weights of the same model for other vocabularies; units that are new here keep their own rows.

        `src` and `tgt` are the ids of the other units, each with the id that it has there. They are rows of the side's
        embedding, and those of the target rows of the output layer, too.
        """
        sides = ((self.encoder.embedding, src), (self.decoder.embedding, tgt), (self.output, tgt))
        rows = {parameter: shared for layer, shared in sides for parameter in layer.parameters()}
        fitted, drawn = dict(weights), self.weights()
        for name, parameter in self.named_parameters():
            if shared := rows.get(parameter):
                fitted[name] = drawn[name].copy()
                fitted[name][list(shared)] = weights[name][list(shared.values())]
        self.load_weights(fitted)


def evaluating(model: Seq2Seq) -> AbstractContextManager[None]:
    """Put the model in evaluation mode inside; restore its mode afterwards."""
    return changed(model.train, False, True) if model.training else nullcontext()  # a search comes here at every step
