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
from tests.commands import refused, s2s_here, succeeded

TEXT = "she kissed him ."
WITHOUT = ("--set", "decoding.similar_pairs=0")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run that consults 4 pairs."""
    folder = tmp_path_factory.mktemp("similar")
    shutil.copy(Path(__file__).parents[2] / "data" / "sample.txt", folder)
    succeeded(s2s_here(folder, "prepare", "sample.txt", "--limit", "400"))
    options = ("--set", "training.epochs=2", "--set", "decoding.similar_pairs=4", "--out", "runs/near")
    succeeded(s2s_here(folder, "train", "--config", "sample", *options))
    return folder


@pytest.fixture
def copy(home: Path, tmp_path: Path) -> Path:
    """A copy of the working directory, to change."""
    return shutil.copytree(home, tmp_path / "copy")


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
    home: Path, copy: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (copy / "runs" / "near" / "best" / "features.onnx").write_bytes(b"no graph")
    assert translation(copy) == translation(home)
    for file in FEATURE_FILES.values():
        (copy / "runs" / "near" / file).unlink()
    assert succeeded(s2s_here(copy, "translate", TEXT)).stdout == translation(home)
    assert "computing with torch" in caplog.text
    succeeded(s2s_here(copy, "export", "runs/near", "near.zip"))
    caplog.clear()
    assert translation(copy) == translation(home)
    assert not caplog.text


def test_features_are_kept_for_the_best_weights_and_made_anew_for_others(copy: Path) -> None:
    run = RunFolder(copy / "runs" / "near")
    pairs = SimilarPairs.open(run.path, src_size=10_000, tgt_size=10_000)
    kept = KeptFeatures.open(run, pairs)
    assert kept is not None
    content = bytes(kept.components)
    (run.path / FEATURE_FILES["projection"]).write_bytes(b"PK")
    resume = ("train", "--resume", "--out", "runs/near")
    succeeded(s2s_here(copy, *resume))
    again = KeptFeatures.open(run, pairs)
    assert again is not None
    assert bytes(again.components) == content
    succeeded(s2s_here(copy, *resume, "--set", "training.epochs=4"))
    assert any(each.best for each in Run.read(run.path).history.validations[2:])
    anew = KeptFeatures.open(run, pairs)
    assert anew is not None
    assert bytes(anew.components) != content


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


def test_an_export_holds_the_pairs_only_where_that_is_asked_for_and_translates_without(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for options, expected in (((), translation(home, *WITHOUT)), (("--with-pairs",), translation(home))):
        folder = tmp_path / str(len(options))
        folder.mkdir()
        for name in ("near.zip", "near", "near.html"):
            caplog.clear()
            succeeded(s2s_here(home, "export", "runs/near", str(folder / name), *options))
            assert ("--with-pairs includes them" in caplog.text) == (not options)
        shutil.unpack_archive(folder / "near.zip", folder / "unpacked")
        for name in ("unpacked/near", "near"):
            assert translation(folder, "--model", name) == expected
            assert all((folder / name / file).is_file() == bool(options) for file in OF_PAIRS.values())
            record = ExportRecord.read(folder / name)
            assert record.config == config_checksum(folder / name)
            assert record.decoding.similar_pairs == 4 * len(options)
    assert translation(home) != translation(home, *WITHOUT)


def test_a_run_without_pairs_exports_none_and_says_how_it_gets_them(home: Path, copy: Path) -> None:
    shutil.rmtree(copy / "runs" / "near" / "pairs")
    for name in ("near.zip", "near", "near.html"):
        done = s2s_here(copy, "export", "runs/near", f"made/{name}", "--with-pairs")
        refused(done, "missing: leave out --with-pairs")
    assert not (copy / "made").exists()
    command = "train --resume --out runs/near --set decoding.similar_pairs=4"
    refused(s2s_here(copy, "translate", TEXT), f"s2s {command} writes it anew")
    assert translation(copy, *WITHOUT) == translation(home, *WITHOUT)
    succeeded(s2s_here(copy, *command.split()))
    assert translation(copy) == translation(home)


def test_an_archive_without_its_pairs_can_only_be_sent_again(home: Path, tmp_path: Path) -> None:
    succeeded(s2s_here(home, "export", "runs/near", str(tmp_path / "near.zip"), "--with-pairs"))
    shutil.unpack_archive(tmp_path / "near.zip", tmp_path)
    shutil.rmtree(tmp_path / "near" / "pairs")
    assert "--resume" not in refused(s2s_here(tmp_path, "translate", "--model", "near", TEXT), "have it sent again")


def test_damaged_pairs_are_told_in_one_line(copy: Path) -> None:
    (copy / "runs" / "near" / "pairs" / "index.npy").write_bytes(b"PK")
    refused(s2s_here(copy, "translate", TEXT), "near/pairs: missing or damaged")


def test_pairs_that_are_not_consulted_any_more_are_removed_and_the_run_is_opened_by_its_record(
    home: Path, copy: Path
) -> None:
    run = copy / "runs" / "near"
    assert all((run / file).is_file() for file in OF_PAIRS.values())
    succeeded(s2s_here(copy, "train", "--resume", "--out", "runs/near", *WITHOUT))
    assert not (run / "pairs").exists()
    assert translation(copy) == translation(home, *WITHOUT)
    record = ExportRecord.read(run)
    assert (record.config, record.decoding.similar_pairs) == (config_checksum(run), 0)
