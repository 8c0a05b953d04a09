"""``s2s train --teachers``: first models translate the training pairs, and their translations help the last one."""

import shutil
from pathlib import Path

import pytest

from seq2seq_cli import train
from seq2seq_cli.corpus.manifest import read_manifest
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import Interrupted
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.training.feed import Mixture
from tests.commands import SMALL, Done, refused, s2s_here, settings, succeeded
from tests.corpora import write_reversals

SHORT = [*SMALL, "training.epochs=1", "decoding.beam_size=1"]
TRAIN = ("train", "--minutes", "1", "--out", "runs/last", *settings(*SHORT))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two hundred prepared pairs and a run that two teachers have helped."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    prepare(folder, "pairs.txt")
    assert "with the help of" in succeeded(trained(folder)).stderr
    return folder


def prepare(folder: Path, *arguments: str) -> None:
    succeeded(s2s_here(folder, "prepare", *arguments, "--languages", "en-de", "--set", "text.src.lowercase=true"))


def trained(folder: Path, *arguments: str) -> Done:
    return s2s_here(folder, *TRAIN, "--teachers", "1", *arguments)


def teachers(folder: Path) -> Path:
    """The folder of the teachers of the one corpus."""
    [found] = (folder / "runs" / "last_teachers").iterdir()
    return found


def test_each_pair_is_translated_in_both_directions(home: Path) -> None:
    own = {side: (home / f"data/prepared/train.{side}.txt").read_text("utf-8").splitlines() for side in ("src", "tgt")}
    forward, back = (
        [line.split("\t") for line in (teachers(home) / f"{name}1.tsv").read_text("utf-8").splitlines()[1:]]
        for name in ("forward", "back")
    )
    assert {pair[0] for pair in forward} <= {*own["src"]}
    assert {pair[1] for pair in back} <= {*own["tgt"]}
    assert forward
    assert back
    assert all(src and tgt for src, tgt in [*forward, *back])


def test_the_last_model_has_the_same_pairs_and_settings_and_the_translations_as_help(home: Path) -> None:
    before, after = read_manifest(home / "data/prepared"), read_manifest(teachers(home) / "prepared")
    assert [after.splits[name].pairs for name in before.splits] == [record.pairs for record in before.splits.values()]
    assert 0 < after.splits["related"].pairs <= 2 * before.splits["train"].pairs
    training = RunFolder(home / "runs/last").config().training
    epoch = Mixture.of(training, PreparedCorpus.open(teachers(home) / "prepared")).of_epoch(0)
    assert len(epoch) == after.splits["train"].pairs + after.splits["related"].pairs
    assert after.text == before.text
    assert after.pair_files == before.pair_files
    for split in ("valid", "test"):
        for side in ("src", "tgt"):
            name = f"{split}.{side}.txt"
            assert (teachers(home) / "prepared" / name).read_text() == (home / "data/prepared" / name).read_text()


def test_the_settings_of_a_side_go_with_its_language(home: Path) -> None:
    swapped = read_manifest(teachers(home) / "swapped").text
    assert swapped.languages == ("de", "en")
    assert swapped.tgt.lowercase is True is not swapped.src.lowercase


def test_each_teacher_has_another_seed_than_the_last_model(home: Path) -> None:
    folders = home / "runs/last", teachers(home) / "forward1"
    assert [RunFolder(folder).config().training.seed for folder in folders] == [1, 2]


def test_teachers_that_are_there_are_not_trained_again(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    refused(trained(again), "a run is there already")
    shutil.rmtree(again / "runs" / "last")
    done = succeeded(trained(again))
    assert [line.split()[1] for line in done.stderr.splitlines() if line.startswith("training ")] == ["runs/last"]


def test_another_corpus_has_teachers_of_its_own(home: Path, tmp_path: Path) -> None:
    other = shutil.copytree(home, tmp_path / "other")
    shutil.rmtree(other / "runs" / "last")
    prepare(other, "pairs.txt", "--limit", "150", "--overwrite", "--set", "data.test_sources=0")
    run = other / "runs" / "last"

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match=r"last_teachers/.* is kept: give the same command again"):
        train(minutes=1, data=other / "data/prepared", out=run, overrides=SHORT, teachers=1, on_event=stop)
    assert len([*(other / "runs" / "last_teachers").iterdir()]) == 2


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--config", "luong_dot"], "--teachers"),
        (["--resume"], "--teachers"),
        (["--init-from", "runs/last"], "--teachers"),
        (["--corrections"], "--corrections"),
        (["--minutes", "0"], "--minutes"),
        (["--set", "training.max_minutes=2"], "--minutes"),
        (["--set", "training.epchs=2"], "epchs"),
        (["--set", "text.unit=word"], "text.unit"),
    ],
)
def test_a_mistake_is_told_before_any_work(home: Path, tmp_path: Path, arguments: list[str], word: str) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.copytree(home / "runs" / "last", tmp_path / "runs" / "last")
    refused(s2s_here(tmp_path, *TRAIN, "--out", "runs/new", "--teachers", "1", *arguments), word)
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["last"]


def test_pairs_that_have_other_help_are_refused(home: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a b c d e\nb c d e f\n", encoding="utf-8")
    shutil.copy(home / "pairs.txt", tmp_path)
    prepare(tmp_path, "pairs.txt", "--tgt-only", "text.txt")
    refused(trained(tmp_path), "--related or other help")
