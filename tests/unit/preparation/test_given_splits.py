"""Splits that a user gives."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS, SplitName
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.preparation.pipeline import PrepareReport, prepare
from tests.corpora import pair_lines, write_lines

VALID = ["Tom sees 7 cats!\tTom sieht sieben Katzen.", "One.\tEins.", "One.\tEins.", "One!\tEine."]
TEST = ["Two.\tmaria hört 1 katzen", "Three.\tDrei.", "one\tUno."]


def made(folder: Path, *given: str, overrides: Sequence[str] = ()) -> tuple[PrepareReport, PreparedCorpus]:
    lines = pair_lines(300)
    lines[7] = "Tom sees 7 cats.\tTom sieht 7 Katzen."
    lines[1] = "Maria hears 1 cats.\tMaria hört 1 Katzen."
    report = prepare(
        write_lines(folder / "deu.txt", lines),
        out=folder / "out",
        overrides=overrides,
        valid=[write_lines(folder / "valid.tsv", VALID)] if "valid" in given else (),
        test=[write_lines(folder / "test.tsv", TEST)] if "test" in given else (),
    )
    return report, PreparedCorpus.open(folder / "out")


def lines_of(corpus: PreparedCorpus, name: SplitName) -> list[str]:
    return ["\t".join(pair) for pair in corpus.sentences(name)]


def test_given_splits_are_kept_and_share_no_sentence_with_training(tmp_path: Path) -> None:
    report, corpus = made(tmp_path, "valid", "test")
    assert lines_of(corpus, "valid") == [VALID[0], VALID[1], VALID[3]]
    assert lines_of(corpus, "test") == TEST
    assert len(corpus.split("train")) == 298
    first = {reason: (it.count, it.first[0]) for reason, it in report.manifest.dropped.items()}
    assert first == {"duplicate": (1, "valid.tsv:3"), "in valid": (1, "deu.txt:8"), "in test": (1, "deu.txt:2")}
    assert report.warnings == ["the given test split shares a sentence with the validation split in 1 pair"]
    assert corpus.manifest.test_in_valid == 1
    assert [(file.name, file.part) for file in report.manifest.pair_files] == [
        ("deu.txt", None),
        ("valid.tsv", "valid"),
        ("test.tsv", "test"),
    ]


@pytest.mark.parametrize("given", ["valid", "test"])
def test_the_other_split_is_drawn_from_the_rest(tmp_path: Path, given: SplitName) -> None:
    report, corpus = made(tmp_path, given)
    assert set(lines_of(corpus, given)) == set({"valid": VALID, "test": TEST}[given])
    assert all(len(corpus.split(name)) for name in SPLITS)
    assert sum(len(corpus.split(name)) for name in SPLITS if name != given) == 299
    assert report.warnings == []
    assert corpus.manifest.test_in_valid == 0


def test_limits_are_for_training_alone(tmp_path: Path) -> None:
    _, corpus = made(tmp_path, "valid", "test", overrides=["data.limit=100", "data.max_tokens=5", "data.max_ratio=1.1"])
    assert len(corpus.split("train")) == 98
    assert len(corpus.split("valid")) == 3
    # "Two." and its four words are kept, which training would drop.
    assert len(corpus.split("test")) == 3


def test_splits_without_pairs_are_refused(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match=r"none\.tsv: no sentence pair in it"):
        prepare(pair_file, out=tmp_path / "out", valid=[write_lines(tmp_path / "none.tsv", ["", ""])])
    with pytest.raises(PairFileError, match=r"no pair is left for training \(300 in test\): give more pairs$"):
        prepare(pair_file, out=tmp_path / "out", test=[pair_file])
    with pytest.raises(PairFileError, match=r"\(300 too long\): give more pairs or raise data\.max_tokens$"):
        prepare(pair_file, out=tmp_path / "out", overrides=["data.max_tokens=1"])


def test_another_given_split_is_another_preparation(tmp_path: Path) -> None:
    made(tmp_path, "valid")
    with pytest.raises(UsageError, match=r"from other files or other content: deu\.txt, valid\.tsv"):
        made(tmp_path, "valid", "test")
    assert made(tmp_path, "valid")[0].up_to_date


OTHERS = "give all files in one order, or see --languages and --swap"


@pytest.mark.parametrize(
    ("names", "options", "told"),
    [
        (
            ["deu.txt"],
            {"languages": "de-en"},
            f"deu.txt: says that its columns are en-de; they are taken as de-en: {OTHERS}",
        ),
        (["deu.txt"], {"overrides": ["text.src.language=de"]}, f"they are taken as de-en: {OTHERS}"),
        (["deu.txt"], {"overrides": ["data.swap=true"]}, ""),
        (["X.de-en.de", "X.de-en.en", "news.en-fr.tsv"], {}, f"are en-fr; they are taken as de-en: {OTHERS}"),
        (["fra.txt", "spa.txt"], {}, f"spa.txt: says that its columns are en-es; they are taken as en-fr: {OTHERS}"),
        (["mine.txt", "news.de-en.tsv"], {"languages": "en-de"}, f"are de-en; they are taken as en-de: {OTHERS}"),
    ],
)
def test_files_that_state_other_languages_are_told(
    tmp_path: Path, names: Sequence[str], options: dict[str, Any], told: str
) -> None:
    for name in names:
        lines = [f"{name[-2:]} {n}." for n in range(300)] if name.startswith("X") else pair_lines(300)
        write_lines(tmp_path / name, lines)
    report = prepare(*(tmp_path / name for name in names), out=tmp_path / "out", **options)
    assert len(report.warnings) == (told != "")
    assert all(warning.endswith(told) for warning in report.warnings)


def test_a_given_split_that_states_the_other_direction_is_told(pair_file: Path, tmp_path: Path) -> None:
    held_out = [write_lines(tmp_path / f"v.{language}", [f"{language}."] * 9) for language in ("de", "en")]
    [warning] = prepare(pair_file, valid=held_out, out=tmp_path / "out").warnings
    assert warning.endswith(f"v.en: says that its columns are de-en; they are taken as en-de: {OTHERS}")


@pytest.mark.parametrize(("name", "stated"), [("mine.txt", None), ("mine.txt", "de-en"), ("mine.de-en.tsv", None)])
def test_a_file_whose_words_are_in_the_other_order_is_told(tmp_path: Path, name: str, stated: str | None) -> None:
    lines = [f"The {n} and I, and she to my {n}.\tIch {n} und die, nicht der {n}, wir zu {n}." for n in range(30)]
    mine = write_lines(tmp_path / name, lines)
    other = write_lines(tmp_path / "v.de-en.tsv", ["Eins.\tOne.", "Zwei.\tTwo."])
    [warning] = prepare(mine, valid=[other], out=tmp_path / "out", languages=stated).warnings
    assert warning == f"{mine}: its columns look like en-de; they are taken as de-en: {OTHERS}"


def test_the_manifest_tells_the_sides_of_aligned_files_that_are_swapped(tmp_path: Path) -> None:
    files = (write_lines(tmp_path / name, (f"{name} {n}." for n in range(100))) for name in ("a.en", "a.de"))
    folder = prepare(*files, out=tmp_path / "swapped", overrides=["data.swap=true"]).out
    manifest = PreparedCorpus.open(folder).manifest
    assert {file.name: file.side for file in manifest.pair_files} == {"a.en": "tgt", "a.de": "src"}


def test_two_files_of_lines_are_other_pairs_than_two_tables(tmp_path: Path) -> None:
    one, other = (write_lines(tmp_path / name, ["a\tb", "c\td"] * 5) for name in ("al.en", "al.de"))
    prepare(one, other, out=tmp_path / "out")
    with pytest.raises(UsageError, match="holds another preparation"):
        prepare(src=[one], tgt=[other], out=tmp_path / "out")
