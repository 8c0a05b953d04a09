"""``training.members``: several models are trained side by side, and translate together."""

import multiprocessing
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli import train
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import Interrupted, S2SError
from seq2seq_cli.files.whole_folder import is_held
from seq2seq_cli.runs.folder import RunFolder, resume_command
from seq2seq_cli.runs.layout import BEST, FEATURE_FILES, LOCK, METRICS, PAIR_FILES
from seq2seq_cli.runs.records import EndRecord, InterruptRecord, read_history
from seq2seq_cli.runs.weights import read_weights, save_weights
from seq2seq_cli.training.events import Step
from tests.commands import SMALL, refused, s2s_here, settings
from tests.corpora import write_reversals
from tests.forks import Forked
from tests.waiting import wait_until

TEXT = "a b c"
SHORT = [*SMALL, "training.epochs=1", "training.precision=fp32", "training.batch_size=64", "decoding.similar_pairs=2"]
TRAIN = ("train", "--config", "luong_general", "--out", "runs/two", *settings(*SHORT))
TWO = ("--set", "training.members=2")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two hundred prepared pairs and a run of two models."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt")
    assert s2s_here(folder, "prepare", "pairs.txt", "--languages", "en-de").returncode == 0
    done = s2s_here(folder, *TRAIN, *TWO)
    assert done.returncode == 0, done.stderr
    assert "BLEU on the test split, 2 models, beam 5, 2 similar pairs: " in done.stdout
    return folder


