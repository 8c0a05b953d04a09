"""TensorBoard: the numbers of metrics.jsonl and pictures of attention, written while a training runs.

Imported only with ``training.tensorboard``; the package tensorboard is an extra.
"""

import importlib.util
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.image import imread

from seq2seq_cli.errors import UsageError, how_to_install
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.pictures import render_attention
from seq2seq_cli.runs.metrics import EpochRecord, Record, StepRecord

_STEP_TAGS = {
    "train_loss": "loss/training",
    "lr": "training/lr",
    "gradient_norm": "training/gradient_norm",
    "skipped": "training/skipped",
    "tokens_per_second": "machine/tokens_per_second",
    "memory_mb": "machine/memory_mb",
}
_EPOCH_TAGS = {
    "train_loss": "loss/training_of_the_epoch",
    "loss": "loss/held_out",
    "bleu": "held_out/bleu",
    "chrf": "held_out/chrf",
    "attention_entropy": "attention/entropy",
    "words_on_marks": "attention/words_on_marks",
}
_FLUSH_SECONDS = 10
"""Seconds between flushes; a kill loses what was written after the last one."""


class TensorBoard:
    """Writes event files into a folder, for ``tensorboard --logdir``."""

    def __init__(self, folder: Path, *, done: int = 0) -> None:
        """`done`: updates before this start or resume; the points that were written after them are hidden.

        Raises UsageError when the package tensorboard is not installed.
        """
        check_installed()
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(folder, purge_step=done + 1, flush_secs=_FLUSH_SECONDS)

    def show(self, record: Record) -> None:
        """Show the numbers of a record of metrics.jsonl."""
        match record:
            case StepRecord():
                self._scalars(record, _STEP_TAGS)
            case EpochRecord():
                self._scalars(record, _EPOCH_TAGS)
                self._writer.flush()

    def attention(self, translations: Sequence[AttentionMap], step: int) -> None:
        """Show the attention of some translations after update ``step``; those without words are left out."""
        for number, translation in enumerate(translations, start=1):
            if translation.weights.size:
                picture = imread(io.BytesIO(render_attention([[translation]], "png")))
                self._writer.add_image(f"attention/{number}", picture, step, dataformats="HWC")
        self._writer.flush()

    def close(self) -> None:
        """Flush and close the event file."""
        self._writer.close()

    def _scalars(self, record: Record, tags: Mapping[str, str]) -> None:
        for field, tag in tags.items():
            value = getattr(record, field)
            if value is not None:
                self._writer.add_scalar(tag, value, record.step)


def check_installed() -> None:
    """Raise UsageError when the package tensorboard is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        raise UsageError(f"training.tensorboard: needs the package tensorboard: {how_to_install('tensorboard')}")
