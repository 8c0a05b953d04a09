"""Splits that a user gives, and codecs of an older model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.corpus.manifest import read_manifest
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS, SplitName
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.preparation.prepare import PrepareReport, prepare
from seq2seq_cli.text.sides import load_codecs
from tests.corpora import WORDS, pair_lines

VALID = ["Tom sees 7 cats!\tTom sieht sieben Katzen.", "One.\tEins.", "One.\tEins.", "One!\tEine."]
TEST = ["Two.\tmaria hört 1 katzen", "Three.\tDrei.", "one\tUno."]


def file(folder: Path, name: str, lines: Sequence[str]) -> list[Path]:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return [path]


def made(folder: Path, *given: str, overrides: Sequence[str] = ()) -> tuple[PrepareReport, PreparedCorpus]:
    lines = pair_lines(300)
    lines[7] = "Tom sees 7 cats.\tTom sieht 7 Katzen."
    lines[1] = "Maria hears 1 cats.\tMaria hört 1 Katzen."
    report = prepare(
        *file(folder, "deu.txt", lines),
        out=folder / "out",
        overrides=overrides,
        valid=file(folder, "valid.tsv", VALID) if "valid" in given else (),
        test=file(folder, "test.tsv", TEST) if "test" in given else (),
    )
    return report, PreparedCorpus.open(folder / "out")


def lines_of(corpus: PreparedCorpus, name: SplitName) -> list[str]:
    return ["\t".join(pair) for pair in corpus.sentences(name)]


def test_given_splits_are_kept_and_share_no_sentence_with_training(tmp_path: Path) -> None:
    report, corpus = made(tmp_path, "valid", "test")
    assert lines_of(corpus, "valid") == [VALID[0], VALID[1], VALID[3]]
    assert lines_of(corpus, "test") == TEST
    assert len(corpus.split("train")) == 298
    first = {reason: (it.count, it.first[0].file, it.first[0].line) for reason, it in report.manifest.dropped.items()}
    assert first == {
        "duplicate": (1, "valid.tsv", 3),
        "in valid": (1, "deu.txt", 8),
        "in test": (1, "deu.txt", 2),
    }
    assert report.warnings == ["the given test split shares a sentence with the validation split in 1 pair"]
    assert corpus.manifest.test_in_valid == 1
    assert [(file.name, file.split) for file in report.manifest.pair_files] == [
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


def test_a_given_split_without_pairs_is_refused(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match=r"none\.tsv: no sentence pair in it"):
        prepare(pair_file, out=tmp_path / "out", valid=file(tmp_path, "none.tsv", ["", ""]))


def test_training_pairs_that_are_all_in_a_given_split_are_refused(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match=r"no pair is left for training \(300 in test\)"):
        prepare(pair_file, out=tmp_path / "out", test=[pair_file])


def test_another_given_split_is_another_preparation(tmp_path: Path) -> None:
    made(tmp_path, "valid")
    with pytest.raises(UsageError, match=r"from other files or other content: deu\.txt, valid\.tsv"):
        made(tmp_path, "valid", "test")
    assert made(tmp_path, "valid")[0].up_to_date


def test_new_pairs_have_the_ids_of_given_codecs(pair_file: Path, tmp_path: Path) -> None:
    overrides = ["text.unit=bpe", "text.src.max_size=60", "text.tgt.max_size=70", "text.tgt.lowercase=true"]
    prepare(pair_file, out=tmp_path / "old", overrides=overrides, languages="en-nl")
    codecs = load_codecs(tmp_path / "old")
    new = file(tmp_path, "new.txt", ["Tom sees Ω cats.\tTom sieht Ω Katzen.", *pair_lines(30)])

    report = prepare(*new, out=tmp_path / "new", overrides=["text.unit=bpe"], codec_from=tmp_path / "old")
    corpus = PreparedCorpus.open(tmp_path / "new")
    assert (corpus.src_codec, corpus.tgt_codec) == codecs
    assert (tmp_path / "new" / "codec" / "src.json").read_bytes() == (
        tmp_path / "old" / "codec" / "src.json"
    ).read_bytes()
    text = report.manifest.text
    assert (text.unit, text.tgt.language, text.tgt.lowercase, text.tgt.max_size) == ("bpe", "nl", True, 70)
    for name in SPLITS:
        ids = corpus.split(name)
        for pair, (source, _) in enumerate(corpus.sentences(name)):
            assert ids.src.row(pair).tolist() == codecs[0].read(source).ids
    assert prepare(*new, out=tmp_path / "new", codec_from=tmp_path / "old").up_to_date
    with pytest.raises(UsageError, match="with the vocabularies of an older model"):
        prepare(*new, out=tmp_path / "new", overrides=overrides, languages="en-nl")


def test_a_config_that_contradicts_given_codecs_is_refused(pair_file: Path, tmp_path: Path) -> None:
    prepare(pair_file, out=tmp_path / "old", overrides=WORDS)
    other = ["text.unit=character", "text.src.min_count=1"]
    with pytest.raises(UsageError, match=r"unit is character, the model has word.*min_count is 1, the model has 2"):
        prepare(pair_file, out=tmp_path / "new", overrides=other, codec_from=tmp_path / "old")
    with pytest.raises(UsageError, match="the pairs are en-fr, but the model of --codec-from translates en-de"):
        prepare(pair_file, out=tmp_path / "new", codec_from=tmp_path / "old", languages="en-fr")


@pytest.mark.parametrize("split", ["valid", "test"])
def test_a_given_split_the_other_way_round_is_told(tmp_path: Path, split: SplitName) -> None:
    lines = pair_lines(300)
    pairs, held_out = file(tmp_path, "deu.txt", lines[:280]), lines[280:]
    crossed = ["\t".join(reversed(line.split("\t"))) for line in held_out]
    for name, given in (("same", held_out), ("crossed", crossed)):
        splits = {split: file(tmp_path, f"{name}.tsv", given)}
        report = prepare(*pairs, out=tmp_path / name, **splits)  # type: ignore[arg-type]
        found = [warning.partition(":")[0] for warning in report.warnings]
        assert found == ([split] if name == "crossed" else [])


def test_splits_that_are_drawn_are_never_the_other_way_round(tmp_path: Path) -> None:
    words = [f"{a}{b}" for a in "bdfgk" for b in "aeiou"]
    lines = [f"{one}\t{other}" for one in words for other in words if one != other]
    report = prepare(*file(tmp_path, "both.txt", lines), out=tmp_path / "out")
    assert not [warning for warning in report.warnings if "exchanged" in warning]


def test_languages_that_contradict_the_name_of_the_file_are_told(tmp_path: Path) -> None:
    pairs = file(tmp_path, "deu.txt", pair_lines(300))
    told = "deu.txt: says that its columns are en-de; they are taken as de-en: for the other direction use --swap"
    for number, options in enumerate(({"languages": "de-en"}, {"overrides": ["text.src.language=de"]})):
        report = prepare(*pairs, out=tmp_path / f"out{number}", **options)  # type: ignore[arg-type]
        assert [warning.removeprefix(f"{tmp_path}/") for warning in report.warnings] == [told]
    assert prepare(*pairs, out=tmp_path / "swapped", overrides=["data.swap=true"]).warnings == []
    simple = file(tmp_path, "para.en-en.tsv", pair_lines(300))
    assert prepare(*simple, out=tmp_path / "simple").warnings == []
    named = file(tmp_path, "named.tsv", ["en\tfr", *pair_lines(300)])
    [warning] = prepare(*named, out=tmp_path / "named", languages="en-de").warnings
    assert "says that its columns are en-fr; they are taken as en-de: see --languages" in warning


def test_the_first_file_states_the_languages_and_files_of_others_are_told(tmp_path: Path) -> None:
    for ending in ("de", "en"):
        file(tmp_path, f"X.de-en.{ending}", [f"{ending} {number}." for number in range(100)])
    table = file(tmp_path, "news.en-fr.tsv", pair_lines(300))
    aligned = tmp_path / "X.de-en.de", tmp_path / "X.de-en.en"
    report = prepare(*aligned, *table, out=tmp_path / "out")
    assert (report.manifest.text.src.language, report.manifest.text.tgt.language) == ("de", "en")
    [warning] = report.warnings
    assert warning.endswith(
        "news.en-fr.tsv: says that its columns are en-fr; they are taken as de-en: see --languages, or prepare each"
        " pair of languages by itself"
    )
    for options in ({"languages": "de-en"}, {"overrides": ["text.src.language=de", "text.tgt.language=en"]}):
        assert prepare(*aligned, *table, out=tmp_path / "out", overwrite=True, **options).warnings == []
    published = [*file(tmp_path, "fra.txt", pair_lines(300)), *file(tmp_path, "spa.txt", pair_lines(9))]
    report = prepare(*published, out=tmp_path / "french")
    assert (report.manifest.text.tgt.language, len(report.warnings)) == ("fr", 1)


def test_swap_is_advised_only_where_all_files_for_training_state_the_other_direction(tmp_path: Path) -> None:
    mine = file(tmp_path, "mine.txt", pair_lines(300))
    for ending in ("de", "en"):
        file(tmp_path, f"v.{ending}", [f"{ending} {number}." for number in range(9)])
    held_out = [tmp_path / "v.de", tmp_path / "v.en"]
    [warning] = prepare(*mine, valid=held_out, out=tmp_path / "split").warnings
    assert warning.endswith(
        "v.en: says that its columns are de-en; they are taken as en-de: give its columns or files in the order of"
        " those for training"
    )
    german = file(tmp_path, "news.de-en.tsv", pair_lines(9))
    [warning] = prepare(*mine, *german, languages="en-de", out=tmp_path / "mixed").warnings
    assert warning.endswith("they are taken as en-de: give its columns or files in the order of the others")
    [warning] = prepare(*german, valid=held_out[::-1], languages="en-de", out=tmp_path / "all").warnings
    assert warning.endswith("they are taken as en-de: for the other direction use --swap")


def test_the_manifest_tells_the_sides_of_aligned_files_that_are_swapped(tmp_path: Path) -> None:
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("".join(f"{name} {number}.\n" for number in range(100)), encoding="utf-8")
    files, out = (tmp_path / "a.en", tmp_path / "a.de"), tmp_path / "swapped"
    prepare(*files, out=out, overrides=["data.swap=true"])
    assert {file.name: file.side for file in read_manifest(out).pair_files} == {"a.en": "tgt", "a.de": "src"}


def test_an_older_model_takes_no_pairs_of_other_languages(tmp_path: Path) -> None:
    older = prepare(*file(tmp_path, "deu.txt", pair_lines(300)), out=tmp_path / "older").out
    french = file(tmp_path, "fra.txt", pair_lines(300))
    with pytest.raises(UsageError, match="the pairs are en-fr, but the model of --codec-from translates en-de"):
        prepare(*french, out=tmp_path / "newer", codec_from=older)
    prepare(*french, out=tmp_path / "newer", codec_from=older, languages="en-de")


def test_two_files_of_lines_are_other_pairs_than_two_tables(tmp_path: Path) -> None:
    one, other = (file(tmp_path, name, ["a\tb", "c\td"] * 5) for name in ("al.en", "al.de"))
    prepare(*one, *other, out=tmp_path / "out")
    with pytest.raises(UsageError, match="holds another preparation"):
        prepare(src=one, tgt=other, out=tmp_path / "out")
