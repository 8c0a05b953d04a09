"""Model folders and prepared folders of strangers: refused in one line, without a traceback, and at once."""

import json
import os
import re
import shutil
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from seq2seq_cli.config.choices import DecodingPrecision
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.decoding.engines.onnx_engine import OnnxEngine
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.checkpoint import load_checkpoint, save_checkpoint
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.weights import read_weights, save_weights
from seq2seq_cli.text.vocabulary import BOS
from tests.commands import SMALL, refused, s2s_here, settings, succeeded
from tests.corpora import write_reversals
from tests.folders import change_header, contents

TINY = ("train", "--config=luong_general", *settings(*SMALL, "training.epochs=1"))
TRAIN = (*TINY, *settings("training.keep=1", "training.precision=fp32", "model.tied_embeddings=none"))
"""Each side of the model has weights of its own."""

RUN = Path("runs/stranger")
TRANSLATE = ("translate", "--model", str(RUN), "one two")
WITH_TORCH = (*TRANSLATE, "--set=decoding.engine=torch")
EPOCH = ("translate", "--model", str(RUN / "epochs/0001.safetensors"), "one two")
RESUME = ("train", "--resume", "--out", str(RUN))
RETRAIN = (*TINY, "--out", "runs/new")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus and a run of it, which has been exported."""
    folder = tmp_path_factory.mktemp("original")
    write_reversals(folder / "pairs.txt")
    for command in (("prepare", "pairs.txt"), (*TRAIN, "--out", str(RUN))):
        succeeded(s2s_here(folder, *command))
    return folder


@pytest.fixture
def home(original: Path, tmp_path: Path) -> Path:
    """A copy of `original` to damage."""
    return shutil.copytree(original, tmp_path / "home")


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link_to_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def move_out(path: Path) -> None:
    """Put a link to the same file, or folder, in its place."""
    path.symlink_to(shutil.move(path, path.parents[len(path.parts) - path.parts.index("home") - 1] / "elsewhere"))


USES = {
    RUN / "config.yaml": (TRANSLATE, RESUME),
    RUN / "corpus.json": (RESUME,),
    RUN / "metrics.jsonl": (RESUME,),
    RUN / ".lock": (RESUME,),
    RUN / "codec/src.json": (TRANSLATE,),
    RUN / "best/model.safetensors": (TRANSLATE, WITH_TORCH),
    RUN / "best/export.json": (TRANSLATE,),
    RUN / "best/search.onnx": (TRANSLATE,),
    RUN / "epochs/0001.safetensors": (EPOCH,),
    RUN / "last/training.pt": (RESUME,),
    Path("data/prepared/manifest.json"): (RETRAIN, ("inspect",)),
    Path("data/prepared/codec/tgt.json"): (RETRAIN,),
    Path("data/prepared/train.src.npy"): (RETRAIN,),
    Path("data/prepared/valid.tgt.txt"): (RETRAIN, ("inspect",)),
}


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize("damage", [make_fifo, link_to_device, move_out])
@pytest.mark.parametrize(("file", "uses"), USES.items(), ids=map(str, USES))
def test_pipes_devices_and_links_out_of_the_folder_are_refused(
    home: Path, file: Path, uses: tuple[tuple[str, ...], ...], damage: Callable[[Path], None]
) -> None:
    (home / RUN / ".lock").touch()
    damage(home / file)
    for command in uses:
        said = refused(s2s_here(home, *command), str(file))
        assert re.search("neither a file nor a folder|a link that leads out", said)


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize("part", ["best", "last", "codec", "epochs"])
def test_a_folder_elsewhere_is_neither_read_nor_written(home: Path, part: str) -> None:
    move_out(home / RUN / part)
    for command in (TRANSLATE, RESUME, ("export", str(RUN), "exported")):
        refused(s2s_here(home, *command), f"{RUN / part}: a link that leads out")


@pytest.mark.skipif(os.name == "nt", reason="no such files")
def test_a_link_to_a_folder_inside_is_refused(home: Path) -> None:
    run = home / RUN
    (run / "best").rename(run / ".hidden")
    (run / "best").symlink_to(".hidden")
    refused(s2s_here(home, "translate", "--model", str(RUN), "a"), f"{RUN / 'best'}: a link to a folder")


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize("part", [".unfinished", "codec", "epochs"])
def test_overwriting_a_run_changes_nothing_elsewhere(home: Path, part: str) -> None:
    run, elsewhere = home / RUN, home / "elsewhere"
    elsewhere.mkdir()
    for name in ("src.json", "0001.safetensors"):
        (elsewhere / name).write_text("mine", encoding="utf-8")
    shutil.rmtree(run / part, ignore_errors=True)
    (run / part).symlink_to(elsewhere)
    refused(s2s_here(home, *TRAIN, "--out", str(RUN), "--overwrite"), f"{part}: a link that leads out")
    assert contents(elsewhere) == {"src.json": b"mine", "0001.safetensors": b"mine"}


def test_a_lock_that_is_a_link_empties_no_file(home: Path) -> None:
    (home / "diary.txt").write_text("dear diary", encoding="utf-8")
    (home / RUN / ".lock").unlink(missing_ok=True)
    (home / RUN / ".lock").symlink_to(home / "diary.txt")
    for command in (RESUME, ("train", "--out", str(RUN), "--overwrite"), ("runs",)):
        done = s2s_here(home, *command)
        assert re.search(r"\.lock: .*a link", done.stderr)
        assert (home / "diary.txt").read_text(encoding="utf-8") == "dear diary"


@pytest.mark.skipif(os.name == "nt", reason="no such files")
def test_links_inside_a_run_and_to_it_are_followed(home: Path) -> None:
    (home / "linked").symlink_to(home / RUN)
    best = home / RUN / "best"
    (best / "weights.bin").write_bytes((best / "model.safetensors").read_bytes())
    (best / "encoder.onnx").rename(best / "graph")
    (best / "encoder.onnx").symlink_to("graph")
    succeeded(s2s_here(home, "translate", "--model", "linked", "one two"))


BEST, LAST = RUN / "best/model.safetensors", RUN / "last/training.pt"


def test_sizes_are_compared_before_memory_is_taken_for_them(home: Path) -> None:
    path = home / RUN / "config.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("hidden_size: 8", "hidden_size: 1000000"), "utf-8")
    refused(s2s_here(home, *WITH_TORCH), f"{RUN}: the weights do not fit the model that config.yaml")
    refused(s2s_here(home, "train", "--init-from", str(RUN)), f"{RUN}: the weights do not fit the model")
    refused(s2s_here(home, *RESUME), f"{LAST}: damaged, or not a checkpoint of this model")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(home: Path, number: float) -> None:
    for file in (BEST, RUN / "epochs/0001.safetensors"):
        weights = {name: array.copy() for name, array in read_weights(home / file).items()}
        weights["output.weight"][-1, -1] = number
        save_weights(home / file, weights)
    for command in (WITH_TORCH, ("export", str(RUN), "exported"), ("train", "--init-from", str(RUN))):
        refused(s2s_here(home, *command), f"{BEST}: damaged: some of its weights are NaN or infinite")
    refused(s2s_here(home, *TRANSLATE), "best/search.onnx: it computes NaN: its weights are")
    refused(s2s_here(home, *EPOCH), "epochs/0001.safetensors: damaged: some of its weights are NaN or infinite")
    assert not (home / "exported").exists()


def test_weights_for_another_source_vocabulary_are_refused(home: Path) -> None:
    weights = dict(read_weights(home / BEST))
    weights["encoder.embedding.weight"] = weights["encoder.embedding.weight"][:-3]
    save_weights(home / BEST, weights)
    for command in (TRANSLATE, WITH_TORCH):
        said = refused(s2s_here(home, *command), str(RUN))
        assert re.search(r"weights have \d+ source units, its codec has \d+", said)


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"[" * 100_000,
        lambda _: b'{"a": ' + b"9" * 10_000 + b"}",
        lambda _: b"[1]",
        lambda header: header.update({"__metadata__": 5}),
        lambda header: header.update({"__metadata__": {"s2s": "[" * 100_000}}),
        lambda header: header["output.bias"].update(shape=[-5]),
        lambda header: header["output.bias"].update(shape=["x"]),
        lambda header: header["output.bias"].update(shape=None),
        lambda header: header["output.bias"].update(shape=[10**17, 10**17]),
        lambda header: header["output.bias"].update(shape=[1] * 10_000),
        lambda header: header["output.bias"].update(dtype="F64"),
        lambda header: header["output.bias"].update(data_offsets=[-8, 0]),
        lambda header: header["output.bias"].update(data_offsets=["a", "b"]),
        lambda header: header["output.bias"].update(data_offsets=header["encoder.embedding.weight"]["data_offsets"]),
    ],
)
def test_a_forged_header_of_weights_is_refused(home: Path, change: Callable[[Any], object]) -> None:
    change_header(home / BEST, change)
    for command in (TRANSLATE, WITH_TORCH):
        refused(s2s_here(home, *command), f"{BEST}: ")
    succeeded(s2s_here(home, "runs"))


def forge(path: Path, change: Callable[[Any], object]) -> None:
    """Change a checkpoint as a stranger can who has read its format."""
    checkpoint = load_checkpoint(path)
    change(checkpoint)
    path.unlink()
    save_checkpoint(path, checkpoint)
    path.with_name("previous.pt").unlink(missing_ok=True)


FORGED_PROGRESS: list[tuple[str, object]] = [
    *(("position", value) for value in (-5, 10**30, "x", 1.5, True, None)),
    *(("epoch", value) for value in (-3, "x")),
    *(("step", value) for value in (-1, 10**30)),
    *(("batches", value) for value in (-3, "x")),
    *(("seconds", value) for value in (-1e9, np.nan, "x")),
    *(("lr", value) for value in (np.nan, -1.0, "x")),
    *(("best_scores", value) for value in (5, {"loss": 1.0}, {"a": "b"})),
    *(("of_epoch", value) for value in (5, {"loss": "x", "tokens": 1, "seconds": 1.0})),
    *(("baseline", "x"), ("validations_since_best", "x"), ("unheard_of", 1)),
]


@pytest.mark.parametrize(("key", "value"), FORGED_PROGRESS)
def test_a_forged_progress_is_refused(home: Path, key: str, value: object) -> None:
    forge(home / LAST, lambda checkpoint: checkpoint["progress"].update({key: value}))
    refused(s2s_here(home, *RESUME, "--set=training.epochs=2"), f"{LAST}: damaged")


MUON, ADAMW = 0, 1


def kept(checkpoint: dict[str, Any], part: int) -> dict[str, Any]:
    """What a part of the optimiser keeps of its first weight."""
    first: dict[str, Any] = checkpoint["optimiser"]["parts"][part][0]
    return first


@pytest.mark.parametrize(
    "change",
    [
        lambda checkpoint: checkpoint.update(progress=5),
        lambda checkpoint: checkpoint.update(metrics_bytes=-4),
        lambda checkpoint: checkpoint.update(metrics_bytes="x"),
        lambda checkpoint: checkpoint.pop("metrics_bytes"),
        lambda checkpoint: checkpoint.update(random=5),
        lambda checkpoint: checkpoint.update(random=["x"]),
        lambda checkpoint: checkpoint.update(model=5),
        lambda checkpoint: checkpoint["model"].update({"output.bias": torch.zeros(1).expand(10**12)}),
        lambda checkpoint: checkpoint["model"]["output.bias"].fill_(np.nan),
        lambda checkpoint: kept(checkpoint, ADAMW).update(step="x"),
        lambda checkpoint: kept(checkpoint, ADAMW).update(exp_avg=torch.zeros(3)),
        lambda checkpoint: kept(checkpoint, ADAMW)["exp_avg"].fill_(np.inf),
        lambda checkpoint: kept(checkpoint, MUON).update(momentum=torch.zeros(3)),
    ],
)
def test_a_forged_checkpoint_is_refused(home: Path, change: Callable[[Any], object]) -> None:
    forge(home / LAST, change)
    refused(s2s_here(home, *RESUME, "--set=training.epochs=2"), f"{LAST}: damaged")


def damage_json(path: Path, changes: dict[str, object]) -> None:
    """Change values, and for a record of an export its checksum, as a stranger would."""
    values = json.loads(path.read_text(encoding="utf-8")) | changes
    if "checksum" in values:
        facts = {key: value for key, value in values.items() if key not in ("format", "checksum")}
        values["checksum"] = zlib.crc32(json.dumps(facts, sort_keys=True).encode("utf-8"))
    path.write_text(json.dumps(values), encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("vocabulary_size", -3), ("max_source_length", "x"), ("weights", []), ("decoding", 5), ("more", 1)),
        *(
            ("decoding", asdict(load_config(None).decoding.options) | wrong)
            for wrong in ({"beam_size": "x"}, {"batch_size": 0}, {"n_best": 10**9}, {"max_source_length": -5}, {"x": 1})
        ),
    ],
)
def test_a_forged_record_of_the_export_gives_way_to_the_config_and_torch(home: Path, key: str, value: object) -> None:
    expected = s2s_here(home, *TRANSLATE).stdout
    damage_json(home / RUN / "best/export.json", {key: value})
    with pytest.raises(ModelFileError, match=r"export\.json: damaged"):
        ExportRecord.read(home / RUN)
    done = s2s_here(home, *TRANSLATE)
    assert (done.returncode, done.stdout) == (0, expected)


def change_graph(path: Path, change: Callable[[Any], object]) -> None:
    model = onnx.load(path, load_external_data=False)
    change(model.graph)
    path.write_bytes(model.SerializeToString())


def rename_input(graph: Any) -> None:
    old, graph.input[0].name = graph.input[0].name, "other"
    for node in graph.node:
        node.input[:] = ["other" if name == old else name for name in node.input]


def refer_elsewhere(graph: Any, place: str) -> None:
    for entry in (entry for tensor in graph.initializer for entry in tensor.external_data if entry.key == "location"):
        entry.value = place


CHANGES: list[Callable[[Any], object]] = [
    rename_input,
    lambda graph: refer_elsewhere(graph, "/etc/passwd"),
    lambda graph: refer_elsewhere(graph, "../../../secret"),
    lambda graph: graph.output.pop(),
    lambda graph: graph.output.append(graph.output[-1]),
    lambda graph: graph.output.reverse(),
    lambda graph: graph.initializer[0].dims.append(10**9),
    lambda graph: graph.initializer[0].ClearField("external_data"),
    lambda graph: graph.input.append(onnx.helper.make_tensor_value_info("more", 1, [3])),
    lambda graph: graph.ParseFromString(b""),
]


def first_step(run: RunFolder, precision: DecodingPrecision) -> Proposals:
    engine = OnnxEngine(run, ExportRecord.read(run.path), precision=precision)
    return engine.step(np.full(1, BOS), engine.start([[4, 5]]), k=3, asked=np.zeros((1, 0), dtype=np.int64))[0]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("name", "precision"), [("encoder", "auto"), ("search", "auto"), ("decoder", "fp32")], ids=str)
def test_a_forged_graph_is_refused_or_computes_the_same(
    home: Path, name: str, precision: DecodingPrecision, change: Callable[[Any], object]
) -> None:
    (home / "secret").write_bytes(b"\0" * 100_000)
    run = RunFolder(home / RUN)
    expected = first_step(run, precision)
    change_graph(home / RUN / f"best/{name}.onnx", change)
    try:
        found = first_step(run, precision)
    except ModelFileError as error:
        assert re.search(r"(encoder|search|decoder)\.onnx: ", str(error))  # noqa: PT017  # some changes do no harm
    else:
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def compute_instead(graph: Any, number: int, *nodes: Any) -> None:
    """Change an output of a graph: the nodes make it of what was it, which is called ``honest``."""
    for node in graph.node:
        node.output[:] = ["honest" if name == graph.output[number].name else name for name in node.output]
    graph.node.extend(nodes)


def allocate(graph: Any) -> None:
    """Compute a tensor of 4 TB on the way to an output."""
    make = onnx.helper.make_node
    graph.initializer.append(onnx.helper.make_tensor("size", onnx.TensorProto.INT64, [1], [10**12]))
    zeros = make("ConstantOfShape", ["size"], ["zeros"]), make("ReduceSum", ["zeros"], ["zero"], keepdims=0)
    compute_instead(graph, 1, *zeros, make("Add", ["honest", "zero"], [graph.output[1].name]))


def leave_the_vocabulary(graph: Any) -> None:
    graph.initializer.append(onnx.helper.make_tensor("million", onnx.TensorProto.INT64, [], [10**6]))
    compute_instead(graph, 0, onnx.helper.make_node("Add", ["honest", "million"], [graph.output[0].name]))


def test_a_graph_that_takes_endless_memory_ends_in_a_line(home: Path) -> None:
    change_graph(home / RUN / "best/search.onnx", allocate)
    done = s2s_here(home, *TRANSLATE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("s2s: error: out of memory")
    assert done.stderr.count("\n") == 1


def test_a_graph_that_computes_no_tokens_is_refused(home: Path) -> None:
    change_graph(home / RUN / "best/search.onnx", leave_the_vocabulary)
    refused(s2s_here(home, *TRANSLATE), "best/search.onnx: damaged: it computes other values than a graph of s2s")


RUN_FILES = [
    ("config.yaml", b"model: ["),
    ("corpus.json", b"[" * 100_000),
    ("corpus.json", b'{"format": 1, "folder": 1e400, "fingerprint": "b", "pairs": {"train": 1}}'),
    ("metrics.jsonl", b'{"format": 99}\n'),
]


@pytest.mark.parametrize(("name", "content"), RUN_FILES)
def test_a_damaged_run_is_named_and_the_list_shows_the_others(home: Path, name: str, content: bytes) -> None:
    shutil.copytree(home / RUN, home / "runs/good")
    (home / RUN / name).write_bytes(content)
    done = succeeded(s2s_here(home, "runs"))
    assert "\ngood " in done.stdout
    assert "\n  damaged\n" in done.stdout
    assert done.stderr.startswith(f"s2s: warning: runs/stranger/{name}:"), done.stderr
    assert done.stderr.count("\n") == 1
    # Who names a run wants it: there is no table and no picture without it.
    for arguments in ("compare good stranger", "plot good stranger --out others.svg"):
        refused(s2s_here(home, "runs", *arguments.split()), f"runs/stranger/{name}:")


def test_a_run_without_records_is_left_out_of_the_picture(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    shutil.copytree(home / RUN, home / "runs/good")
    (home / RUN / "metrics.jsonl").write_bytes(b"[" * 100_000 + b"\n" + b"x" * 1_000_000)
    succeeded(s2s_here(home, "runs", "plot", "good", "stranger", "--out", "curves.svg"))
    assert "stranger: left out: no metrics are recorded" in caplog.text
