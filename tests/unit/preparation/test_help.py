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
from seq2seq_cli.preparation.prepare import PrepareReport, prepare
from tests.corpora import pair_lines


def write(folder: Path, name: str, lines: Sequence[str]) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def made(folder: Path, out: str = "out", **options: Any) -> tuple[PrepareReport, PreparedCorpus]:
    report = prepare(write(folder, "deu.txt", pair_lines(300)), out=folder / out, **options)
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
    file = write(tmp_path, "other.txt", ["A bird sings.\tUn oiseau chante."])
    _, corpus = made(tmp_path, related=[f"{file}:{codes}"], overrides=[f"data.swap={str(swap).lower()}"])
    pair = ("A bird sings.", "Un oiseau chante.")
    assert texts(corpus, "related") == [pair[::-1] if is_turned else pair]
    with pytest.raises(UsageError, match="from other files or other content"):  # languages are a part of a file
        made(tmp_path, related=[f"{file}:{codes[3:]}-{codes[:2]}"], overrides=[f"data.swap={str(swap).lower()}"])


def test_a_word_list_is_turned_to_where_its_scripts_are(tmp_path: Path) -> None:
    pairs = write(tmp_path, "own.txt", [f"The cat {n} sleeps.\t猫は寝る{n}。" for n in range(60)])
    words = write(tmp_path, "words.txt", [f"いぬねこ{n}\tdog {n}" for n in range(9)])
    for out, swap in (("there", "false"), ("back", "true")):
        overrides = [f"data.swap={swap}", "text.unit=character"]
        prepare(pairs, out=tmp_path / out, languages="en-ja", dictionary=[words], overrides=overrides)
        pair = ("dog 0", "いぬねこ0")
        assert texts(PreparedCorpus.open(tmp_path / out), "dictionary")[0] == (pair[::-1] if swap == "true" else pair)


def test_a_related_file_is_cut_by_the_rules_of_its_own_language(tmp_path: Path) -> None:
    file = write(tmp_path, "eng-fra.txt", ["The bird.\tL'oiseau."])
    _, corpus = made(tmp_path, related=[file], overrides=["text.unit=word", "text.tgt.min_count=1"])
    row = corpus.split("related").tgt.row(0).tolist()
    words = ["L'", "oiseau", "."]  # English and German rules keep L'oiseau in one piece
    assert [corpus.tgt_codec.vocabulary.unit(id_) for id_ in row][-1] == "."
    assert len(row) == len(words)


def test_a_text_in_one_language_has_equal_sides(tmp_path: Path) -> None:
    german = write(tmp_path, "german.txt", ["Die Sonne scheint.", "", "Wir gehen."])
    english = write(tmp_path, "english.txt", ["The sun is shining."])
    report, corpus = made(tmp_path, tgt_only=[german], src_only=[english])
    assert texts(corpus, "tgt_only") == [(each, each) for each in ("Die Sonne scheint.", "Wir gehen.")]
    assert texts(corpus, "src_only") == [("The sun is shining.", "The sun is shining.")]
    assert report.manifest.dropped["blank line"].count == 1
    assert report.warnings == []


def test_words_of_what_helps_are_words_of_the_training(tmp_path: Path) -> None:
    words, text = write(tmp_path, "w.tsv", ["owl\tKauz"]), write(tmp_path, "text.txt", ["Ein Kauz ruft."])
    _, corpus = made(tmp_path, dictionary=[words], tgt_only=[text])
    tests = EvaluationSet(name="tests", pairs=(("An owl calls.", "Ein Kauz ruft."),), languages=("en", "de"))
    assert count_words(corpus.trained_texts("tgt"), tests) == {"kauz": 2, "ein": 1, "ruft": 1}


