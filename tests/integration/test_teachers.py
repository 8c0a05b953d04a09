"""``s2s train --teachers``: first models translate the training pairs, and their translations help the last one."""

import shutil
from pathlib import Path

import pytest

from seq2seq_cli.corpus.manifest import Manifest, read_manifest
from tests.commands import Done, refused, s2s_here
from tests.corpora import write_reversals

SMALL = [
    word
    for override in (
        "training.epochs=1",
        "training.choose_decoding=false",
        "decoding.beam_size=1",
        *(f"model.{part}.{size}=8" for part in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")),
    )
    for word in ("--set", override)
]
TRAIN = ("train", "--minutes", "1", "--out", "runs/last", *SMALL)
TEACHERS = Path("runs", "last_teachers")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two hundred prepared pairs and a run that two teachers have helped."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    prepare(folder, "pairs.txt")
    done = trained(folder)
    assert (done.returncode, "with the help of" in done.stderr) == (0, True), done.stderr
    return folder


def prepare(folder: Path, *arguments: str) -> None:
    done = s2s_here(folder, "prepare", *arguments, "--languages", "en-de", "--set", "text.src.lowercase=true")
    assert done.returncode == 0, done.stderr


def trained(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, *TRAIN, "--teachers", "1", *arguments)


def manifest(folder: Path) -> Manifest:
    return read_manifest(folder)


def test_each_pair_is_translated_in_both_directions(home: Path) -> None:
    own = {side: (home / f"data/prepared/train.{side}.txt").read_text("utf-8").splitlines() for side in ("src", "tgt")}
    forward, back = (
        [line.split("\t") for line in (home / TEACHERS / f"{name}1.tsv").read_text("utf-8").splitlines()]
        for name in ("forward", "back")
    )
    assert {pair[0] for pair in forward} <= {*own["src"]}
    assert {pair[1] for pair in back} <= {*own["tgt"]}
    assert all(src and tgt for src, tgt in [*forward, *back])


def test_the_last_model_has_the_same_pairs_and_settings_and_the_translations_as_help(home: Path) -> None:
    before, after = manifest(home / "data/prepared"), manifest(home / TEACHERS / "prepared")
    assert [after.splits[name].pairs for name in before.splits] == [record.pairs for record in before.splits.values()]
    assert 0 < after.splits["related"].pairs <= 2 * before.splits["train"].pairs
    assert after.text.languages == before.text.languages == ("en", "de")
    assert after.text.src.lowercase is True is not after.text.tgt.lowercase
    for split in ("valid", "test"):
        for side in ("src", "tgt"):
            name = f"{split}.{side}.txt"
            assert (home / TEACHERS / "prepared" / name).read_text() == (home / "data/prepared" / name).read_text()


def test_the_settings_of_a_side_go_with_its_language(home: Path) -> None:
    swapped = manifest(home / TEACHERS / "swapped").text
    assert swapped.languages == ("de", "en")
    assert swapped.tgt.lowercase is True is not swapped.src.lowercase


def test_teachers_that_are_there_are_not_trained_again(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    refused(trained(again), "a run is there already")
    shutil.rmtree(again / "runs" / "last")
    done = trained(again)
    assert done.returncode == 0, done.stderr
    started = [line for line in done.stderr.splitlines() if line.startswith("training ")]
    assert len(started) == 1


def test_teachers_of_another_corpus_are_not_taken(home: Path, tmp_path: Path) -> None:
    other = shutil.copytree(home, tmp_path / "other")
    shutil.rmtree(other / "runs" / "last")
    prepare(other, "pairs.txt", "--limit", "150", "--overwrite")
    refused(trained(other), "the teachers of another corpus", "--overwrite")
    assert trained(other, "--overwrite").returncode == 0
    assert manifest(other / TEACHERS / "prepared").splits["train"].pairs < 150


@pytest.mark.parametrize("arguments", [["--config", "luong_dot"], ["--resume"], ["--init-from", "runs/last"]])
def test_teachers_are_for_a_new_run_that_the_dial_makes(home: Path, arguments: list[str]) -> None:
    refused(trained(home, *arguments), "--teachers")


def test_pairs_that_have_other_help_are_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b c d e\nb c d e f\n", encoding="utf-8")
    shutil.copy(home / "pairs.txt", tmp_path)
    prepare(tmp_path, "pairs.txt", "--tgt-only", "text.txt")
    refused(trained(tmp_path), "has more than pairs")
