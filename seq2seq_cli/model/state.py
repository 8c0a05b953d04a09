"""What flows between the modules: the memory that attention reads, and the state that a decoder passes on.

B batch, S source length, D embedding, E encoder output, K keys, L layers (M: all but one), H hidden, R readout.
"""

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The encoded source sentences of a batch."""

    states: Float[Tensor, "B S E"]
    """One encoder state a source position; arbitrary at padding."""
    keys: Float[Tensor, "B S K"]
    """The states as the attention wants them, projected once a sentence instead of once a step."""
    mask: Bool[Tensor, "B S"]
    """True at a real token, False at padding."""
    soft: Bool[Tensor, " B"] | None = None
    """Hard attention while training: True for a sentence that takes the expected context, not a sampled one."""

    def select(self, rows: Int[Tensor, " R"]) -> "Memory":
        """The memory of the given rows of the batch, in the order given; a row may be taken more than once."""
        soft = None if self.soft is None else self.soft[rows]
        return Memory(states=self.states[rows], keys=self.keys[rows], mask=self.mask[rows], soft=soft)

    def detach(self) -> "Memory":
        """The same memory, cut off from the gradient."""
        return Memory(states=self.states.detach(), keys=self.keys.detach(), mask=self.mask, soft=self.soft)


@dataclass(frozen=True, kw_only=True)
class DropoutMasks:
    """What a decoder's RNN drops at each of its steps, with variational dropout: 0, or the scale of what stays."""

    words: Float[Tensor, "B D"]
    """Of the word vectors."""
    layers: Float[Tensor, "M B H"]
    """Of what each layer but the last hands to the next."""

    def select(self, rows: Int[Tensor, " R"]) -> "DropoutMasks":
        """The masks of the given rows of the batch, in the order given; a row may be taken more than once."""
        return DropoutMasks(words=self.words[rows], layers=self.layers[:, rows])


@dataclass(frozen=True, kw_only=True)
class RNNState:
    """What an RNN hands from one position to the next."""

    hidden: Float[Tensor, "L B H"]
    """h of every layer."""
    cell: Float[Tensor, "L B H"] | None = None
    """c of every layer of an LSTM; None in a GRU, which has none."""
    masks: DropoutMasks | None = None
    """In a decoder that learns with variational dropout: the same from the first step to the last."""

    @property
    def top(self) -> Float[Tensor, "B H"]:
        """The hidden state of the last layer."""
        return self.hidden[-1]

    def select(self, rows: Int[Tensor, " R"]) -> "RNNState":
        """The state of the given rows of the batch, in the order given; a row may be taken more than once."""
        cell = None if self.cell is None else self.cell[:, rows]
        masks = None if self.masks is None else self.masks.select(rows)
        return RNNState(hidden=self.hidden[:, rows], cell=cell, masks=masks)

    def detach(self) -> "RNNState":
        """The same state, cut off from the gradient."""
        cell = None if self.cell is None else self.cell.detach()
        return RNNState(hidden=self.hidden.detach(), cell=cell, masks=self.masks)


@dataclass(frozen=True, kw_only=True)
class DecoderState:
    """What a decoder hands from one step to the next."""

    rnn: RNNState
    """The state of its RNN."""
    position: Int[Tensor, " B"]
    """Steps done: 0 before the first word."""
    fed: Float[Tensor, "B R"] | None = None
    """Input feeding: the features of the step before; None in a decoder that feeds nothing back."""

    @property
    def top(self) -> Float[Tensor, "B H"]:
        """The hidden state of the RNN's last layer."""
        return self.rnn.top

    def select(self, rows: Int[Tensor, " R"]) -> "DecoderState":
        """The state of the given rows of the batch, in the order given; a row may be taken more than once."""
        fed = None if self.fed is None else self.fed[rows]
        return DecoderState(rnn=self.rnn.select(rows), position=self.position[rows], fed=fed)

    def detach(self) -> "DecoderState":
        """The same state, cut off from the gradient."""
        fed = None if self.fed is None else self.fed.detach()
        return DecoderState(rnn=self.rnn.detach(), position=self.position, fed=fed)
