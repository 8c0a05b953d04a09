"""The measured models: one size, three decoders; and the pairs, prepared for them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seq2seq_cli.config.loader import dump_config, load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.preparation.pipeline import prepare

TEXT = (
    *("text.unit=bpe", "text.shared_vocabulary=true", "text.src.max_size=8000", "text.tgt.max_size=8000"),
    *("text.src.lowercase=false", "text.src.spacing=true"),
)
"""One vocabulary of 8,000 units for both sides; the units keep case and spaces."""

# Nothing is held out, so that no validation interrupts; the epochs do not end.
_DATA = ("data.valid_sources=0", "data.test_sources=0")
_WITHOUT_END = ("training.epochs=1000000000", "training.save_minutes=1000000", "training.device=cpu")
_TRAINING = (
    *("training.batch_size=80", "training.batch_unit=sentence", "training.teacher_forcing=1.0"),
    *("training.optimiser=adamw", "training.lr=2e-3", "training.label_smoothing=0.1"),
    "training.augmentation.enabled=false",
)
_MODEL = (
    *("model.encoder.directions=joined", "model.encoder.hidden_size=128", "model.encoder.dropout=0.1"),
    *("model.bridge=linear", "model.tied_embeddings=all"),
)
_LUONG = ("model.attention.score=general", "model.decoder.readout=attentional")
_DECODERS = {
    "Luong": _LUONG,
    "Luong, input feeding": (*_LUONG, "model.decoder.input_feeding=true"),
    "Bahdanau": ("model.decoder.kind=bahdanau", "model.attention.score=additive", "model.decoder.readout=state"),
}
DECODERS = tuple(_DECODERS)
"""Names of the models."""


def settings(decoder: str) -> list[str]:
    """Overrides for --set: a BiLSTM of 2 x 128, an LSTM of 256, embeddings of 256 tied to the output layer.

    The number of epochs is not among them.
    """
    return [*TEXT, *_DATA, *_TRAINING, *_MODEL, *_DECODERS[decoder]]


def is_for_prepare(setting: str) -> bool:
    """Whether a setting, KEY=VALUE, is for preparing the pairs, not for training a model."""
    return setting.startswith(("data.", "text."))


def measured_config(decoder: str) -> Config:
    """The config of a measured model, with endless training."""
    return load_config(None, [*settings(decoder), *_WITHOUT_END])


def default_config() -> Config:
    """The config with the default of every key, with endless training and nothing held out."""
    return load_config(None, [*_DATA, *_WITHOUT_END])


@contextmanager
def prepared(pairs: Path, config: Config) -> Iterator[PreparedCorpus]:
    """A pair file, prepared in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "config.yaml")
        path.write_text(dump_config(config), encoding="utf-8")
        prepare(pairs, out=Path(folder, "prepared"), config=str(path))
        yield PreparedCorpus.open(Path(folder) / "prepared")
