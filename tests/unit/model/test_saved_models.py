"""The names and shapes of the weights in a run folder, by which a saved model is loaded."""

from pathlib import Path

import pytest

from seq2seq_cli.config.loader import load_saved_config
from seq2seq_cli.model.build import build_model

SECTION = """\
model:
  encoder: {{embedding_size: 5, hidden_size: 6, layers: 3, dropout: 0.1}}
  attention: {{score: {score}, size: 7}}
  decoder: {{kind: {kind}, embedding_size: 4, hidden_size: 6, layers: 3, dropout: 0.1, readout: attentional}}
training: {{teacher_forcing: 0.5}}
"""
RNN_NAMES = [f"{kind}_{part}_l{layer}" for layer in range(3) for kind in ("weight", "bias") for part in ("ih", "hh")]
NAMES = [
    "encoder.embedding.weight",
    *(f"encoder.rnn.{name}" for name in RNN_NAMES),
    "decoder.embedding.weight",
    *(f"decoder.rnn.{name}" for name in RNN_NAMES),
    "decoder.readout.W.weight",
    "output.weight",
    "output.bias",
]
SCORES = {
    "additive": {"U.weight": (7, 6), "W.weight": (7, 6), "v.weight": (1, 7)},
    "dot": {},
    "general": {"W.weight": (6, 6)},
    "concat": {"W.weight": (7, 6), "v.weight": (1, 7)},
}


@pytest.mark.parametrize("kind", ["bahdanau", "luong"])
@pytest.mark.parametrize("score", SCORES)
def test_the_weights_have_the_names_and_shapes_of_saved_models(tmp_path: Path, score: str, kind: str) -> None:
    (tmp_path / "config.yaml").write_text(SECTION.format(score=score, kind=kind), encoding="utf-8")
    model = build_model(load_saved_config(tmp_path / "config.yaml").model, src_size=9, tgt_size=9)
    shapes = {name: tuple(weight.shape) for name, weight in model.state_dict().items()}
    of_score = {f"decoder.attention.score.{name}": shape for name, shape in SCORES[score].items()}
    assert {name: shape for name, shape in shapes.items() if name in of_score} == of_score
    assert sorted(shapes) == sorted([*NAMES, *of_score])
    assert shapes["encoder.rnn.weight_ih_l0"] == (4 * 6, 5)
    assert shapes["decoder.rnn.weight_ih_l0"] == (4 * 6, 4 + (6 if kind == "bahdanau" else 0))
