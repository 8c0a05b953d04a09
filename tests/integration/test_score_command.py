"""``s2s score``: the probability of given translations, with runs of small untrained models."""

import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Done, s2s_here
from tests.untrained import make_run

SOURCES = ["She kissed him.", "", "He saw the dog.", "The dog?"]
TARGETS = ["sie küsste ihn.", "", "er sah den Quokka.", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("score")
    make_run(folder / "runs" / "newest")
    make_run(folder / "runs" / "location", score="location")
    (folder / "src.txt").write_text("".join(f"{line}\n" for line in SOURCES), encoding="utf-8")
    (folder / "tgt.txt").write_text("\r\n".join(TARGETS) + "\r\n", encoding="utf-8")
    (folder / "short.txt").write_text("sie küsste ihn.\n\n", encoding="utf-8")
    return folder


def s2s_score(*arguments: str, folder: Path) -> Done:
    return s2s_here(folder, "score", "--device", "cpu", "--model", "runs/newest", *arguments)


def scored(*arguments: str, folder: Path) -> list[dict[str, Any]]:
    done = s2s_score("--format", "json", *arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_files_are_scored_line_by_line_and_together(folder: Path) -> None:
    *pairs, total = scored("src.txt", "tgt.txt", folder=folder)
    assert [pair["tokens"] for pair in pairs] == [5, 0, 6, 1]
    assert [pair["unknown"] for pair in pairs] == [[], [], ["Quokka"], []]
    assert pairs[1]["log_probability"] == 0
    for pair, source, target in zip(pairs, SOURCES, TARGETS, strict=True):
        assert (pair["source"], pair["translation"]) == (source, target)
        # A pair has the same score alone.
        [alone, _] = scored(source, target, folder=folder)
        assert alone["log_probability"] == pytest.approx(pair["log_probability"], abs=1e-5)
    assert total["pairs"] == 4
    assert total["tokens"] == 12
    assert total["log_probability"] == pytest.approx(sum(pair["log_probability"] for pair in pairs), abs=1e-5)
    assert total["score"] == pytest.approx(total["log_probability"] / 12, abs=1e-5)
    assert total["perplexity"] == pytest.approx(math.exp(-total["score"]), rel=1e-4)


@pytest.mark.skipif(os.name == "nt", reason="a named pipe")
def test_pipes_are_files(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        written = pool.submit((tmp_path / "pipe").write_bytes, (folder / "src.txt").read_bytes())
        assert scored(str(tmp_path / "pipe"), "tgt.txt", folder=folder) == scored("src.txt", "tgt.txt", folder=folder)
        written.result()


def test_the_same_as_text(folder: Path) -> None:
    pair, total = scored(SOURCES[0], TARGETS[0], folder=folder)
    log_probability, score = f"{pair['log_probability']:.4f}", f"{pair['score']:.4f}"
    text = s2s_score(SOURCES[0], TARGETS[0], folder=folder).stdout
    assert text.splitlines() == [
        f"log-probability {log_probability} of 5 tokens, score {score}, confidence {pair['confidence']:.4f}",
        f"all 1: log-probability {log_probability} of 5 tokens, score {score}, perplexity {total['perplexity']:.4f}",
    ]


def test_the_pairs_before_a_bad_line_are_scored(folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"sie\n\nk\xfcsste\n")
    done = s2s_score("src.txt", "bad.txt", folder=folder)
    assert (done.returncode, done.stdout.count("\n")) == (2, 2)
    assert done.stderr == "s2s: error: bad.txt:3:2: byte 0xfc is not UTF-8: save it as plain text in UTF-8\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["src.txt", "short.txt"], "src.txt:3: has no partner in short.txt"),
        (["short.txt", "tgt.txt"], "tgt.txt:3: has no partner in short.txt"),
        (["src.txt", "none.txt"], "none.txt: no such file, but src.txt is one"),
        (["--model", "runs/location", "She saw him and the dog.", "sie"], "SRC: 8 tokens, <eos> counted"),
    ],
)
def test_what_cannot_be_scored_is_refused(folder: Path, arguments: list[str], told: str) -> None:
    done = s2s_score(*arguments, folder=folder)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert told in line
