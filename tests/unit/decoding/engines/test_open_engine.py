"""Which engine computes, and how a run gets its exported model."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import get_args

import numpy as np
import onnx
import pytest
import torch

from seq2seq_cli.config.choices import EngineName
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engines.graphs import largest_difference
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.decoding.load import ensure_exported, open_engine
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.layout import BEST, DECODER, ENCODER, EXPORT_RECORD, FEATURES, SEARCH
from seq2seq_cli.runs.writer import RunWriter
from tests.folders import contents
from tests.unit.decoding.engines.runs import SMALL, assert_alike, make_run, random_sources, small_model

CONFIG = Config(model=ModelConfig.model_validate(SMALL))

WITHOUT_TORCH = """\
import json
import sys
import importlib.util
sys.modules["torch"] = None  # importing it fails
importlib.util.find_spec = lambda name: None
from pathlib import Path
import numpy as np
from seq2seq_cli.config.choices import DecodingOptions
from seq2seq_cli.decoding.load import open_engine
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.folder import RunFolder
try:
    engine = open_engine(RunFolder(Path(sys.argv[1])), DecodingOptions(**json.loads(sys.argv[2])))
except ModelFileError as error:
    sys.exit(str(error))
engine.step(np.array([2]), engine.start([[5, 6]]), k=3, asked=np.zeros((1, 0), dtype=np.int64))
"""


@pytest.fixture
def run(tmp_path: Path) -> RunWriter:
    """A run without an exported model."""
    return make_run(tmp_path / "run", small_model(CONFIG.model), CONFIG)


def export_by_other_code(run: RunWriter) -> None:
    record = ExportRecord.read(run.path)
    (run.path / EXPORT_RECORD).write_bytes(replace(record, model=record.model ^ 1).content)


def export_without_proposals(run: RunWriter) -> None:
    graph = onnx.load(run.path / SEARCH, load_external_data=False)
    [output] = [each for each in graph.graph.output if each.name == "best_log_probabilities"]
    graph.graph.output.remove(output)
    (run.path / SEARCH).write_bytes(graph.SerializeToString())


@pytest.mark.parametrize(
    ("change", "computes", "alone"),
    [
        (lambda _: None, OnnxEngine, ""),
        (export_by_other_code, TorchEngine, ""),
        (lambda run: (run.path / EXPORT_RECORD).unlink(), TorchEngine, "has no exported model"),
        (lambda run: (run.path / EXPORT_RECORD).write_bytes(b"{}"), TorchEngine, "has no exported model"),
        (lambda run: (run.path / SEARCH).unlink(), TorchEngine, "has no exported model"),
        (lambda run: (run.path / SEARCH).write_bytes(b"{}"), TorchEngine, "has no exported model"),
        (export_without_proposals, TorchEngine, "has no exported model"),
    ],
)
def test_the_exported_model_computes_where_it_fits_and_nothing_is_written_until_it_is_exported(
    run: RunWriter, change: Callable[[RunWriter], object], computes: type, alone: str, caplog: pytest.LogCaptureFixture
) -> None:
    ensure_exported(run)
    change(run)
    before = contents(run.path)
    engine = open_engine(run, DecodingConfig().options)
    assert isinstance(engine, computes)
    assert_alike(engine, TorchEngine(small_model(CONFIG.model)), random_sources(3, longest=5))
    assert ("s2s export RUN FILE.zip makes one; computing with torch" in caplog.text) == (computes is TorchEngine)
    command = [sys.executable, "-c", WITHOUT_TORCH, str(run.path), json.dumps(asdict(DecodingConfig().options))]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, alone in done.stderr) == (int(alone != ""), True)
    assert contents(run.path) == before
    ensure_exported(run)
    assert isinstance(open_engine(run, DecodingConfig().options), OnnxEngine)


def test_each_graph_is_made_anew_where_it_is_missing_or_damaged(run: RunWriter) -> None:
    ensure_exported(run)
    expected = contents(run.path)
    for graph in (ENCODER, DECODER, FEATURES, SEARCH):
        (run.path / graph).unlink()
        ensure_exported(run)
        (run.path / graph).write_bytes(b"{}")
        ensure_exported(run)
        assert contents(run.path) == expected


def test_an_engine_that_computes_nan_does_not_pass_for_the_same() -> None:
    broken = small_model(CONFIG.model)
    with torch.no_grad():
        broken.output.bias[5] = torch.nan
    sizes = {"src_size": broken.encoder.embedding.num_embeddings}
    reference = TorchEngine(small_model(CONFIG.model))
    assert largest_difference(reference, reference, **sizes) == 0
    assert np.isnan(largest_difference(TorchEngine(broken), reference, **sizes))


def test_weights_that_are_missing_or_damaged_are_named_by_either_engine(run: RunWriter) -> None:
    ensure_exported(run)
    for content in (b"", None):
        if content is None:
            (run.path / BEST).unlink()
        else:
            (run.path / BEST).write_bytes(content)
        for engine in get_args(EngineName):
            with pytest.raises(ModelFileError, match=r"best/model\.safetensors: "):
                open_engine(run, DecodingConfig(engine=engine).options)


def test_torch_computes_where_it_is_named(run: RunWriter) -> None:
    ensure_exported(run)
    assert isinstance(open_engine(run, DecodingConfig(engine="torch").options, "cpu"), TorchEngine)
