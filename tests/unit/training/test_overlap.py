"""Held-out pairs that the run of --init-from was trained on."""

import logging
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.evaluation.command import EvaluatedRun, corpus_of, leave_out_trained
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import TRAINED
from seq2seq_cli.training.plan import Options
from seq2seq_cli.training.start import train
from tests.commands import s2s_here
from tests.corpora import WORDS, reversed_words, symbol_sequences
from tests.tiny import planned

KNOWN = 30
NEW = [(s, reversed_words(s)) for s in symbol_sequences(60, shortest=7, longest=9, seed=3)]


@pytest.fixture(scope="module")
def more(corpus: PreparedCorpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder with other pairs, but in its test split are thirty that the run was trained on."""
    folder = tmp_path_factory.mktemp("more")
    known = [(src.upper(), "other " + tgt) for src, tgt in corpus.sentences("train")[:KNOWN]]
    for name, pairs in (("more", NEW[:40]), ("test", known + NEW[40:])):
        lines = "".join(f"{src}\t{tgt}\n" for src, tgt in pairs)
        (folder / f"{name}.txt").write_text(lines, encoding="utf-8")
    out = folder / "prepared"
    prepare(folder / "more.txt", test=[folder / "test.txt"], out=out, overrides=[*WORDS, "text.tgt.spacing=false"])
    return out


def test_they_are_left_out_of_the_scores_also_when_resumed_and_by_runs_after_it(
    origin: RunFolder, more: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    second = tmp_path / "second"
    with caplog.at_level(logging.WARNING):
        train(data=more, init_from=origin.path, out=second, overrides=["training.epochs=1"])
    told = f"30 of 50 test pairs of {more} have a sentence that {origin.path} was trained on: they are left out"
    assert told in caplog.text
    assert RunFolder(second).provenance().pairs["test"] == 20
    card = (second / "README.md").read_text(encoding="utf-8")
    assert "20 test pairs;" in card
    assert f"more are not scored: 30 test pairs, as `{origin.path.name}` was trained on a sentence of each" in card
    whole = EvaluationSet.of_split(corpus_of([EvaluatedRun(second)], more), "test")
    assert len(leave_out_trained(whole, [EvaluatedRun(second)]).pairs) == 20

    caplog.clear()
    train(resume=True, out=second)
    assert told in caplog.text
    assert "more are not scored: 30 test pairs" in (second / "README.md").read_text(encoding="utf-8")

    _, corpus = planned(Options(data=more, init_from=second, out=tmp_path / "third"))
    assert len(corpus.split("test")) == 20


def test_evaluate_counts_them_without_the_prepared_folder(
    origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path
) -> None:
    pairs = [*corpus.sentences("train")[:3], NEW[0], (NEW[1][0], corpus.sentences("train")[3][1])]
    (tmp_path / "mine.txt").write_text("".join(f"{src}\t{tgt}\n" for src, tgt in pairs), encoding="utf-8")
    record = origin.path / "corpus.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace(str(corpus.path), str(tmp_path / "gone")), encoding="utf-8")
    done = s2s_here(tmp_path, "evaluate", str(origin.path), "--file", "mine.txt")
    told = f"4 of the pairs have a side that {origin.path} was trained on: its scores are too high"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1] == told


def test_evaluate_warns_of_another_corpus_only_where_it_cannot_count_them(
    origin: RunFolder, more: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus_of([EvaluatedRun(origin.path)], more)
    assert not caplog.text

    (origin.path / TRAINED).unlink()
    corpus_of([EvaluatedRun(origin.path)], more)
    assert f"{origin.path} may know some of these sentences" in caplog.text


def test_case_and_punctuation_do_not_count_and_sides_are_apart(corpus: PreparedCorpus) -> None:
    trained = TrainedSentences.of(corpus)
    src, tgt = corpus.sentences("train")[0]
    pairs = [(src.upper() + "!", "new"), ("new", tgt + "."), (tgt, src), ("new", "newer")]
    assert trained.share_a_side(pairs).tolist() == [True, True, False, False]
    assert not any(trained.share_a_side(corpus.sentences(name)).any() for name in SPLITS[1:])


@pytest.mark.parametrize("content", ["{}", '{"format": 1, "src": "AA", "tgt": ""}', '{"format": 1, "src": 3}', ""])
def test_a_record_that_is_damaged_or_missing_is_named(
    origin: RunFolder, more: Path, tmp_path: Path, content: str
) -> None:
    record = origin.path / TRAINED
    if content:
        record.write_text(content, encoding="utf-8")
    else:
        record.unlink()
    with pytest.raises(ModelFileError, match=r"trained\.json: (damaged|missing).*: restore it, or "):
        train(data=more, init_from=origin.path, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()
