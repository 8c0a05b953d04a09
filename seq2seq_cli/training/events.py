"""The events of a run, in the order in which they come: started, steps, validations, finished, reported.

Of several models that translate together, the events are those of the first one, then each other is finished, and all
are reported at the end.
"""

from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.evaluation.held_out import HeldOutScores
from seq2seq_cli.evaluation.verdict import Verdict
from seq2seq_cli.learning.training_state import Progress
from seq2seq_cli.learning.update import Update
from seq2seq_cli.pages.data import AttentionData


@dataclass(frozen=True, kw_only=True)
class Started:
    """A run is made or resumed, and the first step comes next."""

    lines: tuple[str, ...]
    """The options that differ from before, and the run, its device and its size, in words."""
    training: TrainingConfig
    """The section `training` of the config, which says when the training ends."""


@dataclass(frozen=True, kw_only=True)
class Step(Update):
    """One update of the weights is done, or was skipped because its gradient was not finite."""

    epoch: int
    """Counted from 1."""
    epochs: float
    """Epochs trained since the run began, the finished fraction of this one included."""
    step: int
    """Updates since the run began."""
    seconds: float
    """Seconds of the update and of making its batches, without the time that the caller took in between."""
    run_seconds: float
    """Seconds since the run began, validation included."""


@dataclass(frozen=True, kw_only=True)
class Validating:
    """The validation split is about to be scored."""


@dataclass(frozen=True, kw_only=True)
class Validated:
    """An epoch is over, or the time of the run, and the validation split is scored."""

    epoch: int
    """Counted from 1."""
    step: int
    """Updates since the run began."""
    train_loss: float
    """Mean loss per target token of the epoch, in nats, with the teacher forcing of the config."""
    scores: HeldOutScores | None
    """Scores of the validation split; None when it is empty."""
    attention: list[AttentionData]
    """While the model reads a few pairs; none in a model without attention."""
    is_best: bool
    """Whether these weights are kept as the best: the best score so far, or the newest when nothing is held out."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The training of a model is over."""

    reason: str
    """A phrase, such as "all 10 epochs are done"."""
    is_whole: bool
    """Whether all epochs of the config are done; False when a limit was reached before."""
    best: str
    """The best weights in words, such as "epoch 3 with BLEU 36.0"."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The best weights are scored on the test split, and the model card is written: the last event."""

    run: Path
    """The run folder."""
    progress: Progress
    """Epochs, updates and seconds of the run at its end, and the epoch of the best weights."""
    best: str
    """The best weights in words, such as "epoch 3 with BLEU 36.0"."""
    chosen: str | None
    """The decoding keys that the validation split has chosen, and their score, in a line; None where none were."""
    test: HeldOutScores | None
    """Scores of the test split; None when it is empty."""
    verdict: Verdict
    """The verdict on its translations; no sentence when it is empty."""
    search: str
    """The search of the test split and the samples in words, such as "beam 5"."""
    samples_split: SplitName
    samples: list[tuple[str, str, str]]
    """Sentences of the split, with their translations and references."""
    max_minutes: float | None
    """The minutes after which the run was ended; None where something else ended it."""

    @property
    def scores_in_words(self) -> list[str]:
        """The scores of the test split with their signatures, a line each; empty where nothing is held out to test."""
        if not self.test:
            return []
        bleu, lowercase, chrf = self.test.bleu, self.test.lowercase_bleu, self.test.chrf
        lines = [f"BLEU on the test split, {self.search}: {bleu.value:.1f} ({bleu.signature})"]
        if lowercase:
            lines.append(f"BLEU against lower-cased references: {lowercase.value:.1f} ({lowercase.signature})")
        return [*lines, f"chrF on the test split: {chrf.value:.1f} ({chrf.signature})"]


Event = Started | Step | Validating | Validated | Finished | Report
