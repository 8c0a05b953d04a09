"""Which engine computes, and how a run gets its exported model."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import torch

from seq2seq_cli.config.choices import EngineName
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.model import ModelConfig
from seq2seq_cli.decoding.engines.export import largest_difference
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.decoding.engines.open_engine import ensure_exported, open_engine
from seq2seq_cli.decoding.engines.torch_engine import TorchEngine
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.layout import BEST, DECODER, EXPORT_RECORD
from seq2seq_cli.runs.writer import RunWriter
from tests.unit.decoding.engines.runs import SMALL, assert_alike, make_run, random_sources, small_model, torch_engine

CONFIG = Config(model=ModelConfig.model_validate(SMALL))

WITHOUT_TORCH = """\
import sys
import importlib.util
sys.modules["torch"] = None  # importing it fails
importlib.util.find_spec = lambda name: None
from pathlib import Path
import numpy as np
from seq2seq_cli.decoding.engines.open_engine import open_engine
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.folder import RunFolder
try:
    engine = open_engine(RunFolder(Path(sys.argv[1])))
except ModelFileError as error:
    sys.exit(str(error))
proposals, _ = engine.step(np.array([2]), engine.start([[5, 6]]), k=3, asked=np.zeros((1, 0), dtype=np.int64))
print(*proposals.tokens[0], *sorted({"pydantic", "yaml", "spacy", "onnx"} & sys.modules.keys()))
"""


@pytest.fixture
def run(tmp_path: Path) -> RunWriter:
    """A run without an exported model."""
    return make_run(tmp_path / "run", small_model(CONFIG.model), CONFIG)


def without_torch(run: RunWriter) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(run.path)], capture_output=True, encoding="utf-8", check=False
    )


def contents(run: RunWriter) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in run.path.rglob("*") if path.is_file()}


def test_an_exported_model_computes_and_nothing_is_written_into_the_run(run: RunWriter) -> None:
    ensure_exported(run)
    before = contents(run)
    engine = open_engine(run)
    assert isinstance(engine, OnnxEngine)
    assert_alike(engine, torch_engine(small_model(CONFIG.model)), random_sources(3, longest=5))
    assert contents(run) == before


def test_without_one_that_fits_torch_computes_and_nothing_is_written_into_the_run(
    run: RunWriter, caplog: pytest.LogCaptureFixture
) -> None:
    before = contents(run)
    assert isinstance(open_engine(run), TorchEngine)
    assert (
        "no exported model that fits its weights: s2s export RUN FILE.zip makes one; computing with torch"
        in caplog.text
    )
    with pytest.raises(ModelFileError, match=r"s2s export RUN FILE\.zip makes one"):
        open_engine(run, precision="int8")
    assert contents(run) == before


@pytest.fixture
def run_of_other_code(run: RunWriter) -> RunWriter:
    """A run whose exported model is of other code of the models."""
    ensure_exported(run)
    record = ExportRecord.read(run.path)
    replace(record, model=record.model ^ 1).write(run.path)
    return run


def test_torch_computes_where_the_exported_model_is_of_other_code(
    run_of_other_code: RunWriter, caplog: pytest.LogCaptureFixture
) -> None:
    run, before = run_of_other_code, contents(run_of_other_code)
    assert isinstance(open_engine(run), TorchEngine)
    assert "is of other code of seq2seq_cli/model: s2s export RUN FILE.zip makes one; computing with t" in caplog.text
    assert contents(run) == before
    ensure_exported(run)
    assert isinstance(open_engine(run), OnnxEngine)


def test_in_int8_and_without_torch_a_model_of_other_code_computes(run_of_other_code: RunWriter) -> None:
    assert isinstance(open_engine(run_of_other_code, precision="int8"), OnnxEngine)
    assert without_torch(run_of_other_code).returncode == 0


def test_an_engine_that_computes_nan_does_not_pass_for_the_same() -> None:
    broken = small_model(CONFIG.model)
    with torch.no_grad():
        broken.output.bias[5] = torch.nan
    sizes = {"src_size": broken.encoder.embedding.num_embeddings}
    reference = torch_engine(small_model(CONFIG.model))
    assert largest_difference(reference, reference, **sizes) == 0
    assert np.isnan(largest_difference(torch_engine(broken), reference, **sizes))


def test_a_run_that_was_moved_computes_without_torch(run: RunWriter, tmp_path: Path) -> None:
    ensure_exported(run)
    moved = RunWriter(Path(shutil.move(run.path, tmp_path / "elsewhere")))
    done = without_torch(moved)
    assert (done.returncode, done.stderr) == (0, "")
    expected, _ = (engine := torch_engine(small_model(CONFIG.model))).step(
        np.array([2]), engine.start([[5, 6]]), k=3, asked=np.zeros((1, 0), dtype=np.int64)
    )
    assert done.stdout.split() == [str(token) for token in expected.tokens[0]]


def test_without_torch_and_an_exported_model_the_way_out_is_told(run: RunWriter) -> None:
    done = without_torch(run)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no exported model" in done.stderr


@pytest.mark.parametrize("damaged", [EXPORT_RECORD, DECODER])
def test_a_damaged_export_can_be_made_anew(run: RunWriter, damaged: Path) -> None:
    ensure_exported(run)
    (run.path / damaged).write_bytes(b"{}")
    assert isinstance(open_engine(run), TorchEngine)
    ensure_exported(run)
    assert isinstance(open_engine(run), OnnxEngine)
    assert "error" not in without_torch(run).stderr


def test_weights_that_are_missing_or_damaged_are_named_by_either_engine(run: RunWriter) -> None:
    ensure_exported(run)
    for content in (b"", None):
        if content is None:
            (run.path / BEST).unlink()
        else:
            (run.path / BEST).write_bytes(content)
        for engine in get_args(EngineName):
            with pytest.raises(ModelFileError, match=r"best/model\.safetensors: "):
                open_engine(run, engine=engine)


def test_an_engine_can_be_named_where_it_computes_so(run: RunWriter) -> None:
    assert isinstance(open_engine(run, engine="torch", device="cpu"), TorchEngine)
    ensure_exported(run)
    assert isinstance(open_engine(run, precision="int8"), OnnxEngine)
    with pytest.raises(UsageError, match=r"decoding\.precision=int8: only on the cpu, without torch"):
        open_engine(run, precision="int8", engine="torch")
    with pytest.raises(UsageError, match=r"decoding\.precision=int8: only on the cpu, without torch"):
        open_engine(run, precision="int8", device="cuda")
