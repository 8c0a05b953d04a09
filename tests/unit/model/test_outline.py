"""The outline of a model: the sizes of its weights, known without memory for them."""

import pytest
import torch

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.model.build import build_model, build_outline

SIZES = {"src_size": 20, "tgt_size": 20}


@pytest.mark.parametrize("name", [entry.name for entry in list_configs() if "/" not in entry.name])
def test_it_has_the_sizes_of_the_model_and_draws_nothing(name: str) -> None:
    config = load_config(name).model
    before = torch.get_rng_state()
    outline = build_outline(config, **SIZES)

    assert torch.equal(torch.get_rng_state(), before)
    assert all(weight.is_meta for weight in outline.parameters())
    model = build_model(config, **SIZES)
    outline.check_weights(model.weights())
    sizes = [{name: value.shape for name, value in made.state_dict().items()} for made in (outline, model)]
    assert sizes[0] == sizes[1]


def test_sizes_beyond_any_machine_are_refused() -> None:
    large = ["model.encoder.hidden_size=2000000000", "model.decoder.hidden_size=2000000000"]
    with pytest.raises(ValueError, match="too large"):
        build_outline(load_config(None, large).model, **SIZES)
