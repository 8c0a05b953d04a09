"""The first weights: Bahdanau's, Luong's, torch's, and those of the output layer and the word vectors."""

import pytest
import torch
from torch import Tensor, nn

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq

SIZE = 400
"""Rows of a vocabulary: enough for a standard deviation to be measured to some per cent."""


def built(initialisation: dict[str, object], **model: object) -> Seq2Seq:
    sides = {
        "encoder": {"directions": "joined", "hidden_size": 32, "embedding_size": 64},
        "decoder": {"kind": "bahdanau", "hidden_size": 64, "embedding_size": 64, "readout": "attentional"},
        "attention": {"score": "additive"},
        "bridge": "linear",
    }
    config = Config.model_validate({"model": sides | model | {"initialisation": initialisation}})
    torch.manual_seed(1)
    return build_model(config.model, src_size=SIZE, tgt_size=SIZE)


def std(weight: Tensor) -> float:
    return float(weight.detach().std())


def matrices_and_vectors(module: nn.Module) -> tuple[list[Tensor], list[Tensor]]:
    weights = list(module.parameters())
    is_matrix = [weight.dim() == 2 and min(weight.shape) > 1 for weight in weights]
    return [w for w, yes in zip(weights, is_matrix, strict=True) if yes], [
        w for w, yes in zip(weights, is_matrix, strict=True) if not yes
    ]


def test_all_weights_are_uniform_as_luong_has_them() -> None:
    model = built({"weights": "uniform", "scale": 0.1, "output_std": None})
    assert all(weight.abs().max() <= 0.1 for weight in model.parameters())
    matrices, _ = matrices_and_vectors(model)
    assert [std(weight) for weight in matrices] == pytest.approx([0.1 / 3**0.5] * len(matrices), rel=0.1)


def test_matrices_are_normal_and_the_others_zero_as_bahdanau_has_them() -> None:
    model = built({"weights": "normal", "scale": 0.01, "output_std": None})
    scores, zeros = matrices_and_vectors(model.decoder.attention)
    assert [std(weight) for weight in scores] == pytest.approx([0.001] * len(scores), rel=0.1)
    assert not any(weight.any() for weight in (*zeros, *matrices_and_vectors(model)[1]))
    for layer in (model.output, model.encoder.embedding, model.decoder.embedding):
        assert std(layer.weight) == pytest.approx(0.01, rel=0.05)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_recurrent_matrices_are_orthogonal_as_bahdanau_has_them(cell: str) -> None:
    sizes = {"hidden_size": 64, "embedding_size": 64, "cell": cell}
    decoder = sizes | {"kind": "bahdanau", "readout": "attentional"}
    model = built({"weights": "normal", "scale": 0.01}, encoder=sizes, decoder=decoder)
    for rnn in (model.encoder.rnn, model.decoder.rnn):
        for gate in torch.split(rnn.get_parameter("weight_hh_l0").detach(), 64):
            torch.testing.assert_close(gate @ gate.T, torch.eye(64), atol=1e-5, rtol=0.0)


@pytest.mark.parametrize("weights", ["torch", "uniform", "normal"])
def test_output_layer_and_word_vectors_have_deviations_of_their_own(weights: str) -> None:
    model = built({"weights": weights, "output_std": 0.3, "embedding_std": 0.5})
    assert std(model.output.weight) == pytest.approx(0.3, rel=0.05)
    for embedding in (model.encoder.embedding, model.decoder.embedding):
        assert std(embedding.weight) == pytest.approx(0.5, rel=0.05)


@pytest.mark.parametrize(("initialisation", "expected"), [({}, 0.2), ({"output_std": 0.4, "embedding_std": 1.5}, 0.4)])
def test_tied_vectors_have_the_deviation_of_the_output_layer(
    initialisation: dict[str, object], expected: float
) -> None:
    model = built(initialisation, tied_embeddings="all")
    assert model.encoder.embedding.weight is model.output.weight is model.decoder.embedding.weight
    assert std(model.output.weight) == pytest.approx(expected, rel=0.05)
