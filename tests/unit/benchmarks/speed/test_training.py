"""The compared trainings: their configs, their turns and their ratios."""

import pytest

from benchmarks.models import DECODERS, measured_config
from benchmarks.speed.training import JOEYNMT, LOOP, compare
from benchmarks.speed.training_round import Round
from seq2seq_cli.model.build import build_model


def one_round(rate: float) -> Round:
    return Round(rate=rate, peak=700.0, peak_halfway=600.0, precision="fp32")


def test_our_speeds_are_divided_by_those_of_each_measured_peer() -> None:
    speeds = dict(zip((*DECODERS, LOOP), (1500.0, 900.0, 600.0, 10.0), strict=True))
    figures = {figure.name: figure for figure in compare({name: [one_round(rate)] for name, rate in speeds.items()})}
    ratios = {name: figure.median for name, figure in figures.items() if "over" in name}
    assert ratios == {f"  {name} over {LOOP}": times for name, times in zip(DECODERS, (150.0, 90.0, 60.0), strict=True)}
    verdicts = [figure.goal.met_by(figure.median) for figure in figures.values() if figure.goal]
    assert verdicts == [True, True, False]

    both = compare({name: [one_round(rate)] for name, rate in {**speeds, JOEYNMT: 100.0}.items()})
    assert [figure.median for figure in both if f"over {JOEYNMT}" in figure.name] == [15.0, 9.0, 6.0]


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_measured_models_have_the_sizes_of_the_peer(decoder: str) -> None:
    config = measured_config(decoder)
    model = build_model(config.model, src_size=8000, tgt_size=8000)
    assert model.encoder.rnn.hidden_size == 128
    assert model.encoder.rnn.bidirectional
    assert model.decoder.rnn.hidden_size == 256
    assert model.encoder.embedding.weight is model.decoder.embedding.weight is model.output.weight
    # JoeyNMT's, of 8,000 pieces and with input feeding, has 3,494,400.
    assert sum(parameter.numel() for parameter in model.parameters()) == pytest.approx(3_494_400, rel=0.1)
    assert (config.training.batch_size, config.training.batch_unit) == (80, "sentence")
    assert config.training.teacher_forcing == 1.0
