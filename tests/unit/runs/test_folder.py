import errno
import os
import pickle
import re
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.decoding.load import load_model, load_translator
from seq2seq_cli.errors import ModelFileError, TrainingError, UsageError
from seq2seq_cli.files.whole_folder import is_held
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.checkpoint import load_checkpoint, save_checkpoint
from seq2seq_cli.runs.folder import RunFolder, find_saved_last
from seq2seq_cli.runs.layout import LOCK, MARK
from seq2seq_cli.runs.records import read_history
from seq2seq_cli.runs.writer import METRICS_BYTES
from seq2seq_cli.text.sides import load_codecs
from seq2seq_cli.training.plan import Options, make_plan
from seq2seq_cli.training.session import Session, restore_state
from tests import records
from tests.folders import change_header, contents, disk_full_after
from tests.tiny import created, planned, started, tiny_config


@pytest.fixture
def session(corpus: PreparedCorpus, config: Config, run_path: Path) -> Session:
    """A run with both checkpoints, untrained."""
    session = started(run_path, config, corpus)
    session.run.save_best(session.state.model.weights())
    session.run.save_last(session.state.checkpoint())
    return session


def test_a_matrix_that_two_layers_share_is_saved_once_and_shared_when_loaded(
    corpus: PreparedCorpus, run_path: Path
) -> None:
    tied = ["model.decoder.readout=attentional", "model.decoder.embedding_size=12", "model.tied_embeddings=target"]
    session = started(run_path, tiny_config(corpus, *tied), corpus)
    session.run.save_best(session.state.model.weights())
    with safe_open(session.run.best_path, framework="pt") as file:
        names = set(file.keys())
    assert {"decoder.embedding.weight", "output.weight"} & names == {"decoder.embedding.weight"}
    model = load_model(session.run, session.run.read_best())
    assert model.output.weight is model.decoder.embedding.weight
    for name, weight in session.state.model.state_dict().items():
        assert torch.equal(model.state_dict()[name], weight), name


def test_the_newest_run_is_found_without_a_name(
    corpus: PreparedCorpus, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelFileError, match=r"no run with weights is in runs/: train one .*--model"):
        RunFolder.find(None)
    for time, name in ((2000, "first"), (1000, "second")):
        session = started(Path("runs") / name, config, corpus)
        session.run.save_best(session.state.model.weights())
        os.utime(session.run.best_path, (time, time))
    created(Path("runs/third"), config, corpus)  # has nothing to translate with yet
    assert RunFolder.find(None).path == Path("runs/first")


def test_the_run_saved_last_is_found_before_it_can_translate(
    corpus: PreparedCorpus, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelFileError, match="no run to resume"):
        find_saved_last()
    for time, name in ((2000, "finished"), (3000, "young"), (1000, "old")):
        session = started(Path("runs") / name, config, corpus)
        session.run.save_last(session.state.checkpoint())
        os.utime(session.run.last_path, (time, time))
        if name == "finished":
            session.run.save_best(session.state.model.weights())
    assert RunFolder.find(None).path == Path("runs/finished")
    assert find_saved_last() == Path("runs/young")
    Path("runs/young/last/training.pt").rename("runs/young/last/previous.pt")
    assert find_saved_last() == Path("runs/young")
    member = Path("runs/old/members/2/last/training.pt")
    member.parent.mkdir(parents=True)
    member.touch()
    assert find_saved_last() == Path("runs/old")


