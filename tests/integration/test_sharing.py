"""A run that is sent to somebody, as one file or as a folder."""

import ntpath
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import OF_PAIRS, RUNS
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.runs.records import Provenance, read_history
from tests import records
from tests.commands import refused, s2s_here, succeeded
from tests.untrained import MADE_DECODING, make_run

TEXT = "she kissed him ."
OF_BEST = ("README.md", "metrics.jsonl")
"""What a run says of its best weights."""


@pytest.fixture(scope="module")
def sender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with a run, sent as ``small.zip``."""
    home = tmp_path_factory.mktemp("sender")
    run = make_run(home / RUNS / "small").path
    (run / "last").mkdir()
    (run / "last" / "training.pt").write_bytes(b"what only training needs")
    (run / "README.md").write_text("the best weights have BLEU 37.3", encoding="utf-8")
    shown = {"source": TEXT, "translation": "", "src_tokens": [], "tgt_tokens": [], "weights": []}
    epoch = records.epoch(200, 1).model_copy(update={"attention": [shown]})
    records.write(run, [epoch, records.end(200, 1, "done")])
    provenance = Provenance(folder="data/prepared", fingerprint="0", pairs={"train": 9}, launch="a machine")
    (run / "corpus.json").write_bytes(provenance.content)
    done = s2s_here(home, "export", "runs/small", "small.zip")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "small.zip: exported; unpacked, it is a run folder that s2s translates with\n"
    return home


def translation(folder: Path, *options: str) -> str:
    done = s2s_here(folder, "translate", *options, TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_file_has_what_translating_needs_and_no_more(sender: Path) -> None:
    names = zipfile.ZipFile(sender / "small.zip").namelist()
    assert {name.removeprefix("small/") for name in names} == {
        *("config.yaml", "codec/src.json", "codec/tgt.json", "best/model.safetensors"),
        *("best/encoder.onnx", "best/decoder.onnx", "best/features.onnx", "best/search.onnx", "best/export.json"),
        *("corpus.json", *OF_BEST),
    }
    assert b"a machine" not in zipfile.ZipFile(sender / "small.zip").read("small/corpus.json")
    before = (sender / "small.zip").read_bytes()
    refused(s2s_here(sender, "export", "runs/small", "small.zip"), "small.zip", "--overwrite")
    succeeded(s2s_here(sender, "export", "runs/small", "small.zip", "--overwrite"))
    assert (sender / "small.zip").read_bytes() == before  # the same run, the same bytes


def test_the_pairs_of_the_records_are_left_out_unless_they_may_be_shared(sender: Path, tmp_path: Path) -> None:
    own = read_history(sender / RUNS / "small")
    assert own.validations[0].attention
    for options in ((), ("--with-pairs",)):
        succeeded(s2s_here(sender, "export", "runs/small", "small.zip", "--overwrite", *options))
        shutil.unpack_archive(sender / "small.zip", tmp_path)
        kept = own.validations[0].attention if options else []
        expected = [own.validations[0].model_copy(update={"attention": kept}), *own.records[1:]]
        assert read_history(tmp_path / "small").records == expected


def test_scores_with_pairs_are_told_to_be_so_where_the_pairs_are_left_out(sender: Path, tmp_path: Path) -> None:
    decoding = MADE_DECODING.model_copy(update={"similar_pairs": 4})
    run = make_run(tmp_path / RUNS / "pairs", decoding=decoding).path
    tested = records.held_out(200, 1, bleu=37.3).model_copy(update={"verdict": "Usable for the gist."})
    records.write(run, [records.epoch(200, 1), records.end(200, 1, "done"), tested])
    (run / "README.md").write_text("with 4 similar pairs, BLEU 37.3\n", encoding="utf-8")
    for file in OF_PAIRS.values():
        (run / file).parent.mkdir(exist_ok=True)
        (run / file).touch()
    for options in ((), ("--with-pairs",)):
        succeeded(s2s_here(tmp_path, "export", "runs/pairs", "pairs.zip", "--overwrite", *options))
        shutil.unpack_archive(tmp_path / "pairs.zip", tmp_path)
        sent = tmp_path / "pairs"
        assert ((sent / "README.md").read_bytes() == (run / "README.md").read_bytes()) == bool(options)
        assert "less well" in (sent / "README.md").read_text("utf-8") or options
        assert read_history(sent).test == (tested if options else None)
    [told] = about_run(RunFolder(run), lacks=["training pairs"])["lines"][-1:]
    assert told.startswith("It was tested with its training pairs")


def test_a_file_of_chosen_weights_has_no_scores_of_the_best_ones(sender: Path, tmp_path: Path) -> None:
    run = sender / RUNS / "small"
    (run / "epochs").mkdir()
    shutil.copy(run / "best" / "model.safetensors", run / "epochs" / "0003.safetensors")
    succeeded(s2s_here(sender, "export", "runs/small/epochs/0003.safetensors", "my third.zip"))
    shutil.unpack_archive(sender / "my third.zip", tmp_path)
    assert not {path.name for path in (tmp_path / "small").iterdir()} & {*OF_BEST}
    assert translation(tmp_path, "--model", "small") == translation(sender, "--model", "runs/small")


@pytest.mark.skipif(os.name == "nt", reason="no such names")
def test_a_file_can_be_unpacked_on_windows(sender: Path) -> None:
    shutil.copytree(sender / RUNS / "small", sender / RUNS / "at 12:30?")
    succeeded(s2s_here(sender, "export", "runs/at 12:30?", "named.zip"))
    names = zipfile.ZipFile(sender / "named.zip").namelist()
    assert {ntpath.splitdrive(name)[0] for name in names} == {""}
    assert {name.partition("/")[0] for name in names} == {"at 12_30_"}
    assert not any(ntpath.sep in name for name in names)


def test_a_run_is_found_in_runs_wherever_it_is_from(sender: Path, tmp_path: Path) -> None:
    expected = translation(sender, "--model", "runs/small")
    shutil.copytree(sender / RUNS / "small", tmp_path / RUNS / "copied")
    assert translation(tmp_path, "--model", "copied") == expected
    assert translation(tmp_path) == expected  # the only one
    shutil.unpack_archive(sender / "small.zip", tmp_path / RUNS)
    assert translation(tmp_path, "--model", "small") == expected
    listed = s2s_here(tmp_path, "runs")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert {"copied", "small"} <= {line.split(" ")[0] for line in listed.stdout.splitlines()}
    assert "damaged" not in listed.stdout
