"""Corrections of a run that a new one learns."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.errors import UsageError
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG, CORRECTIONS, TRAINED
from seq2seq_cli.training.feed import Mixture
from seq2seq_cli.training.plan import Options
from seq2seq_cli.training.start import train
from tests.tiny import planned


def test_an_epoch_has_each_correction_as_often_with_a_twentieth_of_the_own_tokens(corpus: PreparedCorpus) -> None:
    own, corrected = corpus.split("train"), replace(corpus, corrections={"a b": "c d", "c": "a b"})
    epoch = Mixture.of(TrainingConfig(), corrected).of_epoch(0)
    rows = [(epoch.src.row(i).tolist(), epoch.tgt.row(i).tolist()) for i in range(len(own), len(epoch))]
    added = Counter(map(str, rows))
    src, tgt = corpus.codecs
    expected = [(src.read(source).ids, tgt.read(target).ids) for source, target in (("a b", "c d"), ("c", "a b"))]
    assert {*added} == {*map(str, expected)}
    assert len({*added.values()}) == 1
    of_each = sum(len(side) for pair in expected for side in pair)
    assert 0.05 * own.tokens.sum() - of_each < epoch.tokens[len(own) :].sum() <= 0.05 * own.tokens.sum()


def test_a_run_learns_them_slowly_and_remembers_them(origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path) -> None:
    known = corpus.sentences("test")[0]
    lines = f"a b\tc\n\na b\td\n{known[0]}\tb\n"
    (origin.path / CORRECTIONS).write_text(lines, encoding="utf-8")
    out, settings = tmp_path / "new", ["training.epochs=1"]
    train(data=corpus.path, init_from=origin.path, out=out, corrections=True, overrides=settings)
    new = RunFolder(out)
    assert new.provenance().corrections == {"a b": "d", known[0]: "b"}
    assert new.config().training.lr == pytest.approx(0.1 * origin.config().training.lr)
    # A corrected sentence is not held out any more, now and in runs after this one.
    _, after = planned(Options(data=corpus.path, init_from=out, out=tmp_path / "third"))
    assert known not in after.sentences("test")
    assert TrainedSentences.read(out / TRAINED).share_a_side([known, ("a b", "-")]).all()
    # A resumed run has those with which it began.
    (origin.path / CORRECTIONS).write_text("a\tb\n", encoding="utf-8")
    for config in (None, str(origin.path / CONFIG)):
        resumed, resumed_corpus = planned(Options(resume=True, out=out, config=config))
        assert resumed_corpus.corrections == {"a b": "d", known[0]: "b"}
        assert known not in resumed_corpus.sentences("test")
        assert resumed.config.training.lr == new.config().training.lr
    # A third run learns them again, as slowly.
    (out / CORRECTIONS).write_text("c\ta\n", encoding="utf-8")
    options = Options(data=corpus.path, init_from=out, out=tmp_path / "third", corrections=True)
    third, third_corpus = planned(options)
    assert third_corpus.corrections == {"a b": "d", known[0]: "b", "c": "a"}
    assert third.config.training.lr == new.config().training.lr


def test_corrections_that_cannot_be_learned_are_left_out(
    origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    longest = " ".join("abcdefgh" * 20)
    (origin.path / CORRECTIONS).write_text(f"a b\tc\n{longest}\ta\na\t漢\n", encoding="utf-8")
    options = Options(data=corpus.path, init_from=origin.path, out=tmp_path / "new", corrections=True)
    assert planned(options)[1].corrections == {"a b": "c"}
    assert caplog.text.count("left out: ") == 2
    (origin.path / CORRECTIONS).unlink()
    with pytest.raises(UsageError, match="has no correction that can be learned"):
        planned(options)


def test_a_stated_learning_rate_stays(origin: RunFolder, corpus: PreparedCorpus, tmp_path: Path) -> None:
    (origin.path / CORRECTIONS).write_text("a b\tc\n", encoding="utf-8")
    stated = Options(
        data=corpus.path, init_from=origin.path, out=tmp_path / "new", corrections=True, overrides=["training.lr=0.5"]
    )
    assert planned(stated)[0].config.training.lr == 0.5
    with pytest.raises(UsageError, match="--corrections: are those of a run: name it with --init-from"):
        planned(Options(data=corpus.path, corrections=True))
