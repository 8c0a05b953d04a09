"""The output layer in int8: its formula, in numpy, and what a search gets of it."""

import copy
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor
from typing_extensions import override

from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engine import Engine, Proposals
from seq2seq_cli.decoding.engines import graphs, onnx_engine
from seq2seq_cli.decoding.engines.graphs import export_best
from seq2seq_cli.decoding.engines.int8_output import LEAST_UNITS, in_int8
from seq2seq_cli.decoding.engines.onnx_engine import ASKED, EXACT, Graph, OnnxEngine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.decoding.load import load_translator
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.model.build import build_model
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.writer import RunWriter
from seq2seq_cli.text.sides import save_codecs
from tests.unit.decoding.engines.runs import SMALL, make_run
from tests.unit.decoding.test_translator import codec

WORDS = ["".join(letters) for letters in product("abcdefghijklmn", repeat=3)]
SRC, TGT = codec(" ".join(WORDS[:16])), codec(" ".join(WORDS[: LEAST_UNITS + 200]), keep=True)
UNITS = len(TGT.vocabulary)
STEP = """
<ir_version: 8, opset_import: ["" : 18]>
step (float[R, 24] f, int64[1] number, int64[R, A] asked)
    => (float[R, C] best, int64[R, C] tokens, float[R, A] of_asked) {
    z = Gemm <transB = 1> (f, W, b)
    p = LogSoftmax <axis = 1> (z)
    best, tokens = TopK <axis = 1> (p, number)
    of_asked = GatherElements <axis = 1> (p, asked)
}
"""
"""A step that has no more than an output layer and what `propose` does with its log-probabilities."""


def test_the_layer_is_its_formula_and_is_near_to_the_softmax() -> None:
    random = np.random.default_rng(1)
    W32, b32 = (random.normal(scale=0.4, size=size).astype(np.float32) for size in ((UNITS, 24), UNITS))
    f32 = (np.tanh(random.normal(size=(9, 24))) * random.uniform(0.5, 3, size=(9, 1))).astype(np.float32)
    f32[4] = 0
    asked = random.integers(UNITS, size=(9, 3))
    units, places = np.unique(asked, return_inverse=True)
    model = onnx.parser.parse_model(STEP)
    model.graph.node[0].input[2] = "model.output.bias"
    for name, values in (("W", W32), ("model.output.bias", b32)):
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
    session = onnxruntime.InferenceSession(in_int8(model).SerializeToString(), providers=["CPUExecutionProvider"])
    number = EXACT + 4
    best, tokens, of_asked = session.run(
        None, {"f": f32, "number": np.array([number]), ASKED[0]: units, ASKED[1]: places.reshape(9, 3)}
    )

    W, b, f = (each.astype(np.float64) for each in (W32, b32, f32))
    unit_scales = np.abs(W).max(axis=1, keepdims=True) / 63
    row_scales = np.maximum(np.abs(f).max(axis=1, keepdims=True), 1e-30) / 127
    rounded_f = np.round(f / row_scales) * row_scales
    z, rounded = f @ W.T + b, rounded_f @ (np.round(W / unit_scales) * unit_scales).T + b
    order = np.argsort(-rounded, axis=1)[:, :number]
    exact = order[:, :EXACT]
    largest = rounded.max(axis=1, keepdims=True)
    log_rounded_sum = largest + np.log(np.exp(rounded - largest).sum(axis=1, keepdims=True))
    of_best = np.exp(np.take_along_axis(z, exact, axis=1) - log_rounded_sum).sum(axis=1, keepdims=True)
    rounded_of_best = np.exp(np.take_along_axis(rounded, exact, axis=1) - log_rounded_sum).sum(axis=1, keepdims=True)
    normaliser = log_rounded_sum + np.log(of_best + 1 - rounded_of_best)
    expected = z - normaliser
    np.testing.assert_allclose(of_asked, np.take_along_axis(expected, asked, axis=1), atol=2e-5)
    np.testing.assert_array_equal(np.sort(tokens, axis=1), np.sort(order, axis=1))
    np.testing.assert_allclose(best[:, :EXACT], np.take_along_axis(expected, tokens[:, :EXACT], axis=1), atol=2e-5)
    least = best[:, :EXACT].min(axis=1, keepdims=True)
    rough = np.minimum(np.take_along_axis(rounded, tokens[:, EXACT:], axis=1) - normaliser, least)
    np.testing.assert_allclose(best[:, EXACT:], rough, atol=2e-5)

    np.testing.assert_allclose(expected, torch.from_numpy(z).log_softmax(dim=1), atol=1e-2)


@pytest.fixture(scope="module")
def model() -> Seq2Seq:
    config = ModelConfig.model_validate(SMALL)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = build_model(config, src_size=len(SRC.vocabulary), tgt_size=UNITS).eval()
        torch.nn.init.normal_(model.output.weight, std=1.5)
    return model


@pytest.fixture(scope="module")
def run(model: Seq2Seq, tmp_path_factory: pytest.TempPathFactory) -> RunWriter:
    run = make_run(tmp_path_factory.mktemp("run"), model, Config(model=ModelConfig.model_validate(SMALL)))
    export_best(run.path, model, run.config())
    return run


SOURCES = [[5, 6, 7], [8], [9, 10, 11, 12]]
TOKENS = np.array([7, 9, 1900])
WANTED = np.array([[3, 4], [1990, 5], [6, 6]])


def opened(run: RunWriter, precision: DecodingPrecision = "auto") -> OnnxEngine:
    return OnnxEngine(run, ExportRecord.read(run.path), threads=1, precision=precision)


