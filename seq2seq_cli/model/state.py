"""What flows between the modules: the memory that attention reads, and the state that a decoder passes on.

B batch, S source length, E encoder output, K keys, L layers, H decoder hidden.
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
    """The states as the score wants them, projected once a sentence instead of once a step."""
    mask: Bool[Tensor, "B S"]
    """True at a real token, False at padding."""

    def select(self, rows: Int[Tensor, " R"]) -> "Memory":
        """The memory of the given rows of the batch, in the order given; a row may be taken more than once."""
        return Memory(states=self.states[rows], keys=self.keys[rows], mask=self.mask[rows])

    def detach(self) -> "Memory":
        """The same memory, cut off from the gradient."""
        return Memory(states=self.states.detach(), keys=self.keys.detach(), mask=self.mask)


@dataclass(frozen=True, kw_only=True)
class DecoderState:
    """What an LSTM decoder hands from one step to the next."""

    hidden: Float[Tensor, "L B H"]
    """h of every layer."""
    cell: Float[Tensor, "L B H"]
    """c of every layer."""

    @property
    def top(self) -> Float[Tensor, "B H"]:
        """The hidden state of the last layer."""
        return self.hidden[-1]

    def select(self, rows: Int[Tensor, " R"]) -> "DecoderState":
        """The state of the given rows of the batch, in the order given; a row may be taken more than once."""
        return DecoderState(hidden=self.hidden[:, rows], cell=self.cell[:, rows])

    def detach(self) -> "DecoderState":
        """The same state, cut off from the gradient."""
        return DecoderState(hidden=self.hidden.detach(), cell=self.cell.detach())
