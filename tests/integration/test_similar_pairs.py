"""A run that consults its training pairs: trained so, or given them later, and sent to somebody."""

import shutil
from pathlib import Path

import pytest

from seq2seq_cli.decoding.similar.features import KeptFeatures
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.runs.exported import ExportRecord, config_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import FEATURE_FILES, OF_PAIRS
from seq2seq_cli.runs.listing import Run
from tests.commands import s2s_here

TEXT = "she kissed him ."
WITHOUT = ("--set", "decoding.similar_pairs=0")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run that consults 4 pairs."""
    folder = tmp_path_factory.mktemp("similar")
    shutil.copy(Path(__file__).parents[2] / "data" / "sample.txt", folder)
    assert s2s_here(folder, "prepare", "sample.txt", "--limit", "400").returncode == 0
    options = ("--set", "training.epochs=2", "--set", "decoding.similar_pairs=4", "--out", "runs/near")
    done = s2s_here(folder, "train", "--config", "sample", *options)
    assert done.returncode == 0, done.stderr
    return folder


def translation(folder: Path, *options: str) -> str:
    done = s2s_here(folder, "translate", *options, TEXT)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def test_the_same_pairs_are_consulted_with_both_engines(home: Path) -> None:
    expected = translation(home)
    assert expected.strip()
    assert translation(home, "--set", "decoding.engine=torch") == expected
    assert expected != translation(home, *WITHOUT)  # so little trained, the model alone knows nothing


def test_a_training_source_has_its_translation_after_hardly_any_training(home: Path) -> None:
    source, target = (home / "data" / "prepared" / f"train.{side}.txt" for side in ("src", "tgt"))
    sources, targets = (path.read_text(encoding="utf-8").splitlines() for path in (source, target))
    done = s2s_here(home, "translate", "--set", "decoding.similar_pairs_weight=0.99", text="\n".join(sources[:40]))
    found = done.stdout.splitlines()
    assert sum(ours == theirs for ours, theirs in zip(found, targets[:40], strict=True)) >= 10


def test_the_card_says_how_its_scores_were_found(home: Path) -> None:
    assert "beam 5, 4 similar pairs" in (home / "runs" / "near" / "README.md").read_text(encoding="utf-8")


def test_the_graph_of_features_is_needed_without_kept_ones_alone_and_torch_computes_where_it_is_damaged(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(home / "runs" / "near", tmp_path / "near")
    (tmp_path / "near" / "best" / "features.onnx").write_bytes(b"no graph")
    assert translation(tmp_path, "--model", "near") == translation(home)
    for file in FEATURE_FILES.values():
        (tmp_path / "near" / file).unlink()
    done = s2s_here(tmp_path, "translate", "--model", "near", TEXT)
    assert (done.returncode, done.stdout) == (0, translation(home))
    assert "computing with torch" in caplog.text
    assert s2s_here(tmp_path, "export", "near", "near.zip").returncode == 0
    caplog.clear()
    assert translation(tmp_path, "--model", "near") == translation(home)
    assert not caplog.text


def test_features_are_kept_for_the_best_weights_and_made_anew_for_others(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.copytree(home / "runs", tmp_path / "runs")
    run = RunFolder(tmp_path / "runs" / "near")
    pairs = SimilarPairs.open(run.path, src_size=10_000, tgt_size=10_000)
    kept = KeptFeatures.open(run, pairs)
    assert kept is not None
    content = bytes(kept.components)
    (run.path / FEATURE_FILES["projection"]).write_bytes(b"PK")
    resume = ("train", "--resume", "--out", "runs/near")
    assert s2s_here(tmp_path, *resume).returncode == 0
    again = KeptFeatures.open(run, pairs)
    assert again is not None
    assert bytes(again.components) == content
    assert s2s_here(tmp_path, *resume, "--set", "training.epochs=4").returncode == 0
    assert any(each.best for each in Run.read(run.path).history.validations[2:])
    anew = KeptFeatures.open(run, pairs)
    assert anew is not None
    assert bytes(anew.components) != content


def test_a_resumed_run_is_opened_by_its_record(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.copytree(home / "runs", tmp_path / "runs")
    resume = ("train", "--resume", "--out", "runs/near", "--set", "decoding.beam_size=3")
    assert s2s_here(tmp_path, *resume).returncode == 0
    record = ExportRecord.read(tmp_path / "runs" / "near")
    assert record.config == config_checksum(tmp_path / "runs" / "near")
    assert record.decoding.beam_size == 3


def test_a_score_is_that_of_model_and_pairs_together(home: Path) -> None:
    text = translation(home).strip()
    scores = [s2s_here(home, "score", *options, TEXT, text).stdout for options in ((), WITHOUT)]
    assert scores[0] != scores[1]


def test_runs_together_consult_pairs_where_the_first_one_does(home: Path, tmp_path: Path) -> None:
    without = shutil.copytree(home / "runs" / "near", tmp_path / "without")
    config = without / "config.yaml"
    config.write_text(config.read_text("utf-8").replace("similar_pairs: 4", "similar_pairs: 0"), "utf-8")
    near, other = ("--model", "runs/near"), ("--model", str(without))
    assert translation(home, *near, *other) == translation(home)
    assert translation(home, *other, *near) == translation(home, *WITHOUT)


def exported(home: Path, target: Path, *options: str) -> None:
    done = s2s_here(home, "export", "runs/near", str(target), *options)
    assert done.returncode == 0, done.stderr


def test_an_export_holds_the_pairs_only_where_that_is_asked_for_and_translates_without(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for options, expected in (((), translation(home, *WITHOUT)), (("--with-pairs",), translation(home))):
        folder = tmp_path / str(len(options))
        folder.mkdir()
        for name in ("near.zip", "near", "near.html"):
            caplog.clear()
            exported(home, folder / name, *options)
            assert ("--with-pairs includes them" in caplog.text) == (not options)
        shutil.unpack_archive(folder / "near.zip", folder / "unpacked")
        for name in ("unpacked/near", "near"):
            assert translation(folder, "--model", name) == expected
            assert all((folder / name / file).is_file() == bool(options) for file in OF_PAIRS.values())
            record = ExportRecord.read(folder / name)
            assert record.config == config_checksum(folder / name)
            assert record.decoding.similar_pairs == 4 * len(options)
    assert translation(home) != translation(home, *WITHOUT)


@pytest.mark.parametrize("name", ["near.zip", "near", "near.html"])
def test_pairs_that_are_missing_cannot_be_exported(home: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(home / "runs" / "near", tmp_path / "run")
    shutil.rmtree(tmp_path / "run" / "pairs")
    done = s2s_here(tmp_path, "export", "run", f"made/{name}", "--with-pairs")
    assert done.returncode == 2
    assert "missing: leave out --with-pairs" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_run_without_pairs_says_how_it_gets_them(home: Path, tmp_path: Path) -> None:
    expected = translation(home)
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.copytree(home / "runs", tmp_path / "runs")
    shutil.rmtree(tmp_path / "runs" / "near" / "pairs")
    done = s2s_here(tmp_path, "translate", TEXT)
    command = "train --resume --out runs/near --set decoding.similar_pairs=4"
    assert (done.returncode, done.stdout) == (2, "")
    assert f"s2s {command} writes it anew" in done.stderr
    assert translation(tmp_path, *WITHOUT) == translation(home, *WITHOUT)
    assert s2s_here(tmp_path, *command.split()).returncode == 0
    assert translation(tmp_path) == expected


def test_an_archive_without_its_pairs_can_only_be_sent_again(home: Path, tmp_path: Path) -> None:
    exported(home, tmp_path / "near.zip", "--with-pairs")
    shutil.unpack_archive(tmp_path / "near.zip", tmp_path)
    shutil.rmtree(tmp_path / "near" / "pairs")
    done = s2s_here(tmp_path, "translate", "--model", "near", TEXT)
    assert (done.returncode, done.stdout) == (2, "")
    assert "have it sent again" in done.stderr
    assert "--resume" not in done.stderr


def test_damaged_pairs_are_told_in_one_line(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "runs" / "near", tmp_path / "near")
    (tmp_path / "near" / "pairs" / "index.npy").write_bytes(b"PK")
    done = s2s_here(tmp_path, "translate", "--model", "near", TEXT)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "near/pairs: missing or damaged" in done.stderr


def test_pairs_that_are_not_consulted_any_more_are_removed(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    shutil.copytree(home / "runs", tmp_path / "runs")
    run = tmp_path / "runs" / "near"
    assert all((run / file).is_file() for file in OF_PAIRS.values())
    assert s2s_here(tmp_path, "train", "--resume", "--out", "runs/near", *WITHOUT).returncode == 0
    assert not (run / "pairs").exists()
    assert translation(tmp_path) == translation(home, *WITHOUT)
