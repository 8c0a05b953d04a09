"""The whole config: its sections and the rules between them."""

from collections.abc import Iterator

from typing_extensions import override

from seq2seq_cli.config.compatibility import Problem, section_problems
from seq2seq_cli.config.schema.data import DataConfig
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.config.schema.section import Section
from seq2seq_cli.config.schema.text import TextConfig
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
        return section_problems(self)
