"""The torch engine proposes what the model's own softmax says."""

import numpy as np
import pytest
import torch

from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.unit.model.conftest import COMBINATIONS, name_of, small_model

SOURCES = [[4, 5, 6], [7], [8, 9, 10, 4, 4]]
PADDED = torch.tensor([[4, 5, 6, EOS, PAD, PAD], [7, EOS, PAD, PAD, PAD, PAD], [8, 9, 10, 4, 4, EOS]])
LENGTHS = torch.tensor([4, 2, 6])
NOTHING_ASKED = np.zeros((3, 0), dtype=np.int64)


def test_proposals_are_the_best_tokens_of_the_softmax_but_pad_and_bos() -> None:
    model = small_model(ModelConfig())
    with torch.no_grad():
        model.output.bias[[PAD, BOS]] = 5.0  # the most probable tokens, if they were allowed
    engine = TorchEngine(model)

    proposals, _ = engine.step(np.full(3, BOS), engine.start(SOURCES), k=4, asked=np.array([[BOS], [EOS], [7]]))

    with torch.no_grad():
        memory, state = model.encode(PADDED, LENGTHS)
        logits, _, weights = model.step(torch.full((3,), BOS), state, memory)
    expected = logits.log_softmax(dim=1)
    np.testing.assert_allclose(proposals.asked[:, 0], expected[[0, 1, 2], [BOS, EOS, 7]], atol=1e-12)
    np.testing.assert_allclose(proposals.weights, weights, atol=1e-12)
    expected[:, [PAD, BOS]] = -torch.inf
    best = expected.sort(dim=1, descending=True)
    np.testing.assert_array_equal(proposals.tokens, best.indices[:, :4])
    np.testing.assert_allclose(proposals.log_probabilities, best.values[:, :4], atol=1e-12)


@pytest.mark.parametrize("config", COMBINATIONS[::7], ids=name_of)
def test_several_rows_of_a_source_are_computed_as_if_each_had_its_own(config: ModelConfig) -> None:
    model = small_model(config)
    engine = TorchEngine(model)
    state = engine.start(SOURCES)
    sources = np.arange(3)
    with torch.no_grad():
        memory, decoder = model.encode(PADDED, LENGTHS)
    # Several of one, none of another, and at last one source alone.
    for rows in ([2, 0, 2, 1, 2], [0, 1, 3, 0], [1, 1], [0, 0, 1]):
        sources, state = sources[rows], state.select(np.array(rows))
        tokens = np.arange(4, 4 + len(rows))
        found, state = engine.step(tokens, state, k=3, asked=tokens[:, np.newaxis])
        decoder = decoder.select(torch.tensor(rows))
        with torch.no_grad():
            logits, decoder, weights = model.step(
                torch.from_numpy(tokens), decoder, memory.select(torch.from_numpy(sources))
            )
        expected = logits.log_softmax(dim=1)[np.arange(len(rows)), tokens]
        np.testing.assert_allclose(found.asked[:, 0], expected, atol=1e-12)
        np.testing.assert_allclose(found.weights, weights, atol=1e-12)


def test_a_model_that_is_being_trained_is_evaluated_without_dropout() -> None:
    model = small_model(ModelConfig())
    engine = TorchEngine(model)
    evaluated, _ = engine.step(np.full(3, BOS), engine.start(SOURCES), k=3, asked=NOTHING_ASKED)
    model.train()
    training, _ = engine.step(np.full(3, BOS), engine.start(SOURCES), k=3, asked=NOTHING_ASKED)
    np.testing.assert_array_equal(training.log_probabilities, evaluated.log_probabilities)
    assert model.training
