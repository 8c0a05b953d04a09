"""Model folders and prepared folders of strangers: refused in one line, without a traceback, and at once."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import Done, s2s_here
from tests.corpora import write_reversals

TINY = [f"--set=model.{side}.{size}=8" for side in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")]
TRAIN = ("train", *TINY, "--set=training.epochs=1", "--set=training.keep=1", "--set=training.precision=fp32")

RUN = Path("runs/stranger")
TRANSLATE = ("translate", "--model", str(RUN), "one two")
WITH_TORCH = (*TRANSLATE, "--set=decoding.engine=torch")
EPOCH = ("translate", "--model", str(RUN / "epochs/0001.safetensors"), "one two")
RESUME = ("train", "--resume", "--out", str(RUN))
RETRAIN = ("train", "--out", "runs/new", *TINY, "--set=training.epochs=1")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus and a run of it, which has been exported."""
    folder = tmp_path_factory.mktemp("original")
    write_reversals(folder / "pairs.txt")
    for command in (("prepare", "pairs.txt"), (*TRAIN, "--out", str(RUN))):
        done = s2s_here(folder, *command)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def home(original: Path, tmp_path: Path) -> Path:
    """A copy of `original` to damage."""
    return shutil.copytree(original, tmp_path / "home")


def refused(done: Done, *, names: str) -> str:
    """The message of a command that refused its input, in one line that names a file."""
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.startswith("s2s: error: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert names in done.stderr
    return done.stderr


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
    RUN / "codec/src.json": (TRANSLATE, ("prepare", "pairs.txt", "--out", "other", "--codec-from", str(RUN))),
    RUN / "best/model.safetensors": (TRANSLATE, WITH_TORCH),
    RUN / "best/export.json": (TRANSLATE,),
    RUN / "best/decoder.onnx": (TRANSLATE,),
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
        refused(s2s_here(home, *command), names=str(file))


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize("part", ["best", "last", "codec", "epochs"])
def test_a_folder_elsewhere_is_neither_read_nor_written(home: Path, part: str) -> None:
    move_out(home / RUN / part)
    for command in (TRANSLATE, RESUME, ("export", str(RUN), "exported")):
        refused(s2s_here(home, *command), names=f"{RUN / part}: a link that leads out")


@pytest.mark.skipif(os.name == "nt", reason="no such files")
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
    done = s2s_here(home, "translate", "--model", "linked", "one two")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["../stranger", "/etc", ".", "stranger/best", "x" * 5000])
def test_the_newest_run_is_named_by_a_plain_name(home: Path, name: str) -> None:
    (home / "runs/latest").write_text(name, encoding="utf-8")
    refused(s2s_here(home, "translate", "one two"), names="runs/latest: ")
