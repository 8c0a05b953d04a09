"""``s2s train`` as a user types it, from a pair file to a translation."""

import json
import os
import re
import shutil
import signal
from math import nan
from pathlib import Path

import pytest

from seq2seq_cli.runs.records import read_history
from tests.commands import Done, refused, s2s_here, succeeded, with_modules
from tests.corpora import reversed_words, symbol_sequences, write_reversals
from tests.folders import contents
from tests.forks import Forked
from tests.waiting import wait_until

SMALL = (
    *("--set", "model.encoder.hidden_size=8", "--set", "model.decoder.hidden_size=16"),
    *("--set", "model.encoder.embedding_size=16", "--set", "model.decoder.embedding_size=16"),
    *("--set", "training.precision=fp32"),
)
# More epochs than any test waits for.
ENDLESS = ("--set", "training.epochs=100000")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a prepared corpus and a short run of luong_dot."""
    folder = tmp_path_factory.mktemp("home")
    write_reversals(folder / "pairs.txt", 300)
    succeeded(s2s_here(folder, "prepare", "pairs.txt"))
    done = succeeded(s2s_here(folder, "train", "--config", "luong_dot.yaml", *SMALL, "--set", "training.epochs=2"))
    (folder / "train.out").write_text(done.stdout, encoding="utf-8")
    (folder / "train.err").write_text(done.stderr, encoding="utf-8")
    return folder


def test_results_go_to_stdout_and_progress_to_stderr(home: Path) -> None:
    out, err = ((home / name).read_text(encoding="utf-8") for name in ("train.out", "train.err"))
    assert "BLEU on the test split" in out
    assert "\nUsable for nothing yet: " in out
    assert " in training), " in out
    assert out.count("(reference: ") == 5
    assert "To translate: s2s translate --model runs/luong_dot '" in out
    assert [line.split(":")[0] for line in err.splitlines()[1:]] == ["epoch 1", "epoch 2", "finished"]
    assert "\r" not in err  # no bar where nobody watches


def test_the_run_folder_holds_what_the_design_says(home: Path) -> None:
    run = home / "runs" / "luong_dot"
    names = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    assert names == {
        *("config.yaml", "corpus.json", "trained.json", "metrics.jsonl", "README.md", ".lock", ".s2s-run"),
        *("codec/src.json", "codec/tgt.json", "last/training.pt", "last/previous.pt"),
        *("best/model.safetensors", "best/export.json"),
        *(f"best/{name}.onnx" for name in ("encoder", "decoder", "features", "search")),
    }
    epochs = read_history(run).validations
    assert [record.epoch for record in epochs] == [1, 2]
    assert all(record.signatures["bleu"].startswith("nrefs:1|case:mixed") for record in epochs)
    assert "BLEU on the test split" in (run / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--set", "training.epchs=3"], "epchs"),
        (["--set", "text.unit=character"], "text.unit is character"),
        (["--config", "luong_dot", "--set", "text.tgt.spacing=false"], "spacing is false, data/prepared has true"),
        (["--init-from", "runs/luong_dot", "--config", "luong_general"], "score"),
        (["--minutes", "0"], "--minutes: 0 is no time"),
        (["--minutes", "6", "--set", "training.max_minutes=6"], "--minutes"),
        (["--minutes", "6", "--hours", "1"], "--hours"),
    ],
    ids=["unknown key", "dial", "another corpus", "another model", "no time", "one limit twice", "minutes and hours"],
)
def test_a_mistake_is_told_before_what_takes_long_is_loaded(home: Path, arguments: list[str], word: str) -> None:
    done, modules = with_modules(home, "train", "--out", "runs/mistaken", *arguments)
    refused(done, word)
    assert not {"torch", "spacy"} & modules
    assert not (home / "runs" / "mistaken").exists()


@pytest.mark.parametrize("command", ["train", "translate"])
def test_a_device_that_is_not_there_is_refused(home: Path, command: str) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a cuda device")
    arguments = ["a"] if command == "translate" else ["--config", "luong_dot", "--out", "runs/cuda"]
    refused(s2s_here(home, command, "--device", "cuda", *arguments), "cuda", "cpu")
    assert not (home / "runs" / "cuda").exists()


def test_a_resumed_run_tells_what_changed_and_refuses_what_it_cannot_change(home: Path) -> None:
    shutil.copytree(home / "runs" / "luong_dot", home / "runs" / "changed")
    resume = ("train", "--resume", "--out", "runs/changed")
    refused(s2s_here(home, *resume, "--set", "model.attention.score=general"), "dot -> general", "cannot be resumed")
    done = succeeded(s2s_here(home, *resume, "--set", "training.epochs=3", "--set", "training.lr=5e-4"))
    assert "training.epochs: 2 -> 3 (applied)" in done.stderr
    assert "training.lr: 0.008 -> 0.0005 (applied)" in done.stderr
    assert "epoch 3:" in done.stderr
    assert "epoch 2:" not in done.stderr
    folder = home / "data" / "prepared"
    folder.rename(home / "elsewhere")
    try:
        missing = "the prepared folder of runs/changed is missing: name its new place with --data"
        refused(s2s_here(home, *resume), missing)
        succeeded(s2s_here(home, *resume, "--data", "elsewhere"))
        succeeded(s2s_here(home, *resume))  # its new place is known now
    finally:
        (home / "elsewhere").rename(folder)


def test_an_old_model_learns_from_new_data_and_stays_as_it_is(home: Path) -> None:
    old = home / "runs" / "luong_dot"
    before = contents(old)
    sequences = symbol_sequences(200, shortest=3, longest=6, seed=3)
    lines = "".join(f"{s}\t{reversed_words(s)}\n" for s in sequences)
    (home / "more.txt").write_text(lines.replace("a", "x"), encoding="utf-8")
    succeeded(s2s_here(home, "prepare", "more.txt", "--out", "data/more"))

    more = ("train", "--data", "data/more", "--set", "training.epochs=1")
    done = succeeded(s2s_here(home, *more, "--init-from", "runs/luong_dot"))
    assert re.search(r"begun with the weights of runs/luong_dot, \d+ of \d+ units shared$", done.stderr, re.M)
    succeeded(s2s_here(home, *more, "--config", "luong_dot", *SMALL, "--out", "runs/scratch"))

    continued = home / "runs" / "luong_dot_continued"
    loss, other = (read_history(run).validations[0].loss or nan for run in (continued, home / "runs" / "scratch"))
    assert loss < other
    assert "`luong_dot`" in (continued / "README.md").read_text(encoding="utf-8")
    translated = s2s_here(home, "translate", "--model", "runs/luong_dot_continued", "b x c")
    assert (translated.returncode, translated.stdout.count("\n")) == (0, 1)
    assert contents(old) == before


def test_weights_for_another_model_or_other_units_are_refused_in_words(home: Path) -> None:
    begin = ("train", "--init-from", "runs/luong_dot", "--out", "runs/refused")
    refused(
        s2s_here(home, *begin, "--config", "luong_general"),
        "model.encoder.hidden_size is 128, runs/luong_dot has 8; ",
        "model.attention.score is general, runs/luong_dot has dot; ",
    )
    (home / "few.txt").write_text("a b\tb a\n" * 2 + "b a\ta b\n" * 2, encoding="utf-8")
    succeeded(s2s_here(home, "prepare", "few.txt", "--set", "text.unit=word", "--out", "data/few"))
    refused(s2s_here(home, *begin, "--data", "data/few"), "text.unit is word, ", "prepare with --set text.unit=bpe")
    refused(s2s_here(home, *begin, "--resume"), "--resume", "--init-from")
    assert not (home / "runs" / "refused").exists()


def start_training(folder: Path, name: str) -> Forked:
    """Start a training that does not end, and wait for its first record."""
    (folder / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    environment.pop("TORCHINDUCTOR_CACHE_DIR", None)  # torch has set it when it trained in this process
    arguments = ("train", "-c", "luong_dot", *SMALL, *ENDLESS, "--out", f"runs/{name}")
    process = Forked(folder, *arguments, environment=environment)
    metrics = folder / "runs" / name / "metrics.jsonl"
    wait_until(metrics.is_file, of=process)
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_asked_to_stop_it_saves_and_says_how_to_go_on(home: Path, number: signal.Signals, code: int) -> None:
    name = number.name.lower()
    process = start_training(home, name)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert not list((home / "tmp").iterdir())
    last = err.splitlines()[-1]
    assert last.startswith("s2s: interrupted ")
    place = last.removeprefix("s2s: ").partition(", at step ")[0]
    listed = s2s_here(home, "runs").stdout
    assert f"; {place} (resumable)\n" in listed
    (epochs,) = re.findall(rf"^{name} .* ([\d.]+) of 100000 ", listed, flags=re.MULTILINE)
    card = (home / "runs" / name / "README.md").read_text(encoding="utf-8")
    assert f"training: {epochs} epoch" in card
    command = last.split("Resume with: s2s ")[1].split()
    assert command == ["train", "--resume", "--out", f"runs/{name}"]
    succeeded(s2s_here(home, *command, "--set", "training.epochs=1"))
    assert '"interrupt"' not in (home / "runs" / name / "metrics.jsonl").read_text(encoding="utf-8")


def resume_together(home: Path, name: str) -> list[Done]:
    """Two trainings that resume the same run at the same moment; the one that got it is stopped then."""
    processes = [Forked(home, "train", "--resume", "--out", f"runs/{name}", *ENDLESS) for _ in range(2)]
    wait_until(lambda: any(process.poll() is not None for process in processes))
    done = []
    for process in sorted(processes, key=lambda process: process.poll() is None):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        done.append(process.done(timeout=60))
    return done


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_of_two_that_resume_a_run_together_one_is_refused(home: Path, times: int) -> None:
    name = f"contended{times}"
    start = ("train", "-c", "luong_dot", *SMALL, "--set", "training.epochs=1", "--out", f"runs/{name}")
    succeeded(s2s_here(home, *start))
    for _ in range(times):
        late, trained = resume_together(home, name)
        refused(late, f"runs/{name}: a training is running in it")
        assert trained.returncode in (143, -signal.SIGTERM), trained.stderr
    steps = [json.loads(line)["step"] for line in (home / "runs" / name / "metrics.jsonl").read_text().splitlines()]
    assert steps == sorted(steps)
    succeeded(s2s_here(home, "translate", "--model", f"runs/{name}", "a b c"))
