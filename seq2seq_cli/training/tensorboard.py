"""What TensorBoard shows of a training: the numbers of metrics.jsonl as it grows, and pictures of attention.

The package tensorboard is an extra of its own; nothing here is imported unless ``training.tensorboard`` is true.
"""

import importlib.util
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.image import imread

from seq2seq_cli.errors import UsageError
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.attention_picture import render_attention
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
}
_FLUSH_SECONDS = 10
"""A kill loses what was written after the last flush."""


class TensorBoard:
    """Writes event files into a folder, for ``tensorboard --logdir``."""

    def __init__(self, folder: Path, *, done: int = 0) -> None:
        """``done``: updates before this sitting; what an earlier one wrote of later updates is hidden from now on.

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
        """Show where the model looks after update ``step``; a translation without words is left out."""
        for number, translation in enumerate(translations, start=1):
            if translation.weights.size:
                picture = imread(io.BytesIO(render_attention(translation, "png")))
                self._writer.add_image(f"attention/{number}", picture, step, dataformats="HWC")
        self._writer.flush()

    def close(self) -> None:
        """Bring all to the disk."""
        self._writer.close()

    def _scalars(self, record: Record, tags: Mapping[str, str]) -> None:
        for field, tag in tags.items():
            value = getattr(record, field)
            if value is not None:
                self._writer.add_scalar(tag, value, record.step)


def check_installed() -> None:
    """Raise UsageError when the package tensorboard is not installed."""
    if importlib.util.find_spec("tensorboard") is None:
        raise UsageError(
            "training.tensorboard is true, which needs another package: pip install 'seq2seq_cli[tensorboard]'"
        )
