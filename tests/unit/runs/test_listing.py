"""Runs read from their folders: state, scores, size, and the comparison of several."""

import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.whole_folder import hold
from seq2seq_cli.runs.layout import BEST
from seq2seq_cli.runs.listing import Run, comparability, config_differences, find_runs, list_runs, results
from seq2seq_cli.runs.weights import save_weights
from tests.records import end, epoch, held_out, interrupted, make_run, step, write

THREE = ("training.epochs=3",)


def test_a_run_is_running_while_its_lock_is_held(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", [epoch(200, 1), step(300, 2)], THREE)
    with hold(path / ".lock"):
        assert Run.read(path).state == "running, in epoch 2 of 3"
        write(path, [epoch(200, 1), end(200, 1, "1-minute limit reached")])
        assert Run.read(path).state == "running, in the test"
    several = make_run(tmp_path / "several", [epoch(600, 3), end(600, 3, "done")], (*THREE, "training.members=2"))
    with hold(several / ".lock"):
        assert Run.read(several).state == "running, in its other models or the test"


def test_a_training_that_ends_while_its_run_is_read_is_not_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, ended = (make_run(tmp_path / name, [epoch(600, 3)], THREE) for name in ("run", "ended"))
    write(ended, [epoch(600, 3), end(600, 3, "all 3 epochs are done")])
    opened = os.open
    with ExitStack() as training:
        training.enter_context(hold(path / ".lock"))

        def open_as_it_ends(file: Any, *arguments: Any, **options: Any) -> int:
            descriptor = opened(file, *arguments, **options)
            if Path(os.fsdecode(file)) == path / "metrics.jsonl":
                (ended / "metrics.jsonl").replace(path / "metrics.jsonl")  # what is open has no end yet
                training.close()
            return descriptor

        monkeypatch.setattr(os, "open", open_as_it_ends)
        assert Run.read(path).state.startswith("running")
    monkeypatch.undo()
    assert Run.read(path).state.startswith("finished")


def test_the_state_of_an_interrupted_run_has_its_epoch_and_whether_it_is_resumable(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", [epoch(200, 1)], THREE)
    assert Run.read(path).state == "interrupted after epoch 1 of 3"
    write(path, [epoch(200, 1), step(300, 2), interrupted(320, 2, epochs=1.6)])
    assert Run.read(path).state == "interrupted in epoch 2 of 3"
    (path / "last").mkdir()
    (path / "last" / ".training.pt.unfinished").touch()  # what a kill leaves of the first checkpoint
    assert Run.read(path).state == "interrupted in epoch 2 of 3"
    (path / "last" / "training.pt").touch()
    assert Run.read(path).state == "interrupted in epoch 2 of 3 (resumable)"
    (path / "last" / "training.pt").rename(path / "last" / "previous.pt")  # from which it is resumed, too
    assert Run.read(path).state == "interrupted in epoch 2 of 3 (resumable)"


def test_the_state_of_an_ended_run_has_the_reason_and_whether_all_epochs_are_done(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", [epoch(200, 1), end(200, 1, "6-minute limit reached")], THREE)
    assert Run.read(path).state == "stopped: 6-minute limit reached"
    write(path, [epoch(600, 3), end(600, 3, "all 3 epochs are done")])
    assert Run.read(path).state == "finished: all 3 epochs are done"
    two = [*THREE, "training.members=2"]
    path = make_run(tmp_path / "two", [epoch(600, 3), end(600, 3, "all 3 epochs are done")], two)
    assert Run.read(path).state == "interrupted before all 2 models were trained"


def test_parameters_are_counted_in_the_file_of_weights(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", [])
    assert Run.read(path).parameters is None
    save_weights(path / BEST, {"a": np.zeros((3, 4), "f4"), "b": np.zeros(5, "f4"), "c": np.zeros((), "f4")})
    assert Run.read(path).parameters == 18
    (path / "best" / "model.safetensors").write_bytes(b"\xff" * 9)
    assert Run.read(path).parameters is None


def test_the_list_begins_with_the_run_that_changed_last(tmp_path: Path) -> None:
    for age, name in enumerate(("new", "middle", "old")):
        path = make_run(tmp_path / name, [])
        for file in path.iterdir():
            os.utime(file, (1e9 - age, 1e9 - age))
    assert [path.name for path in list_runs(tmp_path)] == ["new", "middle", "old"]


def test_other_folders_are_not_listed_and_damaged_runs_are(tmp_path: Path) -> None:
    make_run(tmp_path / "good", [])
    (tmp_path / "latest").write_text("good\n", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    (make_run(tmp_path / "bad", []) / "config.yaml").write_text("model: [", encoding="utf-8")
    (make_run(tmp_path / "poor", []) / "config.yaml").unlink()

    found = {path.name: run for path, run in list_runs(tmp_path).items()}
    assert found.keys() == {"good", "bad", "poor"}
    for name in ("bad", "poor"):
        assert re.search(f"{name}\\b.*config.yaml", str(found[name]))
    with pytest.raises(ModelFileError, match=r"bad/config\.yaml"):
        find_runs(["good", "bad"], tmp_path)


def test_a_run_is_found_by_name_and_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path / "runs" / "mine", [])
    make_run(tmp_path / "elsewhere", [])
    monkeypatch.chdir(tmp_path)

    assert [run.path for run in find_runs(["mine"], Path("runs"))] == [Path("runs/mine")]
    assert [run.path for run in find_runs(["runs/mine"], Path("runs"))] == [Path("runs/mine")]
    assert [run.path for run in find_runs(["elsewhere"], Path("runs"))] == [Path("elsewhere")]
    with pytest.raises(ModelFileError, match=r"did you mean runs/mine\?"):
        find_runs(["mien"], Path("runs"))
    with pytest.raises(ModelFileError, match="runs: not a run folder"):
        find_runs(["runs"], Path("nowhere"))


def test_only_keys_with_different_values_are_listed(tmp_path: Path) -> None:
    plain = Run.read(make_run(tmp_path / "a", []))
    other = Run.read(make_run(tmp_path / "b", [], ("training.lr=2e-3", "model.attention.score=dot")))

    assert config_differences([plain, plain]) == []
    rows = dict(config_differences([plain, other, plain]))
    assert rows.keys() == {"training.lr", "model.attention.score"}
    assert rows["training.lr"] == [1e-3, 2e-3, 1e-3]


def test_results_are_those_of_the_best_weights(tmp_path: Path) -> None:
    lines = [epoch(100, 1, bleu=20.0, loss=2.0), epoch(200, 2, bleu=19.0, loss=1.9, best=False)]
    run = Run.read(make_run(tmp_path / "a", [step(100, 1, rate=250.0), *lines, held_out(200, 2, bleu=18.5)]))
    fresh = Run.read(make_run(tmp_path / "b", []))
    rows = dict(results([run, fresh]))

    assert rows["best epoch"] == [1, None]
    assert rows["bleu"] == [20.0, None]
    assert rows["loss"] == [2.0, None]
    assert rows["test bleu"] == [18.5, None]
    assert rows["tokens/s"] == [250.0, None]
    assert rows["minutes"] == [200 / 60, None]
    assert "parameters" not in rows  # neither has weights


def test_scores_of_other_data_or_with_other_signatures_are_not_comparable(tmp_path: Path) -> None:
    plain = Run.read(make_run(tmp_path / "a", [epoch(1, 1)]))
    data = Run.read(make_run(tmp_path / "b", [epoch(1, 1)], fingerprint="g"))
    scored = Run.read(make_run(tmp_path / "c", [epoch(1, 1, signature="nrefs:1|tok:none")]))

    assert list(comparability([plain, plain])) == []
    assert "different data" in " ".join(comparability([plain, data]))
    assert "tok:none" in " ".join(comparability([plain, scored]))