def translation(folder: Path, *models: str) -> str:
    done = s2s_here(folder, "translate", *(word for model in models for word in ("--model", model)), TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_other_model_is_trained_alike_with_another_seed(home: Path) -> None:
    first, other = (RunFolder(member.path).config() for member in RunFolder(home / "runs/two").members)
    assert first.training.seed == 1 != other.training.seed
    alike = other.training.model_copy(update={"seed": 1, "members": 2})
    assert other.model_copy(update={"training": alike}) == first


def test_they_translate_as_runs_that_are_named_together(home: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        shutil.copytree(home / "runs/two" / ("" if name == "one" else "members/2"), tmp_path / name)
    (tmp_path / "one" / "members.json").unlink()
    found, expected, alone = (
        load(runs).explain(TEXT)
        for runs in (home / "runs/two", [tmp_path / "one", tmp_path / "other"], tmp_path / "one")
    )
    assert found.sentences[0].log_probability == expected.sentences[0].log_probability
    assert found.sentences[0].log_probability != alone.sentences[0].log_probability
    assert load(home / "runs/two/best/model.safetensors").explain(TEXT).text == alone.text


def test_they_consult_the_pairs_of_the_first_by_features_that_both_keep_or_compute(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "runs/two", tmp_path / "two")
    by_kept = load(tmp_path / "two").explain(TEXT).sentences[0].log_probability
    (tmp_path / "two/members/2" / PAIR_FILES["src"]).write_bytes(b"other pairs")
    by_computed = load(tmp_path / "two").explain(TEXT).sentences[0].log_probability
    (tmp_path / "two/members/2" / FEATURE_FILES["weights"]).unlink()
    assert load(tmp_path / "two").explain(TEXT).sentences[0].log_probability == by_computed
    assert by_kept != by_computed == pytest.approx(by_kept, rel=0.05)
    (tmp_path / "two" / PAIR_FILES["src"]).unlink()
    refused(s2s_here(tmp_path, "translate", "--model", "two", TEXT), "missing or damaged")


def test_one_that_computes_nan_is_told(home: Path, tmp_path: Path) -> None:
    run = shutil.copytree(home / "runs/two", tmp_path / "two")
    weights = {name: array.copy() for name, array in read_weights(run / "members/2" / BEST).items()}
    weights["output.bias"][-1] = np.nan
    save_weights(run / "members/2" / BEST, weights)
    for command in (("translate", "--model", "two", TEXT), ("score", "--model", "two", TEXT, TEXT)):
        refused(s2s_here(tmp_path, *command), "members/2/best/decoder.onnx: it computes NaN")
    refused(s2s_here(tmp_path, "export", "two", "two.zip"), "members/2/best/model.safetensors")


def test_a_zip_file_has_all_of_them_and_a_page_tells_that_it_has_one(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    done = s2s_here(home, "export", "runs/two", "two.zip", "--with-pairs")
    assert (done.returncode, done.stderr) == (0, "")
    shutil.unpack_archive(home / "two.zip", tmp_path)
    assert translation(tmp_path, "two") == translation(home, "runs/two")
    done = s2s_here(home, "export", "runs/two", "two.html", "--with-pairs")
    assert done.returncode == 0
    assert "of its 2 models, the first alone is exported: a .zip has all" in caplog.text
    assert "It was tested with its other models; without, as on this page, it is less good." in (
        (home / "two.html").read_text("utf-8")
    )


def test_models_that_are_not_all_trained_do_not_count_until_they_are(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    run = RunFolder(again / "runs/two")
    weights = run.members[1].best_path.read_bytes()
    shutil.rmtree(run.path / "members")
    (run.path / "members.json").unlink()
    assert run.members == [run]
    done = s2s_here(again, "train", "--resume", "--out", "runs/two")
    assert done.returncode == 0, done.stderr
    assert run.members[1].best_path.read_bytes() == weights  # trained anew, with the same seed
    done = s2s_here(again, "train", "--resume", "--out", "runs/two", "--set", "training.members=1")
    assert "BLEU on the test split, beam 5" in done.stdout
    assert run.members == [run]


def test_what_stops_one_of_them_tells_how_to_go_on_with_all(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    (again / "runs/two/members/2/last/training.pt").write_bytes(b"")
    (again / "runs/two/members/2/last/previous.pt").unlink(missing_ok=True)
    assert s2s_here(again, "train", "--resume", "--out", "runs/two").returncode == 2
    assert resume_command(again / "runs/two/members/2") == resume_command(again / "runs/two")
    assert "members/anna" in resume_command(Path("members/anna"))


def test_a_stop_stops_all_of_them_and_tells_how_to_go_on_to_the_same_weights(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shutil.copytree(home, tmp_path / "again"))
    notes = Path("runs/two/members/2/notes.txt")
    notes.write_text("mine")  # the user's, in the place of the other

    def stop(event: object) -> None:
        if isinstance(event, Step):
            wait_until(lambda: RunFolder(Path("runs/two/members/2")).has_checkpoint)
            signal.raise_signal(signal.SIGINT)

    overrides = [*SHORT, "training.members=2"]
    with pytest.raises(Interrupted, match=r"kept. Resume with: s2s train --resume --out runs/two$"):
        train("luong_general", out="runs/two", overwrite=True, overrides=overrides, on_event=stop)
    assert RunFolder(Path("runs/two")).members == [RunFolder(Path("runs/two"))]
    train(out="runs/two", resume=True)
    assert notes.read_text() == "mine"
    for member, expected in zip(RunFolder(Path("runs/two")).members, RunFolder(home / "runs/two").members, strict=True):
        assert member.best_path.read_bytes() == expected.best_path.read_bytes()


def test_the_death_of_another_is_told_at_once_and_a_resume_comes_to_the_same_weights(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(shutil.copytree(home, tmp_path / "again"))

    def kill(event: object) -> None:
        if isinstance(event, Step) and event.step == 1:
            for other in multiprocessing.active_children():
                other.kill()
            wait_until(lambda: "one of the processes has failed, and any others go on: a process died" in caplog.text)

    overrides = [*SHORT, "training.members=2"]
    with pytest.raises(S2SError, match="a process died"):
        train("luong_general", out="runs/two", overwrite=True, overrides=overrides, on_event=kill)
    assert isinstance(read_history(Path("runs/two")).records[-1], EndRecord)
    train(out="runs/two", resume=True)
    for member, expected in zip(RunFolder(Path("runs/two")).members, RunFolder(home / "runs/two").members, strict=True):
        assert member.best_path.read_bytes() == expected.best_path.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow), (signal.SIGKILL, -9)],
)
def test_the_others_save_when_the_command_stops_or_dies(home: Path, number: signal.Signals, code: int) -> None:
    run = home / "runs" / number.name.lower()
    endless = ("--set", "training.epochs=100000")
    process = Forked(home, "train", "--config", "luong_general", "--out", str(run), *settings(*SHORT), *TWO, *endless)
    other = run / "members/2"
    wait_until((other / METRICS).is_file, of=process)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == code
    wait_until(lambda: isinstance(read_history(other).records[-1], InterruptRecord))
    wait_until(lambda: not is_held(other / LOCK))


def test_a_member_that_is_missing_is_told(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    shutil.rmtree(again / "runs/two/members/2")
    refused(s2s_here(again, "translate", "--model", "runs/two", TEXT), "members/2")
    (again / "runs/two/members.json").write_text('{"format": 1, "members": "two"}', encoding="utf-8")
    refused(s2s_here(again, "translate", "--model", "runs/two", TEXT), "members.json: damaged")


def test_a_run_that_replaces_them_has_no_members(home: Path, tmp_path: Path) -> None:
    again = shutil.copytree(home, tmp_path / "again")
    notes = again / "runs/two/members/2/notes.txt"
    notes.write_text("mine")
    done = s2s_here(again, *TRAIN, "--overwrite")
    assert done.returncode == 0, done.stderr
    assert (notes.read_text(), len(RunFolder(again / "runs/two").members)) == ("mine", 1)


def test_both_begin_with_the_weights_of_another_run(home: Path) -> None:
    done = s2s_here(home, "train", "--init-from", "runs/two/members/2", *settings(*SHORT), *TWO, "--out", "runs/more")
    assert done.returncode == 0, done.stderr
    assert "and 1 other model beside it" in done.stderr
    assert [each.provenance().init_from for each in RunFolder(home / "runs/more").members] == 2 * ["runs/two/members/2"]
    options = ("--init-from", "runs/two/members/2", "--out", "runs/two", "--overwrite")
    refused(s2s_here(home, "train", *options), "--init-from does not change")


def test_torchrun_trains_one_model(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    refused(s2s_here(home, *TRAIN, *TWO, "--overwrite"), "training.members", "under torchrun")
