"""Runs of small untrained models."""

import atexit
import shutil
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import torch

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.loader import dump_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig, ScoreName
from seq2seq_cli.config.schema.text import DataConfig, SideConfig, TextConfig
from seq2seq_cli.decoding.load import ensure_exported
from seq2seq_cli.model.build import build_model
from seq2seq_cli.runs.layout import BEST, CONFIG
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.sides import fit_codecs, save_codecs
from seq2seq_cli.text.vocabulary import UNK

SRC_UNITS = ["she", "he", "kissed", "saw", "her", "him", "the", "dog", ".", "?"]
TGT_UNITS = ["▁sie", "▁er", "▁küsste", "▁sah", "▁ihn", "▁den", "▁Hund", ".", "?"]
MADE_DECODING = DecodingConfig(min_length=4)  # untrained, it may well say nothing


def make_run(
    path: Path,
    *,
    copies: bool = False,
    score: ScoreName = "general",
    languages: tuple[str, str] = ("en", "de"),
    unit: Unit = "word",
    decoding: DecodingConfig = MADE_DECODING,
) -> RunWriter:
    """A run of an untrained model, the newest one, which writes unknown words and nothing else, or none."""
    shutil.copytree(_made(copies, score, languages, unit, decoding), path, dirs_exist_ok=True)
    (path / BEST).touch()
    return RunWriter(path)


@cache
def _made(copies: bool, score: ScoreName, languages: tuple[str, str], unit: Unit, decoding: DecodingConfig) -> Path:
    """The folder of such a run: its model is exported once."""
    config = Config(
        data=DataConfig(max_tokens=4),
        text=TextConfig(
            unit=unit,
            src=SideConfig(lowercase=True, spacing=False, language=languages[0]),
            tgt=SideConfig(language=languages[1]),
        ),
        model=ModelConfig(
            encoder=EncoderConfig(embedding_size=8, hidden_size=8),
            attention=AttentionConfig(score=score, max_length=5),
            decoder=DecoderConfig(embedding_size=8, hidden_size=8, readout="state" if score == "none" else "concat"),
        ),
        decoding=decoding,
    )
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    run = RunWriter(Path(folder, "run"))
    run.write(CONFIG, dump_config(config).encode())
    src_units, tgt_units = ("".join(units) if unit == "character" else units for units in (SRC_UNITS, TGT_UNITS))
    src, tgt = fit_codecs(config.text, Counter(src_units * 2), Counter(tgt_units * 2))
    save_codecs(run.path, (src, tgt))
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(1)
        model = build_model(config.model, src_size=len(src.vocabulary), tgt_size=len(tgt.vocabulary))
        model.output.weight *= 10
        model.output.bias[UNK] = 1000 if copies else -1000
    run.save_best(model.weights())
    ensure_exported(run)
    return run.path
