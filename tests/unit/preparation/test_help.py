"""What helps to train beside the pairs: turned around, read by its own languages, apart from the held-out splits."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, PartName
from seq2seq_cli.corpus.trained_sentences import TrainedSentences
from seq2seq_cli.errors import S2SError, UsageError
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.verdict import count_words
from seq2seq_cli.preparation.pipeline import PrepareReport, prepare
from tests.corpora import pair_lines, write_lines


def made(folder: Path, out: str = "out", **options: Any) -> tuple[PrepareReport, PreparedCorpus]:
    report = prepare(write_lines(folder / "deu.txt", pair_lines(300)), out=folder / out, **options)
    return report, PreparedCorpus.open(folder / out)


def texts(corpus: PreparedCorpus, part: PartName) -> list[tuple[str, str]]:
    return list(zip(corpus.texts(part, "src"), corpus.texts(part, "tgt"), strict=True))


@pytest.mark.parametrize(
    ("codes", "swap", "is_turned"),
    [
        ("en-fr", False, False),  # the shared language is the source, and in the first column
        ("fr-en", False, True),
        ("en-fr", True, True),  # it is the target
        ("fr-en", True, False),
        ("fr-de", False, False),
        ("de-en", False, True),  # both are shared
    ],
)
def test_a_related_file_is_turned_to_where_its_shared_language_is(
    tmp_path: Path, codes: str, swap: bool, is_turned: bool
) -> None:
    file = write_lines(tmp_path / "other.txt", ["A bird sings.\tUn oiseau chante."])
    _, corpus = made(tmp_path, related=[f"{file}:{codes}"], overrides=[f"data.swap={str(swap).lower()}"])
    pair = ("A bird sings.", "Un oiseau chante.")
    assert texts(corpus, "related") == [pair[::-1] if is_turned else pair]
    with pytest.raises(UsageError, match="from other files or other content"):  # languages are a part of a file
        made(tmp_path, related=[f"{file}:{codes[3:]}-{codes[:2]}"], overrides=[f"data.swap={str(swap).lower()}"])


def test_a_word_list_is_turned_to_where_its_scripts_are(tmp_path: Path) -> None:
    pairs = write_lines(tmp_path / "own.txt", [f"The cat {n} sleeps.\t猫は寝る{n}。" for n in range(60)])
    words = write_lines(tmp_path / "words.txt", [f"いぬねこ{n}\tdog {n}" for n in range(9)])
    for out, swap in (("there", "false"), ("back", "true")):
        overrides = [f"data.swap={swap}", "text.unit=character"]
        prepare(pairs, out=tmp_path / out, languages="en-ja", dictionary=[words], overrides=overrides)
        pair = ("dog 0", "いぬねこ0")
        assert texts(PreparedCorpus.open(tmp_path / out), "dictionary")[0] == (pair[::-1] if swap == "true" else pair)


def test_a_related_file_is_cut_by_the_rules_of_its_own_language(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "eng-fra.txt", ["The bird.\tL'oiseau."])
    _, corpus = made(tmp_path, related=[file], overrides=["text.unit=word", "text.tgt.min_count=1"])
    row = corpus.split("related").tgt.row(0).tolist()
    words = ["L'", "oiseau", "."]  # English and German rules keep L'oiseau in one piece
    assert [corpus.codec("tgt").vocabulary.unit(id_) for id_ in row][-1] == "."
    assert len(row) == len(words)


def test_a_text_in_one_language_has_equal_sides(tmp_path: Path) -> None:
    german = write_lines(tmp_path / "german.txt", ["Die Sonne scheint.", "", "Wir gehen."])
    english = write_lines(tmp_path / "english.txt", ["The sun is shining."])
    report, corpus = made(tmp_path, tgt_only=[german], src_only=[english])
    assert texts(corpus, "tgt_only") == [(each, each) for each in ("Die Sonne scheint.", "Wir gehen.")]
    assert texts(corpus, "src_only") == [("The sun is shining.", "The sun is shining.")]
    assert report.manifest.dropped["blank line"].count == 1
    assert report.warnings == []


def test_a_text_in_the_other_language_is_warned_of(tmp_path: Path) -> None:
    english = write_lines(tmp_path / "text.txt", ["The sun is on all of us, and that is what we have.", "It was he."])
    report, _ = made(tmp_path, tgt_only=[english])
    assert report.warnings == [f"{english}: looks like English, and --tgt-only is for German (de)"]


def test_words_of_what_helps_are_words_of_the_training(tmp_path: Path) -> None:
    words, text = write_lines(tmp_path / "w.tsv", ["owl\tKauz"]), write_lines(tmp_path / "text.txt", ["Ein Kauz ruft."])
    _, corpus = made(tmp_path, dictionary=[words], tgt_only=[text])
    tests = EvaluationSet(name="tests", pairs=(("An owl calls.", "Ein Kauz ruft."),), languages=("en", "de"))
    assert count_words(corpus.trained_texts("tgt"), tests) == {"kauz": 2, "ein": 1, "ruft": 1}


@pytest.mark.parametrize("swap", ["true", "false"])
def test_held_out_splits_are_of_the_own_pairs_and_keep_whatever_helps(tmp_path: Path, swap: str) -> None:
    overrides = [f"data.swap={swap}"]
    _, plain = made(tmp_path, "plain", overrides=overrides)
    held_out = [pair for split in HELD_OUT for pair in plain.sentences(split)]
    source = held_out[0][0]
    related = write_lines(tmp_path / "fra.txt", [f"{source.upper()}\tUn chat.", "A bird.\tUn oiseau."])
    words = write_lines(tmp_path / "words.tsv", ["cat\tKatze", "\t".join(held_out[1][:: -1 if swap == "true" else 1])])
    text = write_lines(tmp_path / "text.txt", [held_out[2][1], "Etwas ganz anderes."])
    codes = "de-fr" if swap == "true" else "en-fr"
    _, corpus = made(tmp_path, related=[f"{related}:{codes}"], dictionary=[words], tgt_only=[text], overrides=overrides)
    assert all(corpus.sentences(split) == plain.sentences(split) for split in SPLITS)
    assert [len(corpus.split(part)) for part in corpus.manifest.splits if part not in SPLITS] == [1, 1, 1]
    assert not TrainedSentences.of(corpus).share_a_side(held_out).any()


def test_the_split_is_the_same_in_both_directions(tmp_path: Path) -> None:
    lines = [*pair_lines(300), *(f"Tom sees {n} cats.\tNoch eine Zeile." for n in range(0, 300, 7))]
    pairs = write_lines(tmp_path / "many.txt", lines)
    there, back = (
        prepare(pairs, out=tmp_path / out, overrides=[f"data.swap={out}"], languages="en-de").out
        for out in ("false", "true")
    )
    ours, theirs = PreparedCorpus.open(there), PreparedCorpus.open(back)
    assert all([pair[::-1] for pair in theirs.sentences(split)] == ours.sentences(split) for split in SPLITS)
    assert all(ours.sentences(split) for split in HELD_OUT)


def test_subwords_of_few_pairs_are_learned_beside_many_related_ones(tmp_path: Path) -> None:
    own = write_lines(tmp_path / "own.en-xx.txt", [f"word {n}\tzyxwvut {n}" for n in range(40)])
    related = write_lines(tmp_path / "fra.txt", [f"{n} bird sings\t{n} oiseau chante" for n in range(4000)])
    sizes = ["text.src.max_size=90", "text.tgt.max_size=90"]
    report = prepare(own, out=tmp_path / "out", related=[f"{related}:en-fr"], languages="en-xx", overrides=sizes)
    corpus = PreparedCorpus.open(report.out)
    assert len(corpus.codec("tgt").read("zyxwvut").ids) == 1


@pytest.mark.parametrize(
    ("option", "lines", "told"),
    [
        (
            "related:fr-pl",
            ["Un chat.\tEin Kot."],
            "is taken as French and Polish, and shares neither English nor German",
        ),
        ("related", ["これは日本語の文章です。\tA bird."] * 3, "the first column is in Japanese script, not English"),
        ("dictionary", ["これは日本語の文章です。\tEin Vogel."] * 3, "--dictionary is for words in the two languages"),
        ("tgt_only", ["Hi.\tHallo.", "Run.\tLauf."], "has columns: --tgt-only is for a text in one language"),
        (
            "tgt_only",
            [r"\\id MRK", r"\\c 1", r"\\v 1 Der Anfang."],
            "has marks that are no text: --tgt-only is for a text",
        ),
        ("tgt_only", ['{"text": "Der Anfang."}'] * 3, "has marks that are no text: --tgt-only is for a text"),
        ("related", ["1", "00:00:01,000 --> 00:00:02,000", "Hi."], "--related and --dictionary need both languages"),
        ("tgt_only", ["これは日本語の文章です。" * 3], "is in Japanese script, not German (de), for --tgt-only"),
        ("src_only", [""], "help.txt: no sentence in it: give one per line"),
    ],
)
def test_what_cannot_help_is_refused(tmp_path: Path, option: str, lines: Sequence[str], told: str) -> None:
    option, colon, codes = option.partition(":")
    options: dict[str, Any] = {option: [f"{write_lines(tmp_path / 'help.txt', lines)}{colon}{codes}"]}
    with pytest.raises(S2SError) as refused:
        made(tmp_path, **options)
    assert told in str(refused.value)
    assert not (tmp_path / "out").exists()


WORDS = ("text.unit=word", "text.src.min_count=1", "text.tgt.min_count=1", "data.test_sources=0")


def shares(folder: Path, lines: dict[str, list[str]], *overrides: str) -> dict[str, float | None]:
    """What `covered` is for each part, of lines of own and valid pairs, related ones, and the other kinds of help."""
    paths = {name: [write_lines(folder / f"{name}.txt", texts)] for name, texts in lines.items()}
    report = prepare(
        *paths["own"],
        valid=paths.get("valid", []),
        related=[f"{path}:fr-de" for path in paths.get("related", [])],
        dictionary=paths.get("dictionary", []),
        tgt_only=paths.get("tgt_only", []),
        src_only=paths.get("src_only", []),
        out=folder / "out",
        languages="en-de",
        overrides=[*WORDS, *overrides],
    )
    return {name: split.covered for name, split in report.manifest.splits.items() if name not in SPLITS}


# Training lacks the neighbours "two three", "three four" and "eins zwei" of the target. The source has single words.
OWN, VALID = ["a\tone two", "b\tthen four five"], ["c\tone two three four", "d\tfour five", "e\teins zwei"]


@pytest.mark.parametrize("block", [1, 2, 1 << 17])  # sentences: what is found does not depend on it
def test_help_has_a_share_of_the_neighbours_that_the_own_pairs_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("seq2seq_cli.preparation.id_files._BLOCK", block)
    lines = {"own": OWN, "valid": VALID, "related": ["f\ttwo three", "g\tthree", "h\tfour", "i\teins", "k\tzwei"]}
    lines |= {"tgt_only": ["five one two three four", "eins"], "src_only": ["a b"], "dictionary": ["l\ttwo three"]}
    found = shares(tmp_path, lines)
    assert found == {
        "related": pytest.approx(1 / 3),
        "dictionary": None,
        "tgt_only": pytest.approx(2 / 3),
        "src_only": None,
    }


def test_unknown_words_are_no_neighbours(tmp_path: Path) -> None:
    lines = {"own": ["a a\tone", "b b\ttwo"], "valid": ["x y z\tone two three"], "tgt_only": ["mm nn oo", "pp qq rr"]}
    assert shares(tmp_path, lines) == {"tgt_only": 0.0}


def test_a_text_of_the_target_language_covers_nothing_of_the_source(tmp_path: Path) -> None:
    lines = {"own": ["a\tone", "b\ttwo"], "valid": ["a b\tone two"], "tgt_only": ["a b", "b a"]}
    assert shares(tmp_path, lines, "text.shared_vocabulary=true") == {"tgt_only": 0.0}


def test_without_a_validation_split_nothing_is_measured(tmp_path: Path) -> None:
    lines = {"own": OWN, "tgt_only": ["two three"]}
    assert shares(tmp_path, lines, "data.valid_sources=0") == {"tgt_only": None}


def test_a_model_is_trained_on_word_lists_and_on_help_that_covers_enough(tmp_path: Path) -> None:
    lines = {"own": OWN, "valid": VALID, "related": ["f\ttwo three"], "tgt_only": ["five five"]}
    shares(tmp_path, lines | {"src_only": ["a b"], "dictionary": ["l\tsix"]})
    manifest = PreparedCorpus.open(tmp_path / "out").manifest
    assert manifest.trained(0.5) == ["train", "related", "dictionary"]  # of two: "eins" and "zwei" are unknown here
    assert manifest.trained(0.51) == ["train", "dictionary"]
    assert manifest.trained() == ["train", "related", "dictionary", "tgt_only"]
    words = " with the help of 1 dictionary (1 related and 1 tgt_only and 1 src_only for the vocabulary alone)"
    assert manifest.help_in_words(0.51) == words
