"""Operations of a model against torch's own count, and the limits that follow from them."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.models import DECODERS, measured_config
from benchmarks.speed.limits import OWN, fractions
from benchmarks.speed.operations import Shape, operations_of_a_token
from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.learning.loss import batch_loss
from seq2seq_cli.model.build import build_model

SHAPE = Shape(sentences=6, src=5, tgt=7, vocabulary=50)


def counted(config: ModelConfig) -> int:
    """Torch's count of the operations of a step on a batch without padding."""
    torch.manual_seed(1)
    model = build_model(config, src_size=SHAPE.vocabulary, tgt_size=SHAPE.vocabulary)
    src, tgt = (Ragged.of([[4] * (length - 1)] * SHAPE.sentences) for length in (SHAPE.src, SHAPE.tgt))
    batch = collate(ParallelIds(src=src, tgt=tgt), range(SHAPE.sentences))
    # In double precision: in fp32, torch does not count inside the fused layers of oneDNN.
    model.double()
    with FlopCounterMode(display=False) as counter:
        torch.autograd.backward(batch_loss(model, batch, teacher_forcing=1.0).objective)
    return int(counter.get_total_flops())


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_operations_are_those_that_torch_counts(decoder: str) -> None:
    model = measured_config(decoder).model
    assert operations_of_a_token(model, SHAPE) * SHAPE.tokens == pytest.approx(counted(model), rel=0.02)


def test_speed_is_in_per_cent_of_each_limit_and_the_goal_is_for_the_models_own_matrices() -> None:
    figures = list(fractions(600.0, {"fp32, large matrices": 800.0, "bf16, large matrices": 1000.0, OWN: 1500.0}))
    assert [figure.median for figure in figures] == [75.0, 60.0, 40.0]
    assert [figure.goal and figure.goal.met_by(figure.median) for figure in figures] == [None, None, False]
