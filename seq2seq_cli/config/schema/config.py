"""The whole config: its sections and the rules between them."""

from collections.abc import Iterator

from typing_extensions import override

from seq2seq_cli.config.schema import Problem, Section, clash
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.config.schema.text import DataConfig, TextConfig
from seq2seq_cli.config.schema.training import TrainingConfig

PREPARED_SECTIONS = ("data", "text")
"""The sections that ``s2s prepare`` reads; a run has them from its prepared folder."""


class Config(Section):
    """A whole config: corpus, model, training and search."""

    data: DataConfig = DataConfig()
    """The sentence pairs (read by s2s prepare)."""
    text: TextConfig = TextConfig()
    """The way from text to ids (read by s2s prepare)."""
    model: ModelConfig = ModelConfig()
    """The network (read by s2s train)."""
    training: TrainingConfig = TrainingConfig()
    """The training (read by s2s train)."""
    decoding: DecodingConfig = DecodingConfig()
    """The search for translations (read by all commands that translate; s2s train scores its epochs without a beam)."""

    @override
    def problems(self) -> Iterator[Problem]:
        """No rule here reads data or text: their values are the prepared folder's, and `resolve_config` checks them."""
        training, attention = self.training, self.model.attention
        if attention.has_places and training.bpe_dropout:
            why = "the score has one weight per source position, and words split differently have more tokens"
            yield clash(self, "training.bpe_dropout", "model.attention.score", why)
        # Adam would rescale a decay that is added to the gradient; Loshchilov & Hutter 2019, section 2; Adadelta too.
        if training.weight_decay and training.optimiser in ("adam", "adadelta"):
            why = "it would scale the decay as it scales gradients; choose adamw, or training.weight_decay=0"
            yield clash(self, "training.weight_decay", "training.optimiser", why)
        if training.doubly_stochastic and not attention.has_weights:
            yield clash(self, "training.doubly_stochastic", "model.attention.score", "there are no attention weights")
        if training.doubly_stochastic and attention.scope == "hard":
            yield clash(self, "training.doubly_stochastic", "model.attention.scope", "draws have no gradient")
