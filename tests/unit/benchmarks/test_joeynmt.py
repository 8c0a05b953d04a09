"""The folder and the config for JoeyNMT."""

from pathlib import Path
from typing import Any

from benchmarks.joeynmt import joeynmt_config
from benchmarks.models import measured_config


def test_its_config_has_the_sizes_of_ours() -> None:
    config: dict[str, Any] = joeynmt_config(measured_config("Luong, input feeding"), Path("work"))
    model, training = config["model"], config["training"]
    assert (model["encoder"]["hidden_size"], model["encoder"]["bidirectional"]) == (128, True)
    assert (model["decoder"]["hidden_size"], model["decoder"]["input_feeding"]) == (256, True)
    assert model["decoder"]["embeddings"]["embedding_dim"] == 256
    assert (training["batch_size"], training["batch_type"], training["optimizer"]) == (80, "sentence", "adamw")
    assert config["data"]["special_symbols"]["eos_id"] == 3
    assert config["data"]["src"]["voc_file"] == str(Path("work", "vocabulary.txt"))
