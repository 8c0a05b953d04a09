"""The values that flow between the modules: the memory that attention reads, and the states of RNNs and decoders.

B batch, S source length, E encoder output, K keys, L layers, H hidden, R readout, N rows.
`select(rows)` gives the values of those rows of the batch, in that order; a row may be taken more than once.
"""

from dataclasses import dataclass

from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Readers:
    """Which rows of a step read which sentence of a memory: in a beam search several read the same one."""

    slots: Int[Tensor, "B K"]
    """The rows that read each sentence; any row where there are fewer than K."""
    places: Int[Tensor, " N"]
    """The place of each row among the slots, counted sentence by sentence."""

    def collect(self, slots: Shaped[Tensor, "B K *F"]) -> Shaped[Tensor, "N *F"]:
        """The values of the slots by their rows."""
        return slots.flatten(0, 1)[self.places]


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The encoded source sentences of a batch."""

    states: Float[Tensor, "B S E"]
    """h_s: the encoder state at each source position; zero at padding."""
    keys: Float[Tensor, "B S K"]
    """The part of the score that depends on the source alone, projected once per sentence, not once per step."""
    mask: Bool[Tensor, "B S"]
    """True at a real token, False at padding."""
    soft_rows: Bool[Tensor, " B"] | None = None
    """Hard attention in training: True for a sentence that takes the expected context instead of a sampled one."""
    readers: Readers | None = None
    """Who reads it in a step of a search; None: each row its own sentence."""

    def select(self, rows: Int[Tensor, " N"]) -> "Memory":
        """The memory of the given rows."""
        soft_rows = None if self.soft_rows is None else self.soft_rows[rows]
        return Memory(states=self.states[rows], keys=self.keys[rows], mask=self.mask[rows], soft_rows=soft_rows)


@dataclass(frozen=True, kw_only=True)
class RNNState:
    """The state of an RNN after a position."""

    hidden: Float[Tensor, "L B H"]
    """h of every layer."""
    cell: Float[Tensor, "L B H"] | None = None
    """c of every layer of an LSTM; None in other RNNs, which have none."""

    @property
    def top(self) -> Float[Tensor, "B H"]:
        """h of the last layer."""
        return self.hidden[-1]

    def select(self, rows: Int[Tensor, " N"]) -> "RNNState":
        """The state of the given rows."""
        cell = None if self.cell is None else self.cell[:, rows]
        return RNNState(hidden=self.hidden[:, rows], cell=cell)


@dataclass(frozen=True, kw_only=True)
class DecoderState:
    """The state of a decoder after a step."""

    rnn: RNNState
    position: Int[Tensor, " B"]
    """The number of steps done: 0 before the first word."""
    attentional: Float[Tensor, "B R"] | None = None
    """Input feeding: s~, the attentional vector of the last step; None in the other decoders."""

    def select(self, rows: Int[Tensor, " N"]) -> "DecoderState":
        """The state of the given rows."""
        attentional = None if self.attentional is None else self.attentional[rows]
        return DecoderState(rnn=self.rnn.select(rows), position=self.position[rows], attentional=attentional)
