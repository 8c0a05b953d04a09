"""The folder and the config for JoeyNMT."""

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.joeynmt import JoeyNMT, joeynmt_config
from benchmarks.models import measured_config
from seq2seq_cli.corpus.prepared import PreparedCorpus


def test_its_config_has_the_sizes_of_ours() -> None:
    config: dict[str, Any] = joeynmt_config(measured_config("Luong, input feeding"), Path("work"))
    model, training = config["model"], config["training"]
    assert (model["encoder"]["hidden_size"], model["encoder"]["bidirectional"]) == (128, True)
    assert (model["decoder"]["hidden_size"], model["decoder"]["input_feeding"]) == (256, True)
    assert model["decoder"]["embeddings"]["embedding_dim"] == 256
    assert (training["batch_size"], training["batch_type"], training["optimizer"]) == (80, "sentence", "adamw")
    assert config["data"]["special_symbols"]["eos_id"] == 3
    assert config["data"]["src"]["voc_file"] == str(Path("work", "vocabulary.txt"))


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for python by a shell script")
def test_its_folder_is_made_anew_after_a_run_that_failed(corpus: PreparedCorpus, tmp_path: Path) -> None:
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    folder = tmp_path / "work" / "joeynmt-rnn-6"

    def set_up(status: int) -> JoeyNMT:
        python.write_text(f"#!/bin/sh\nexit {status}\n", encoding="utf-8")
        python.chmod(0o755)
        return JoeyNMT.set_up(tmp_path, corpus, measured_config("Luong, input feeding"), folder)

    with pytest.raises(RuntimeError, match="JoeyNMT's vocabulary"):
        set_up(1)
    (folder / "run").mkdir()
    assert set_up(0) == JoeyNMT(python=python, folder=folder)
    files = ["config.yaml", *(f"{split}.{side}" for split in ("train", "valid") for side in ("src", "tgt"))]
    assert sorted(path.name for path in folder.iterdir()) == files