def proposed(
    engine: Engine[Any], k: int, asked: Int[np.ndarray, "R A"] | None = WANTED, rows: slice = slice(None)
) -> Proposals:
    """The second step of a search for the sources of some rows."""
    proposals, _ = engine.step(
        TOKENS[rows], engine.start(SOURCES[rows]), k=k, asked=None if asked is None else asked[rows]
    )
    return proposals


def test_a_search_gets_the_best_tokens_of_fp32_with_nearly_their_probabilities(model: Seq2Seq, run: RunWriter) -> None:
    expected = proposed(TorchEngine(model), 5)
    tolerances: dict[DecodingPrecision, float] = {"fp32": 2e-6, "auto": 5e-3}
    for precision, tolerance in tolerances.items():
        found = proposed(opened(run, precision), 5)
        np.testing.assert_array_equal(found.tokens, expected.tokens)
        np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, atol=tolerance)
        # The normaliser alone is estimated: differences within a row are those of fp32.
        ours, reference = (np.concatenate((each.log_probabilities, each.asked), axis=1) for each in (found, expected))
        np.testing.assert_allclose(ours - ours[:, :1], reference - reference[:, :1], atol=5e-6)


def test_a_row_does_not_depend_on_others(run: RunWriter) -> None:
    engine = opened(run)
    together = proposed(engine, 9)
    for row in range(len(SOURCES)):
        alone = proposed(engine, 3, rows=slice(row, row + 1))
        np.testing.assert_array_equal(alone.tokens[0], together.tokens[row, :3])
        np.testing.assert_allclose(alone.log_probabilities[0], together.log_probabilities[row, :3], atol=2e-6)
        np.testing.assert_allclose(alone.asked[0], together.asked[row], atol=2e-6)


def test_all_tokens_are_in_fp32(model: Seq2Seq, run: RunWriter) -> None:
    reference, engine = TorchEngine(model), opened(run)
    np.testing.assert_allclose(proposed(engine, 2, None).asked, proposed(reference, 2, None).asked, atol=2e-6)
    ranked, expected = (proposed(each, UNITS - 2).log_probabilities for each in (engine, reference))
    np.testing.assert_allclose(ranked, expected, atol=2e-6)


def test_nothing_may_be_asked_for(model: Seq2Seq, run: RunWriter) -> None:
    found, expected = (proposed(engine, 1, WANTED[:, :0]) for engine in (opened(run), TorchEngine(model)))
    np.testing.assert_array_equal(found.tokens, expected.tokens)
    assert found.asked.shape == (len(SOURCES), 0)


def test_weights_that_change_before_fp32_is_needed_are_not_mixed_with_the_old_ones(
    model: Seq2Seq, run: RunWriter
) -> None:
    engine = opened(run)
    run.save_best({name: 2 * weight for name, weight in model.weights().items()})
    with pytest.raises(ModelFileError, match="its weights have changed since it was opened"):
        engine.look(TOKENS, engine.start(SOURCES))
    run.save_best(model.weights())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_found(model: Seq2Seq, run: RunWriter, value: float) -> None:
    weights = {name: weight.copy() for name, weight in model.weights().items()}
    weights["output.weight"][700, 2] = value
    run.save_best(weights)
    with pytest.raises(ModelFileError, match=r"search\.onnx: it computes NaN: its weights are too large"):
        proposed(opened(run), 2)
    run.save_best(model.weights())


def test_several_models_sampling_and_wide_beams_compute_in_fp32(
    run: RunWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_graphs: list[str] = []

    def watching(path: Path) -> Graph:
        opened_graphs.append(path.name)
        return Graph(path)

    monkeypatch.setattr(onnx_engine, "Graph", watching)
    (run.path / "codec").mkdir(exist_ok=True)
    save_codecs(run.path, (SRC, TGT))
    for runs, overrides, graph in (
        ([run], [], "search.onnx"),
        ([run], ["decoding.precision=fp32"], "decoder.onnx"),
        ([run], ["decoding.sampling=true"], "decoder.onnx"),
        ([run], ["decoding.beam_size=11"], "decoder.onnx"),
        ([run, run], [], "decoder.onnx"),
    ):
        opened_graphs.clear()
        load_translator(*runs, overrides=overrides)
        assert opened_graphs == ["encoder.onnx", graph] * len(runs)


class Tempered(torch.nn.Linear):
    """An output layer of one's own: the logits of a layer, divided by a temperature."""

    @override
    def forward(self, features: Float[Tensor, "*N F"]) -> Float[Tensor, "*N V"]:
        return super().forward(features) / 2


def assert_searches_in_fp32(path: Path, model: Seq2Seq) -> None:
    run = make_run(path, model)
    export_best(run.path, model, run.config())
    found, expected = (proposed(engine, 9).log_probabilities for engine in (opened(run), TorchEngine(model)))
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_an_output_layer_of_ones_own_stays_in_fp32(model: Seq2Seq, tmp_path: Path) -> None:
    other = copy.deepcopy(model)
    other.output = Tempered(model.output.in_features, UNITS)
    assert_searches_in_fp32(tmp_path, other)


def test_weights_that_lose_too_much_when_they_are_rounded_stay_in_fp32(
    model: Seq2Seq, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "INT8_TOLERANCE", 0.0)
    assert_searches_in_fp32(tmp_path, model)


def test_few_units_stay_in_fp32(tmp_path: Path) -> None:
    config = ModelConfig.model_validate(SMALL)
    assert_searches_in_fp32(
        tmp_path, build_model(config, src_size=len(SRC.vocabulary), tgt_size=LEAST_UNITS - 1).eval()
    )
