"""Optimiser, schedule, average and dropout variants learn together to copy, without the loop."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.learning.optimiser import make_optimiser
from seq2seq_cli.learning.schedule import learning_rate
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq

UPDATES, SYMBOLS, LENGTH = 150, 6, 3
DROPPING = {"dropout": 0.1, "word_dropout": 0.05}


def batch(seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Sources to copy, closed by 3, and what a decoder that begins with 2 is given."""
    torch.manual_seed(seed)
    symbols = torch.randint(4, 4 + SYMBOLS, (32, LENGTH))
    src = F.pad(symbols, (0, 1), value=3)
    return src, torch.full((32,), LENGTH + 1), F.pad(symbols, (1, 0), value=2)


def loss(model: Seq2Seq, seed: int) -> Tensor:
    src, lengths, tgt_in = batch(seed)
    return F.cross_entropy(model(src, lengths, tgt_in)[0].flatten(0, 1), src.flatten())


@pytest.mark.parametrize(
    "values",
    [
        {"optimiser": "adam", "schedule": "constant", "warmup_steps": 60},
        {"optimiser": "adamw", "weight_decay": 0.01, "schedule": "cosine", "warmup_steps": 10},
        {"optimiser": "sgd", "lr": 4.0, "schedule": "cosine", "warmup_steps": 10},
    ],
    ids=lambda values: str(values["optimiser"]),
)
def test_they_learn_to_copy(values: dict[str, Any]) -> None:
    training = TrainingConfig.model_validate({"lr": 0.02, **values})
    sizes = {"embedding_size": 16, "hidden_size": 32, "layers": 2, **DROPPING}
    torch.manual_seed(1)
    model = build_model(
        ModelConfig.model_validate({"encoder": sizes, "decoder": sizes}), src_size=4 + SYMBOLS, tgt_size=4 + SYMBOLS
    ).train()
    optimiser = make_optimiser(model, training)
    for step in range(UPDATES):
        optimiser.zero_grad()
        torch.autograd.backward(loss(model, seed=step))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step(learning_rate(training, step=step, fraction_done=step / UPDATES, epochs=0.0))
    # A guess among the symbols costs ln 6 = 1.8.
    with torch.no_grad():
        assert loss(model.eval(), seed=UPDATES) < 0.5
