from itertools import product

import pytest
import torch

from seq2seq_cli.config.schema import AttentionConfig, DecoderConfig, EncoderConfig, ModelConfig
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq

SRC_SIZE, TGT_SIZE = 11, 13

# Luong's decoder has no state readout: the context would be used nowhere.
DECODERS = [
    ("bahdanau", "state"),
    ("bahdanau", "concat"),
    ("bahdanau", "attentional"),
    ("luong", "concat"),
    ("luong", "attentional"),
]
COMBINATIONS = list(product(DECODERS, ("additive", "dot", "general", "concat"), (1, 2)))


@pytest.fixture(params=COMBINATIONS, ids=lambda c: f"{c[0][0]}-{c[0][1]}-{c[1]}-{c[2]}")
def config(request: pytest.FixtureRequest) -> ModelConfig:
    """Every decoder with every score, readout and depth; all sizes differ where they may."""
    (kind, readout), score, layers = request.param
    return ModelConfig(
        encoder=EncoderConfig(embedding_size=5, hidden_size=6, layers=layers, dropout=0.2),
        attention=AttentionConfig(score=score, size=7),
        decoder=DecoderConfig(kind=kind, embedding_size=4, hidden_size=6, layers=layers, dropout=0.2, readout=readout),
    )


@pytest.fixture
def model(config: ModelConfig) -> Seq2Seq:
    torch.manual_seed(3)
    return build_model(config, src_size=SRC_SIZE, tgt_size=TGT_SIZE).double().eval()
