"""The exported model computes what the torch model computes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from typing_extensions import override

from seq2seq_cli.config.catalog import list_configs
from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engines.export import export_best
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.errors import ExportError, ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.model.attention.scores import DotScore, Sizes
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import BEST, DECODER, ENCODER, EXPORT_RECORD
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.vocabulary import BOS, PAD
from tests.tiny import tiny_sizes
from tests.unit.decoding.engines.runs import (
    SMALL,
    VOCABULARY,
    assert_alike,
    assert_same_proposals,
    make_run,
    opened,
    random_sources,
    small_model,
    torch_engine,
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


def exported(path: Path, config: ModelConfig) -> RunWriter:
    model = small_model(config)
    run = make_run(path, model)
    export_best(run.path, model, run.config())
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunWriter:
    """A small run with an exported model, not to be changed."""
    return exported(tmp_path_factory.mktemp("runs") / "small", ModelConfig.model_validate(SMALL))


@pytest.mark.parametrize("name", SHIPPED.values())
def test_each_shipped_config_gives_the_same_with_both_engines(name: str, tmp_path: Path) -> None:
    config = load_config(name, tiny_sizes(name)).model
    run = exported(tmp_path, config)
    ours, reference = opened(run), torch_engine(small_model(config))
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
    assert_alike(opened(exported(tmp_path, config)), torch_engine(small_model(config)), random_sources(7, longest=8))


def test_all_tokens_may_be_proposed_but_pad_and_bos(run: RunWriter) -> None:
    engine = opened(run)
    proposals, _ = engine.step(
        np.full(1, BOS), engine.start([[5, 6]]), k=VOCABULARY - 2, asked=np.zeros((1, 0), dtype=np.int64)
    )
    assert set(proposals.tokens[0]) == set(range(VOCABULARY)) - {PAD, BOS}


def test_a_sentence_has_the_same_proposals_alone_and_among_others(run: RunWriter) -> None:
    engine, sources = opened(run), random_sources(64, longest=20)
    asked = np.tile(np.arange(VOCABULARY), (64, 1))
    together, _ = engine.step(np.full(64, BOS), engine.start(sources), k=1, asked=asked)
    for row in (0, 17, 63):
        alone, _ = engine.step(np.full(1, BOS), engine.start(sources[row : row + 1]), k=1, asked=asked[:1])
        np.testing.assert_allclose(together.asked[row], alone.asked[0], rtol=0, atol=2e-6)


def test_the_graphs_hold_no_weights_and_serve_every_file_of_the_run(tmp_path: Path) -> None:
    config = ModelConfig.model_validate({**SMALL, "tied_embeddings": "none"})
    run = exported(tmp_path, config)
    assert (tmp_path / ENCODER).stat().st_size + (tmp_path / DECODER).stat().st_size < 60_000

    later, kept = small_model(config, seed=4), small_model(config, seed=5)
    run.save_best(later.weights())
    run.save_epoch(kept.weights(), 7, keep=1)

    assert_alike(opened(run), torch_engine(later), random_sources(3, longest=5))
    chosen = RunFolder.find_model(tmp_path / "epochs" / "0007.safetensors")
    assert_alike(opened(chosen), torch_engine(kept), random_sources(3, longest=5))


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
    config = ModelConfig.model_validate(SMALL)
    run = make_run(tmp_path, small_model(config))
    with pytest.raises(ExportError, match="differ from torch's by up to"):
        export_best(run.path, small_model(config, seed=4), run.config())
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
    config = ModelConfig.model_validate(SMALL)
    first, second = exported(tmp_path / "a", config), exported(tmp_path / "b", config)
    for name in (ENCODER, DECODER, EXPORT_RECORD):
        assert (first.path / name).read_bytes() == (second.path / name).read_bytes()


def test_weights_of_another_model_are_refused(run: RunWriter, tmp_path: Path) -> None:
    other = make_run(tmp_path, small_model(ModelConfig()))
    with pytest.raises(ModelFileError, match="not for the weights of"):
        OnnxEngine(other, ExportRecord.read(run.path))


@pytest.mark.parametrize("cut", [0, 5, 40, 1000])
def test_weights_that_are_cut_short_are_refused(tmp_path: Path, cut: int) -> None:
    run = exported(tmp_path, ModelConfig.model_validate(SMALL))
    (tmp_path / BEST).write_bytes((tmp_path / BEST).read_bytes()[:cut])
    with pytest.raises(ModelFileError, match=r"model\.safetensors: damaged"):
        opened(run)


def test_damaged_graphs_and_records_are_named(tmp_path: Path) -> None:
    run = exported(tmp_path, ModelConfig.model_validate(SMALL))
    write_json(
        tmp_path / EXPORT_RECORD, {**read_json(tmp_path / EXPORT_RECORD, newest=1, error=ModelFileError), "x": 1}
    )
    with pytest.raises(ModelFileError, match=r"export\.json: damaged"):
        opened(run)
    exported(tmp_path, ModelConfig.model_validate(SMALL))
    (tmp_path / DECODER).write_bytes(b"no graph")
    with pytest.raises(ModelFileError, match=r"decoder\.onnx: missing, damaged"):
        opened(run)


def test_threads_change_nothing(run: RunWriter) -> None:
    record = ExportRecord.read(run.path)
    sources = random_sources(7, longest=6)
    one, two = (OnnxEngine(run, record, threads=threads) for threads in (1, 2))
    asked = np.tile(np.arange(VOCABULARY), (7, 1))
    assert_same_proposals(
        one.step(np.full(7, BOS), one.start(sources), k=3, asked=asked)[0],
        two.step(np.full(7, BOS), two.start(sources), k=3, asked=asked)[0],
    )


def test_in_int8_the_logits_are_those_of_rounded_weights_and_features(tmp_path: Path) -> None:
    run = exported(tmp_path, ModelConfig.model_validate(SMALL))
    model, sources = small_model(ModelConfig.model_validate(SMALL)), random_sources(7, longest=6)
    asked = np.tile(np.arange(VOCABULARY), (7, 1))

    def proposals(precision: DecodingPrecision, rows: slice = slice(None)) -> np.ndarray:
        engine = opened(run, precision=precision)
        state = engine.start(sources[rows])
        return engine.step(np.full(len(sources[rows]), BOS), state, k=1, asked=asked[rows])[0].asked

    inputs = []
    with torch.no_grad():
        hook = model.output.register_forward_hook(lambda _, args, __: inputs.append(args[0].numpy()))
        engine = torch_engine(model)
        engine.step(np.full(7, BOS), engine.start(sources), k=1, asked=asked)
        hook.remove()
    weight, bias = (parameter.detach().numpy() for parameter in (model.output.weight, model.output.bias))
    word_scales, row_scales = np.abs(weight).max(axis=1) / 127, np.abs(inputs[0]).max(axis=1, keepdims=True) / 63
    rounded_weights = np.round(weight / word_scales[:, None])
    product = np.round(inputs[0] / row_scales) @ rounded_weights.T
    logits = product * word_scales * row_scales + bias
    expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(proposals("int8"), expected, rtol=0, atol=1e-5)
    np.testing.assert_allclose(proposals("int8"), proposals("fp32"), rtol=0, atol=0.05)
    np.testing.assert_allclose(proposals("int8", slice(2, 3)), proposals("int8")[2:3], rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", ["bahdanau", "luong_feed", "quick", "rnnsearch", "tutorial"])
def test_other_readouts_are_rounded_too(name: str, tmp_path: Path) -> None:
    run = exported(tmp_path, load_config(name, tiny_sizes(name)).model)
    asked = np.arange(VOCABULARY)[None]
    exact, rounded = (
        engine.step(np.full(1, BOS), engine.start([[5, 6]]), k=1, asked=asked)[0].asked
        for engine in (opened(run, precision="fp32"), opened(run, precision="int8"))
    )
    assert (exact != rounded).any()
    np.testing.assert_allclose(rounded, exact, rtol=0, atol=0.1)