@pytest.mark.parametrize("swap", ["true", "false"])
def test_held_out_splits_are_of_the_own_pairs_and_keep_whatever_helps(tmp_path: Path, swap: str) -> None:
    overrides = [f"data.swap={swap}"]
    _, plain = made(tmp_path, "plain", overrides=overrides)
    held_out = [pair for split in HELD_OUT for pair in plain.sentences(split)]
    source = held_out[0][0]
    related = write(tmp_path, "fra.txt", [f"{source.upper()}\tUn chat.", "A bird.\tUn oiseau."])
    words = write(tmp_path, "words.tsv", ["cat\tKatze", "\t".join(held_out[1][:: -1 if swap == "true" else 1])])
    text = write(tmp_path, "text.txt", [held_out[2][1], "Etwas ganz anderes."])
    codes = "de-fr" if swap == "true" else "en-fr"
    _, corpus = made(tmp_path, related=[f"{related}:{codes}"], dictionary=[words], tgt_only=[text], overrides=overrides)
    assert all(corpus.sentences(split) == plain.sentences(split) for split in SPLITS)
    assert [len(corpus.split(part)) for part in corpus.manifest.splits if part not in SPLITS] == [1, 1, 1]
    assert not TrainedSentences.of(corpus).share_a_side(held_out).any()


def test_the_split_is_the_same_in_both_directions(tmp_path: Path) -> None:
    lines = [*pair_lines(300), *(f"Tom sees {n} cats.\tNoch eine Zeile." for n in range(0, 300, 7))]
    pairs = write(tmp_path, "many.txt", lines)
    there, back = (
        prepare(pairs, out=tmp_path / out, overrides=[f"data.swap={out}"], languages="en-de").out
        for out in ("false", "true")
    )
    ours, theirs = PreparedCorpus.open(there), PreparedCorpus.open(back)
    assert all([pair[::-1] for pair in theirs.sentences(split)] == ours.sentences(split) for split in SPLITS)
    assert all(ours.sentences(split) for split in HELD_OUT)


def test_subwords_of_few_pairs_are_learned_beside_many_related_ones(tmp_path: Path) -> None:
    own = write(tmp_path, "own.en-xx.txt", [f"word {n}\tzyxwvut {n}" for n in range(40)])
    related = write(tmp_path, "fra.txt", [f"{n} bird sings\t{n} oiseau chante" for n in range(4000)])
    options: dict[str, Any] = {"languages": "en-xx", "overrides": ["text.src.max_size=90", "text.tgt.max_size=90"]}
    report = prepare(own, out=tmp_path / "out", related=[f"{related}:en-fr"], **options)
    corpus = PreparedCorpus.open(report.out)
    assert len(corpus.tgt_codec.read("zyxwvut").ids) == 1


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
        ("tgt_only", ["これは日本語の文章です。" * 3], "is in Japanese script, not German (de), for --tgt-only"),
        ("src_only", [""], "no sentence pair in it"),
    ],
)
def test_what_cannot_help_is_refused(tmp_path: Path, option: str, lines: Sequence[str], told: str) -> None:
    option, colon, codes = option.partition(":")
    options: dict[str, Any] = {option: [f"{write(tmp_path, 'help.txt', lines)}{colon}{codes}"]}
    with pytest.raises(S2SError) as refused:
        prepare(write(tmp_path, "deu.txt", pair_lines(300)), out=tmp_path / "out", **options)
    assert told in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_it_is_told_how_much_of_what_the_own_pairs_lack_is_covered(tmp_path: Path) -> None:
    lines = {"own": "a\tone two", "valid": "b\tone two three four", "related": "c\ttwo three", "text": "four one"}
    paths = {name: write(tmp_path, f"{name}.txt", [line]) for name, line in lines.items()}
    report = prepare(
        paths["own"],
        valid=[paths["valid"]],
        related=[f"{paths['related']}:fr-de"],
        tgt_only=[paths["text"]],
        out=tmp_path / "out",
        languages="en-de",
        overrides=["text.unit=word", "text.src.min_count=1", "text.tgt.min_count=1", "data.test_sources=0"],
    )
    # Training lacks "two three" and "three four" of the target. The source has a single word: it lacks nothing.
    assert {name: split.covered for name, split in report.manifest.splits.items()} == {
        "train": 1.0,
        "valid": 1.0,
        "test": 1.0,
        "related": 0.5,
        "tgt_only": 0.0,
    }
    assert report.manifest.trained(0.5) == ["train", "related"]
    assert report.manifest.trained() == ["train", "related", "tgt_only"]
    words = report.manifest.help_in_words(0.5)
    assert words == " with the help of 1 related, without tgt_only, which covers too little"
