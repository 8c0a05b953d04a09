"""The exported model computes what the torch model computes."""

from pathlib import Path

import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from typing_extensions import override

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engines import onnx_engine
from seq2seq_cli.decoding.engines.graphs import export_best
from seq2seq_cli.decoding.engines.onnx_engine import Graph, OnnxEngine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.errors import ExportError, ModelFileError
from seq2seq_cli.model.attention.scores import DotScore, Sizes
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.layout import ENCODER, EXPORT_RECORD, EXPORTED
from seq2seq_cli.runs.writer import RunWriter
from tests.tiny import tiny_sizes
from tests.unit.decoding.engines.runs import (
    SMALL,
    VOCABULARY,
    assert_alike,
    make_run,
    opened,
    random_sources,
    small_model,
)
from tests.unit.model.conftest import COMBINATIONS, name_of

SHIPPED = {
    load_config(entry.name, tiny_sizes(entry.name)).model: entry.name
    for entry in list_configs()
    if "/" not in entry.name
}
"""The names of the shipped configs, but the papers' jobs, by their small models, each model once."""
EVERY = 100
"""Of so many combinations that the config allows, one stands for all."""
OTHER_CELLS = [config for config in COMBINATIONS if config.encoder.cell in ("gru_cho", "rnn")][2::4][:2]
MODEL = ModelConfig.model_validate(SMALL)


def exported(path: Path, config: ModelConfig) -> RunWriter:
    model = small_model(config)
    run = make_run(path, model)
    export_best(run.path, model, run.config())
    return run


@pytest.mark.parametrize("name", SHIPPED.values())
def test_each_shipped_config_gives_the_same_with_both_engines(name: str, tmp_path: Path) -> None:
    config = load_config(name, tiny_sizes(name)).model
    run = exported(tmp_path, config)
    ours, reference = opened(run), TorchEngine(small_model(config))
    for batch in (1, 7, 64):
        assert_alike(ours, reference, random_sources(batch, longest=9))


@pytest.mark.parametrize(
    "config",
    [
        *COMBINATIONS[::EVERY],
        *OTHER_CELLS,
        *(pytest.param(config, marks=pytest.mark.slow) for config in COMBINATIONS[EVERY // 10 :: EVERY // 5]),
    ],
    ids=name_of,
)
def test_other_combinations_do_too(config: ModelConfig, tmp_path: Path) -> None:
    assert_alike(opened(exported(tmp_path, config)), TorchEngine(small_model(config)), random_sources(7, longest=8))


def test_the_graphs_hold_no_weights_and_serve_all_best_ones_of_the_run(tmp_path: Path) -> None:
    config = ModelConfig.model_validate({**SMALL, "tied_embeddings": "none"})
    run = exported(tmp_path, config)

    later = small_model(config, seed=4)
    run.save_best(later.weights())
    assert_alike(opened(run), TorchEngine(later), random_sources(3, longest=5))


def test_weights_that_are_replaced_while_they_are_opened_are_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, later = exported(tmp_path, MODEL), small_model(MODEL, seed=4)

    def replacing(path: Path) -> Graph:
        graph = Graph(path)
        if path == run.path / ENCODER:
            run.save_best(later.weights())
        return graph

    monkeypatch.setattr(onnx_engine, "Graph", replacing)
    assert_alike(opened(run), TorchEngine(later), random_sources(3, longest=5))


def test_the_record_tells_what_translating_must_know(tmp_path: Path) -> None:
    attention = {"score": "location", "max_length": 9}
    exported(tmp_path, ModelConfig.model_validate({**SMALL, "attention": attention}))
    record = ExportRecord.read(tmp_path)
    assert (record.vocabulary_size, record.max_source_length, record.has_attention) == (VOCABULARY, 9, True)
    assert record.decoding == Config().decoding.options

    no_attention = {"attention": {"score": "none"}, "decoder": {**SMALL["decoder"], "readout": "state"}}
    exported(tmp_path / "none", ModelConfig.model_validate({**SMALL, **no_attention}))
    assert not ExportRecord.read(tmp_path / "none").has_attention


def test_an_export_that_computes_something_else_is_dropped(tmp_path: Path) -> None:
    run = make_run(tmp_path, small_model(MODEL))
    with pytest.raises(ExportError, match="differ from torch's by up to"):
        export_best(run.path, small_model(MODEL, seed=4), run.config())
    assert not (tmp_path / EXPORT_RECORD).exists()


class ErfcxScore(DotScore):
    """A score of one's own, with a function that ONNX does not have."""

    @override
    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        scores: Tensor = torch.special.erfcx(super().forward(query, keys))
        return scores


def test_what_onnx_cannot_express_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = small_model(ModelConfig.model_validate({**SMALL, "attention": {"score": "dot"}}))
    model.decoder.attention.score = ErfcxScore(Sizes(query=6, memory=6, attention=6, max_length=9))
    run = make_run(tmp_path, model)
    with pytest.raises(ExportError, match=r"a part that ONNX cannot express: .*erfcx"):
        export_best(run.path, model, run.config())
    assert not (tmp_path / EXPORT_RECORD).exists()
    assert capfd.readouterr().out == ""


def test_exporting_twice_writes_the_same_bytes(tmp_path: Path) -> None:
    first, second = exported(tmp_path / "a", MODEL), exported(tmp_path / "b", MODEL)
    for name in EXPORTED:
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    run, other = exported(tmp_path / "run", MODEL), make_run(tmp_path / "other", small_model(ModelConfig()))
    with pytest.raises(ModelFileError, match="not for the weights of"):
        OnnxEngine(other, ExportRecord.read(run.path))
