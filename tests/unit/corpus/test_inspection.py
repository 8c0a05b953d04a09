"""Counts over a prepared folder, against counts by hand and by other code."""

from pathlib import Path

import pytest

from seq2seq_cli.corpus.inspection import count_leaks, count_references, count_unknown, draw_pairs, shown_units
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.text.vocabulary import UNK
from tests.corpora import forge_record, prepared, symbol_sequences, write_lines

NO_HELD_OUT = ("data.valid_sources=0", "data.test_sources=0")
SMALL = ("text.src.min_count=2", "text.tgt.min_count=3", "text.src.max_size=12")
UNITS = pytest.mark.parametrize("unit", ["word", "bpe", "character"])


@pytest.fixture
def corpus(tmp_path: Path) -> PreparedCorpus:
    sequences = symbol_sequences(300, shortest=1, longest=9)
    pairs = [(text, text.upper()) for text in sequences] + [(text, text.upper() + " !") for text in sequences[::3]]
    return prepared(tmp_path, pairs, SMALL)


def test_a_folder_as_prepared_leaks_nothing(corpus: PreparedCorpus) -> None:
    assert list(count_leaks(corpus).values()) == [[0, 0]] * 3


@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_sentence_leaks_whatever_its_case_and_punctuation(corpus: PreparedCorpus, side: SideName) -> None:
    paths = [corpus.path / f"{split}.{side}.txt" for split in SPLITS]
    trained, validated, lines = (path.read_text(encoding="utf-8").splitlines() for path in paths)
    lines[:4] = [trained[0].title() + "?", trained[0] + " !", trained[1].lower(), validated[0]]
    write_lines(paths[2], lines)
    forge_record(corpus.path, paths[2].name)

    found = {splits: both[SIDES.index(side)] for splits, both in count_leaks(PreparedCorpus.open(corpus.path)).items()}
    assert found == {("valid", "train"): 0, ("test", "train"): 2, ("test", "valid"): 1}


def test_given_splits_may_have_sentences_in_common(tmp_path: Path) -> None:
    contents = {"train": ["a b\tx", "c d\ty"], "valid": ["e\tz", "f\tw"], "test": ["E!\tv", "f\tw"]}
    train, valid, test = ([write_lines(tmp_path / f"{name}.txt", lines)] for name, lines in contents.items())

    prepare(*train, out=tmp_path / "prepared", valid=valid, test=test)

    assert count_leaks(PreparedCorpus.open(tmp_path / "prepared"))["test", "valid"] == [2, 1]


def test_references_are_the_targets_of_one_source(tmp_path: Path) -> None:
    pairs = [("a", "x"), ("b", "x"), ("a", "y"), ("c", "z"), ("a", "z"), ("c", "x"), ("A", "x")]

    corpus = prepared(tmp_path, pairs, NO_HELD_OUT)

    assert sorted(count_references(corpus, "train").tolist()) == [1, 1, 2, 3]
    assert count_references(corpus, "test").tolist() == []


def test_unknown_words_are_counted_without_their_spaces(tmp_path: Path) -> None:
    pairs = [("a", "rare x"), ("b", "x"), ("c", "(rare) x"), ("d", "x rarer"), ("e", "y x x")]
    overrides = (*NO_HELD_OUT, "text.tgt.spacing=true", "text.tgt.min_count=2", "text.src.min_count=1")

    corpus = prepared(tmp_path, pairs, overrides)

    assert count_unknown(corpus, "tgt", ["train"]) == {"rare": 2, "(": 1, ")": 1, "rarer": 1, "y": 1}
    assert count_unknown(corpus, "src", ["train"]) == {}


@UNITS
def test_every_unknown_id_has_its_word(tmp_path: Path, unit: str) -> None:
    pairs = [(text, text.upper()) for text in symbol_sequences(300, shortest=1, longest=9)]
    corpus = prepared(tmp_path, pairs, [f"text.unit={unit}", "text.src.max_size=12", "text.tgt.max_size=12"])

    for side, codec in zip(SIDES, corpus.codecs, strict=True):
        unknown = count_unknown(corpus, side, ["train", "valid"])
        texts = [text for split in SPLITS[:2] for text in corpus.texts(split, side)]
        assert unknown.total() == sum(codec.read(text).ids.count(UNK) for text in texts)
        assert (unknown.total() > 0) == (unit != "bpe")


@UNITS
def test_examples_are_pairs_of_the_corpus_with_their_units(tmp_path: Path, unit: str) -> None:
    pairs = [(text, text.upper()) for text in symbol_sequences(120, shortest=1, longest=9)]
    corpus = prepared(tmp_path, pairs, [f"text.unit={unit}", "text.src.max_size=12"])

    drawn = list(draw_pairs(corpus, 20, seed=1))

    assert len({pair for _, pair in drawn}) == 20
    assert list(draw_pairs(corpus, 20, seed=1)) == drawn
    assert list(draw_pairs(corpus, 20, seed=2)) != drawn
    for split, pair in drawn:
        assert pair in corpus.sentences(split)
        ids, units = corpus.codec("src").read(pair[0]).ids, shown_units(corpus.codec("src"), pair[0])
        assert [corpus.codec("src").vocabulary.id(shown) for shown in units] == ids
        assert all(shown[1:-1] in pair[0] for shown, id_ in zip(units, ids, strict=True) if id_ == UNK)
