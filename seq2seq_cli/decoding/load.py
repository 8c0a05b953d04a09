"""The translator in a run folder."""

import torch

from seq2seq_cli.config.schema import Config
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.model.build import build_model
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.text.sides import load_codecs


def load_translator(run: RunFolder, device: torch.device, config: Config | None = None) -> Translator:
    """The best model of a run with its codecs; `config` is the run's own, perhaps with another way of searching.

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
