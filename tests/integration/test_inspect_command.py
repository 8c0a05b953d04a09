"""``s2s inspect`` as a user types it."""

import re
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.text.sides import SIDES
from tests.commands import output_of, refused, s2s_here, succeeded
from tests.corpora import forge_record, prepared

SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample.txt"


@pytest.fixture
def corpus(tmp_path: Path) -> PreparedCorpus:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()[::40]
    pairs = [(src, tgt) for src, tgt in (line.split("\t") for line in lines)]
    return prepared(tmp_path / "data", pairs, ["text.tgt.spacing=true"])


def test_the_report_has_every_part(corpus: PreparedCorpus, tmp_path: Path) -> None:
    report = output_of(s2s_here(tmp_path, "inspect", "data/prepared"))
    head, splits, leakage, lengths, unknown, *examples = report.rstrip("\n").split("\n\n")
    assert "en to de, unit word" in head
    assert "all unchanged" in head
    for split in ("train", "valid", "test"):
        assert re.search(rf"^{split} +{corpus.manifest.splits[split].pairs} ", splits, re.MULTILINE)
    assert [line.split()[-2:] for line in leakage.splitlines()[1:]] == [["0", "0"]] * 3
    longest = [max(max(corpus.split(split).side(side).lengths) for split in SPLITS) for side in SIDES]
    assert lengths.splitlines()[-1].split()[-2:] == list(map(str, longest))
    assert unknown.startswith("unknown words of train and valid; src: ")
    assert examples[0] == "10 random pairs (--seed 1)"
    assert len(examples) == 11
    assert all(len(example.splitlines()) == 4 for example in examples[1:])


def test_a_damaged_file_is_named(corpus: PreparedCorpus, tmp_path: Path) -> None:
    file = corpus.path / "valid.tgt.txt"
    content = file.read_bytes()
    file.write_bytes(content.replace(b"e", b"a", 1))

    refused(s2s_here(tmp_path, "inspect"), "data/prepared/valid.tgt.txt: damaged: prepare again with --overwrite")


def test_a_leak_is_shown_and_is_a_failure(corpus: PreparedCorpus, tmp_path: Path) -> None:
    trained = (corpus.path / "train.src.txt").read_text(encoding="utf-8").splitlines()
    leaking = corpus.path / "valid.src.txt"
    leaking.write_text("\n".join([trained[0].upper(), *leaking.read_text(encoding="utf-8").splitlines()[1:], ""]))
    forge_record(corpus.path, leaking.name)

    done = s2s_here(tmp_path, "inspect")

    assert done.returncode == 1
    assert re.search(r"^valid in train +1 +0$", done.stdout, re.MULTILINE)
    assert done.stderr == "s2s: error: data/prepared: 1 held-out sentence in another split: prepare again\n"


def test_what_two_given_splits_share_is_shown_and_allowed(tmp_path: Path) -> None:
    for name in ("train", "valid", "test"):
        own = "".join(f"{name[:2]} {n}\t{name[:2]} {n}\n" for n in "abc")
        (tmp_path / f"{name}.txt").write_text(own + "x\ty\n" * (name != "train"), encoding="utf-8")
    s2s_here(tmp_path, "prepare", "train.txt", "--valid", "valid.txt", "--test", "test.txt", "--languages", "xx-xx")
    report = succeeded(s2s_here(tmp_path, "inspect")).stdout
    assert re.search(r"^test in valid +1 +1  allowed: both splits were given$", report, re.MULTILINE)
