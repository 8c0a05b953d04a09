"""Loading a run to translate with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import torch

from seq2seq_cli.compute.device import choose_device
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.config.loader import load_saved_config
from seq2seq_cli.config.schema import Config
from seq2seq_cli.decoding.translator import Translation, Translator
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.model.build import build_model
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG
from seq2seq_cli.text.sides import load_codecs


@dataclass(frozen=True, kw_only=True)
class LoadedRun:
    """A trained run in memory, ready to translate."""

    path: Path
    """The run folder."""
    config: Config
    translator: Translator

    @overload
    def translate(self, text: str) -> str: ...
    @overload
    def translate(self, text: list[str]) -> list[str]: ...
    def translate(self, text: str | list[str]) -> str | list[str]:
        """The translation of a sentence, or those of several; a blank sentence stays blank."""
        sentences = [text] if isinstance(text, str) else text
        texts = [translation.text for translation in self.translator.translate(sentences)]
        return texts[0] if isinstance(text, str) else texts

    def attention(self, text: str) -> Translation:
        """The translation of a sentence with the words of both sides and the attention weights between them."""
        return self.translator.translate([text])[0]


def load(run: Path | str | None = None, *, device: DeviceName = "auto", overrides: Sequence[str] = ()) -> LoadedRun:
    """Load a run: its folder, one of its files of weights, or, when it is None, the newest run of ``runs/``.

    `overrides` are keys of the ``decoding`` section with other values.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others; UsageError for a device that this
    machine lacks, and for overrides of other sections; ConfigError for overrides that no config has.
    """
    for override in overrides:
        if not override.startswith("decoding."):
            raise UsageError(f"--set {override}: only decoding.KEY=VALUE: the model is trained already")
    folder = RunFolder.find_model(None if run is None else Path(run))
    config = load_saved_config(folder.path / CONFIG, overrides) if overrides else folder.config()
    translator = load_translator(folder, choose_device(device), config)
    return LoadedRun(path=folder.path, config=config, translator=translator)


def load_translator(run: RunFolder, device: torch.device, config: Config | None = None) -> Translator:
    """The translator of a run, with its best weights; `config` is that in the run folder unless it is given.

    Raises ModelFileError when a file is missing, damaged, or does not fit the others.
    """
    config = config or run.config()
    src, tgt = load_codecs(run.path)
    model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
    try:
        model.load_weights(run.read_best())
    except ValueError as error:
        raise ModelFileError(f"{run.path}: {error}") from None
    return Translator(model.to(device).eval(), src, tgt, config.decoding, device)