def test_a_run_has_a_name(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    path = session.run.path
    monkeypatch.chdir(path.parent)
    Path("runs").mkdir()
    shutil.copytree(path, "runs/mine")
    for name in ("mine", "runs/mine"):
        assert RunFolder.find_model(Path(name)).path == Path("runs/mine")
    Path("friend.zip").touch()
    with pytest.raises(ModelFileError, match=r"^friend\.zip: not a run folder: .* unpack it, and name the folder$"):
        RunFolder.find_model(Path("friend.zip"))


def test_weights_are_found_from_inside_their_folder(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(session.run.best_path.parent)
    found = RunFolder.find_model(Path(session.run.best_path.name))
    assert found.path.resolve() == session.run.path.resolve()


def test_a_run_is_not_overwritten_unasked(session: Session) -> None:
    config, corpus, path = session.config, session.corpus, session.run.path
    with pytest.raises(UsageError, match=r"--resume.*--overwrite.*--out"):
        created(path, config, corpus)
    (path / "epochs").mkdir()
    for name in ("notes.txt", "epochs/0007-good.safetensors", "epochs/0007.safetensors"):
        (path / name).write_text("mine", encoding="utf-8")
    created(path, config, corpus, overwrite=True)
    assert (path / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert [file.name for file in (path / "epochs").iterdir()] == ["0007-good.safetensors"]
    assert not session.run.best_path.exists()


def test_a_run_that_was_half_made_or_half_removed_when_it_was_killed_is_replaced(
    session: Session, config: Config, corpus: PreparedCorpus
) -> None:
    path = session.run.path
    for left in ([MARK, "codec"], [MARK], [".unfinished"]):
        for content in path.iterdir():
            if content.name not in left:
                shutil.rmtree(content) if content.is_dir() else content.unlink()
        if not path.joinpath(left[0]).exists():
            path.joinpath(left[0]).mkdir()
        created(path, config, corpus, overwrite=True)
        assert load_codecs(path) == corpus.codecs


@pytest.mark.skipif(os.name == "nt", reason="no such names")
def test_names_that_are_not_utf8_are_refused_before_anything_is_made(
    corpus: PreparedCorpus, config: Config, tmp_path: Path
) -> None:
    odd = tmp_path / "\udcff"  # how Python writes the byte FF of a name
    for path, data in ((odd, corpus), (tmp_path / "run", replace(corpus, path=odd))):
        with pytest.raises(UsageError, match="the name is not UTF-8"):
            created(path, config, data)
    assert not odd.exists()
    assert not (tmp_path / "run").exists()


def test_damaged_and_foreign_weights_are_refused_in_words(session: Session) -> None:
    path = session.run.best_path
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[-1] ^= 1
    for damage in (b"", b"PK\x03\x04 not weights", whole[:100], whole[:-1], bytes(changed)):
        path.write_bytes(damage)
        with pytest.raises(ModelFileError, match=r"model\.safetensors: damaged"):
            load_translator(session.run)
    path.write_bytes(whole)
    change_header(path, lambda header: header.update(__metadata__={"s2s": '{"format": 99}'}))
    with pytest.raises(ModelFileError, match=r"newer s2s.*upgrade"):
        load_translator(session.run)
    change_header(path, lambda header: header.update(__metadata__={"made_by": "somebody"}))
    with pytest.raises(ModelFileError, match="not a file of s2s"):
        load_translator(session.run)
    path.unlink()
    with pytest.raises(ModelFileError, match="no epoch of this run is finished"):
        load_translator(session.run)


class Bomb:
    """Unpickled, it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (self.path,))


def test_a_checkpoint_cannot_run_code(session: Session, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    save_checkpoint(session.run.last_path, {"model": Bomb(trap)})
    with pytest.raises(ModelFileError, match=r"training\.pt: damaged"):
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
    session.run.last_path.write_bytes(pickle.dumps(Bomb(trap)))
    session.run.last_path.with_name("previous.pt").unlink()
    with pytest.raises(ModelFileError, match=r"training\.pt: damaged"):
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
    assert not trap.exists()


@pytest.mark.parametrize("room", [0, 5_000])
def test_a_save_that_fails_leaves_what_was_saved_before_it(session: Session, room: int) -> None:
    run, model = session.run, session.state.model
    saves: list[Any] = [
        lambda: run.save_last(session.state.checkpoint()),
        lambda: run.save_best(model.weights()),
        lambda: run.save_epoch(model.weights(), 2, 1),
        lambda: run.save_pairs({"src": np.arange(1 << 16)}),
    ]
    run.save_epoch(model.weights(), 1, 1)
    run.save_pairs({"src": np.arange(1)})
    before = contents(run.path)
    with torch.no_grad():
        next(model.parameters()).add_(1)
    for save in saves:
        with (
            disk_full_after(room),
            pytest.raises(TrainingError, match=r": cannot be written: File too large; what was saved .* is untouched"),
        ):
            save()
        assert contents(run.path) == before
    run.save_last(session.state.checkpoint())
    assert contents(run.path) != before


def test_a_damaged_checkpoint_gives_way_to_the_one_before_it(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    for step in (7, 8):
        session.state.progress.step = step
        session.run.save_last(session.state.checkpoint())
    whole = session.run.last_path.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    for damage in (b"", whole[:-1], bytes(changed)):
        session.run.last_path.write_bytes(damage)
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
        assert session.state.progress.step == 7
        assert re.fullmatch(r".*training\.pt: damaged: going on from .*previous\.pt, .*", caplog.messages[-1])
    assert len(caplog.messages) == 3
    session.run.last_path.unlink()
    restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
    assert session.state.progress.step == 7
    assert re.fullmatch(r".*training\.pt: missing: going on from .*previous\.pt, .*", caplog.messages[-1])
    session.run.last_path.write_bytes(b"")
    # The damaged one does not take the place of the one that is whole.
    session.run.save_last(session.state.checkpoint())
    session.run.last_path.write_bytes(b"")
    restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
    assert session.state.progress.step == 7


def test_without_one_before_it_a_damaged_checkpoint_is_refused_in_words(session: Session) -> None:
    path = session.run.last_path
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r"training\.pt: damaged.*--overwrite"):
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))
    path.unlink()
    with pytest.raises(ModelFileError, match="nothing to resume from"):
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))


def test_a_checkpoint_of_a_newer_s2s_or_of_another_model_is_refused_in_words(session: Session, tmp_path: Path) -> None:
    path = session.run.last_path
    larger = tiny_config(session.corpus, "model.encoder.hidden_size=14", "model.decoder.hidden_size=14")
    state = started(tmp_path / "larger", larger, session.corpus).state
    with pytest.raises(ModelFileError, match=r"not a checkpoint of this model on cpu"):
        restore_state(session.run, state, load_checkpoint(session.run.last_path))
    path.write_bytes(path.read_bytes().replace(b'{"format": 1,', b'{"format": 9,'))
    with pytest.raises(ModelFileError, match=r"newer s2s \(format 9, .*upgrade"):
        restore_state(session.run, session.state, load_checkpoint(session.run.last_path))


def chosen_model(path: Path) -> Seq2Seq:
    chosen = RunFolder.find_model(path)
    return load_model(chosen, chosen.read_best())


def test_the_weights_of_the_newest_epochs_are_kept_and_translate(session: Session) -> None:
    run, model = session.run, session.state.model
    kept = []
    for epoch in (1, 2, 4, 7):  # not every epoch has a validation
        with torch.no_grad():
            model.output.bias.fill_(epoch)
        run.save_epoch(model.weights(), epoch, 2)
        kept.append(sorted(path.name for path in (run.path / "epochs").iterdir()))
    assert kept == [
        ["0001.safetensors"],
        ["0001.safetensors", "0002.safetensors"],
        ["0002.safetensors", "0004.safetensors"],
        ["0004.safetensors", "0007.safetensors"],
    ]
    fourth = chosen_model(run.path / "epochs" / "0004.safetensors")
    assert fourth.output.bias[0].item() == 4
    assert chosen_model(run.path).output.bias[0].item() not in (1, 2, 4, 7)
    with pytest.raises(ModelFileError, match=r"0001\.safetensors: no such file"):
        RunFolder.find_model(run.path / "epochs" / "0001.safetensors")

    run.save_epoch(model.weights(), 9, 0)  # keeps none, and leaves alone what was kept
    run.save_epoch(model.weights(), 3, 2)  # gone on with from before epoch 4
    assert [path.name for path in (run.path / "epochs").iterdir()] == ["0003.safetensors"]


def test_a_run_has_one_training_at_a_time(session: Session) -> None:
    run, config, corpus = session.run, session.config, session.corpus
    assert not is_held(run.path / LOCK)
    before = contents(run.path)
    with ExitStack() as held:
        make_plan(Options(resume=True, out=run.path), locks=held)
        assert is_held(run.path / LOCK)
        refusal = r"runs.tiny: a training is running in it.*--out"
        for options in (Options(resume=True, out=run.path), Options(resume=True, out=run.path, data=corpus.path)):
            with pytest.raises(UsageError, match=refusal):
                planned(options)
        with pytest.raises(UsageError, match=refusal):
            created(run.path, config, corpus, overwrite=True)
        assert contents(run.path) == before
    assert not is_held(run.path / LOCK)
    planned(Options(resume=True, out=run.path))


def test_a_folder_that_cannot_be_emptied_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.replace", read_only)
    with pytest.raises(UsageError, match=r"cannot be made: Read-only file system.*--out"):
        created(session.run.path, session.config, session.corpus, overwrite=True)


@pytest.mark.parametrize("record", ['{"format": 1}', '{"format": 1, "folder": 5, "fingerprint": "f"}'])
def test_a_record_without_its_corpus_is_refused(session: Session, record: str) -> None:
    (session.run.path / "corpus.json").write_text(record, encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"corpus\.json: damaged"):
        session.run.provenance()


def test_metrics_that_cannot_be_written_are_told(session: Session) -> None:
    (session.run.path / "metrics.jsonl").mkdir()
    with pytest.raises(TrainingError, match=r"metrics\.jsonl: cannot be written"):
        session.run.append_metrics(records.step(5, 1))


def test_metrics_after_the_checkpoint_are_dropped_whole_or_truncated(session: Session) -> None:
    session.run.append_metrics(records.step(5, 1))
    session.run.save_last(session.state.checkpoint())
    session.run.append_metrics(records.epoch(5, 1))
    path = session.run.path / "metrics.jsonl"
    path.write_bytes(path.read_bytes() + b'\xff\x00 not JSON\n{"step": 6, "lo')
    for _ in range(2):
        session.run.cut_metrics(load_checkpoint(session.run.last_path)[METRICS_BYTES])
        assert read_history(session.run.path).records == [records.step(5, 1)]
    path.unlink()  # the user's own doing
    session.run.cut_metrics(load_checkpoint(session.run.last_path)[METRICS_BYTES])
    assert not path.exists()


@pytest.mark.parametrize(("number", "code"), [(errno.EROFS, 2), (errno.ENOSPC, 1)])
def test_a_lock_that_cannot_be_made_is_told_with_a_cure(
    session: Session, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    real = os.open

    def refuse(path: Any, *arguments: Any, **options: Any) -> int:
        if Path(os.fsdecode(path)).name == ".lock":
            raise OSError(number, "refused")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(TrainingError, match=r"\.lock: cannot be locked: refused; choose .*--out") as raised:
        session.run.lock()
    assert raised.value.exit_code == code
