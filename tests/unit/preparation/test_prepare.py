import importlib.metadata
import multiprocessing
import os
import string
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest

from seq2seq_cli.compute.workers import OpenWorkers, Workers
from seq2seq_cli.corpus.manifest import MANIFEST
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import ConfigError, PairFileError, PreparedFolderError, S2SError, UsageError
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.preparation.pipeline import prepare
from tests.corpora import WORDS, pair_lines, write_lines
from tests.folders import contents, disk_full_after


def prepared(pair_file: Path, out: Path, overrides: Sequence[str] = ()) -> PreparedCorpus:
    prepare(pair_file, out=out, overrides=overrides)
    return PreparedCorpus.open(out)


def by(executor: Executor) -> OpenWorkers:
    return lambda _: nullcontext(Workers(executor=executor, count=2))


def test_the_report_is_that_of_the_folder(pair_file: Path, tmp_path: Path) -> None:
    with pair_file.open("a", encoding="utf-8") as file:
        file.write("\n" + "much " * 101 + "\tviel\nTom sees 0 cats.\tTom sieht 0 Katzen.\n")
    report = prepare(pair_file, out=tmp_path / "out")

    manifest = PreparedCorpus.open(tmp_path / "out").manifest
    assert report.manifest == manifest
    assert not report.up_to_date
    assert manifest.lines_read == 303
    assert {reason: (it.count, it.first) for reason, it in manifest.dropped.items()} == {
        "blank line": (1, ["deu.txt:301"]),
        "too long": (1, ["deu.txt:302"]),
        "duplicate": (1, ["deu.txt:303"]),
    }
    assert sum(split.pairs for split in manifest.splits.values()) == 300


def test_vocabularies_come_from_training_alone(pair_file: Path, tmp_path: Path) -> None:
    corpus = prepared(pair_file, tmp_path / "out", [*WORDS, "text.src.min_count=1", "text.tgt.min_count=1"])

    train = {word for source, _ in corpus.sentences("train") for word in source.lower().replace(".", " .").split()}
    assert set(corpus.codec("src").vocabulary.words) == train


def test_without_held_out_splits_everything_is_for_training(pair_file: Path, tmp_path: Path) -> None:
    corpus = prepared(pair_file, tmp_path / "out", ["data.valid_sources=0", "data.test_sources=0"])

    assert [len(corpus.split(name)) for name in ("train", "valid", "test")] == [300, 0, 0]
    assert corpus.sentences("valid") == []
    assert corpus.manifest.src.unknown_rate is None


def test_the_number_of_processes_does_not_change_a_byte(tmp_path: Path) -> None:
    pair_file = write_lines(tmp_path / "deu.txt", pair_lines(9000))
    prepare(pair_file, out=tmp_path / "one")
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        prepare(pair_file, out=tmp_path / "two", open_workers=by(pool))

    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_dead_worker_is_reported_and_nothing_is_written(pair_file: Path, tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(os._exit, 1).exception()
        with pytest.raises(S2SError, match="a worker process died"):
            prepare(pair_file, out=tmp_path / "out", open_workers=by(pool))

    assert list(tmp_path.iterdir()) == [pair_file]


def test_more_words_than_two_bytes_can_number_take_four(tmp_path: Path) -> None:
    lines = [f"{' '.join(f'w{start + n}' for n in range(90))}\tja {start}" for start in range(0, 72_000, 90)]
    pair_file = write_lines(tmp_path / "deu.txt", lines)
    keys = [*WORDS, "text.src.min_count=1", "text.src.max_size=null", "data.valid_sources=0", "data.max_ratio=100"]
    corpus = prepared(pair_file, tmp_path / "out", keys)
    train = corpus.split("train")
    assert train.src.row(0).dtype.itemsize == 4
    assert train.tgt.row(0).dtype.itemsize == 2
    last = len(train) - 1
    assert train.src.row(last).tolist() == corpus.codec("src").read(corpus.sentences("train")[last][0]).ids


def test_an_up_to_date_folder_is_left_alone(pair_file: Path, tmp_path: Path) -> None:
    first = prepare(pair_file, out=tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    second = prepare(pair_file, out=tmp_path / "out")

    assert second.up_to_date
    assert second.manifest == first.manifest
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before


def test_another_preparation_is_replaced_only_when_asked(pair_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(pair_file, out=out)
    other = ["data.limit=200", "text.tgt.lowercase=true"]

    with pytest.raises(UsageError, match=r"data.limit: null -> 200, text.tgt.lowercase: false -> true") as caught:
        prepare(pair_file, out=out, overrides=other)
    assert "--overwrite" in str(caught.value)
    assert "--out" in str(caught.value)

    assert prepare(pair_file, out=out, overrides=other, overwrite=True).manifest.lines_read == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deu.txt", "out"]


def test_another_version_of_spacy_makes_another_preparation(pair_file: Path, tmp_path: Path) -> None:
    manifest = prepare(pair_file, out=tmp_path / "out").manifest
    assert manifest.spacy == importlib.metadata.version("spacy")
    write_json(tmp_path / "out" / MANIFEST, {**manifest.model_dump(), "spacy": "0.1"})
    with pytest.raises(UsageError, match=rf"\(by spaCy 0\.1, now {manifest.spacy}\)"):
        prepare(pair_file, out=tmp_path / "out")


@pytest.mark.parametrize("overwrite", [False, True])
def test_files_that_prepare_did_not_write_are_never_replaced(pair_file: Path, tmp_path: Path, overwrite: bool) -> None:
    folder, file, mixed = tmp_path / "folder", tmp_path / "file", tmp_path / "mixed"
    folder.mkdir()
    (folder / "thesis.tex").touch()
    file.touch()
    for out in (folder, file):
        with pytest.raises(UsageError, match="not a prepared folder"):
            prepare(pair_file, out=out, overwrite=overwrite)
    assert (folder / "thesis.tex").exists()

    prepare(pair_file, out=mixed)
    (mixed / "codec" / "notes.txt").touch()
    if overwrite:
        prepare(pair_file, out=mixed, overrides=["data.limit=200"], overwrite=True)
    assert (mixed / "codec" / "notes.txt").exists()


def test_a_damaged_folder_is_reported_and_can_be_made_again(pair_file: Path, tmp_path: Path) -> None:
    prepare(pair_file, out=tmp_path / "out")
    (tmp_path / "out" / "train.src.npy").write_bytes(b"")

    with pytest.raises(PreparedFolderError, match="damaged: prepare again with --overwrite"):
        prepare(pair_file, out=tmp_path / "out")
    prepare(pair_file, out=tmp_path / "out", overwrite=True)
    assert len(PreparedCorpus.open(tmp_path / "out").split("train")) > 200


@pytest.mark.parametrize("damaged", ["{", "[]"])
def test_a_damaged_manifest_is_reported_with_what_helps(pair_file: Path, tmp_path: Path, damaged: str) -> None:
    prepare(pair_file, out=tmp_path / "out")
    (tmp_path / "out" / "manifest.json").write_text(damaged, encoding="utf-8")
    for overwrite in (False, True):
        with pytest.raises(PreparedFolderError, match=r"damaged: .*: delete the folder and prepare again"):
            prepare(pair_file, out=tmp_path / "out", overwrite=overwrite)


def test_a_config_that_cannot_be_trained_with_is_refused_at_once(pair_file: Path, tmp_path: Path) -> None:
    overrides = ["model.attention.score=location", "training.bpe_dropout=0.1"]
    with pytest.raises(ConfigError, match=r"training\.bpe_dropout .* model\.attention\.score"):
        prepare(pair_file, out=tmp_path / "prepared", overrides=overrides)


def test_a_split_that_stays_empty_is_told(tmp_path: Path) -> None:
    pair_file = write_lines(tmp_path / "one.txt", (f"The house {number}.\tthe same" for number in range(100)))
    report = prepare(pair_file, out=tmp_path / "out")
    assert [split.pairs for split in report.manifest.splits.values()] == [100, 0, 0]
    assert report.warnings == [
        f"nothing is held out for {split}: the pairs form too few, or too large, groups of shared sentences: give a"
        f" file with --{split}, or prepare without it: --set data.{split}_sources=0"
        for split in ("valid", "test")
    ]
    none = ["data.valid_sources=0", "data.test_sources=0"]
    assert prepare(pair_file, out=tmp_path / "none", overrides=none).warnings == []


def test_examples_of_dropped_lines_are_written_as_a_table(tmp_path: Path) -> None:
    lines = pair_lines(400)
    lines[3] = "no tab " + "x" * 500
    lines[7] = "empty\x07 \t"
    lines[9] = f"too {'much ' * 10}\ttoo {'viel ' * 10}"
    lines[11] = "one\t" + "zwei " * 9
    lines[13:] = lines[13:] + [lines[20]] * 150
    pair_file = write_lines(tmp_path / "deu.txt", lines)
    corpus = prepared(pair_file, tmp_path / "out", ["data.max_tokens=10", "data.max_ratio=8"])

    table = (tmp_path / "out" / "dropped.tsv").read_text(encoding="utf-8")
    header, *rows = [line.split("\t") for line in table.split("\n")[:-1]]
    assert header == ["reason", "place", "src", "tgt"]
    assert rows[:2] == [["no tab", "deu.txt:4", "no tab " + "x" * 193, ""], ["empty side", "deu.txt:8", "empty", ""]]
    duplicates = [row for row in rows if row[0] == "duplicate"]
    assert [row[1] for row in duplicates] == [f"deu.txt:{line}" for line in range(401, 501)]
    assert {tuple(row[2:]) for row in duplicates} == {tuple(lines[20].split("\t"))}
    assert [row[:2] for row in rows[-2:]] == [["too long", "deu.txt:10"], ["length ratio", "deu.txt:12"]]
    assert corpus.manifest.dropped["duplicate"].count == 150


def test_five_characters_count_as_one_token(tmp_path: Path) -> None:
    pairs = [f"{a}{b}{'o' * 48}\t{a}{b}" for a in "abcd" for b in string.ascii_lowercase][:99]
    pair_file = write_lines(tmp_path / "deu.txt", [*pairs, "a" * 51 + "\tb" + "c" * 9])
    corpus = prepared(pair_file, tmp_path / "out", ["text.unit=character", "data.max_tokens=10", "data.max_ratio=30"])
    assert {reason: it.first for reason, it in corpus.manifest.dropped.items()} == {"too long": ["deu.txt:100"]}


def test_several_files_are_one_corpus_and_lines_are_named_by_their_file(pair_file: Path, tmp_path: Path) -> None:
    lines = pair_lines(300)
    one = tmp_path / "one.tsv"
    one.write_text("\n".join(lines[:150]), encoding="utf-8")  # no line feed before the next file
    two = write_lines(tmp_path / "two.tsv", ["", *lines[150:200], lines[0]])
    src = write_lines(tmp_path / "three.en", (line.split("\t")[0] for line in lines[200:]))
    tgt = write_lines(tmp_path / "three.de", (line.split("\t")[1] for line in lines[200:]))

    manifest = prepare(one, two, src=[src], tgt=[tgt], out=tmp_path / "several").manifest
    prepare(pair_file, out=tmp_path / "one")

    assert [file.name for file in manifest.pair_files] == ["one.tsv", "two.tsv", "three.en", "three.de"]
    first = {reason: it.first[0] for reason, it in manifest.dropped.items()}
    assert first == {"blank line": "two.tsv:1", "duplicate": "two.tsv:52"}
    several, whole = contents(tmp_path / "several"), contents(tmp_path / "one")
    for name in ("manifest.json", "dropped.tsv"):  # which name the files
        assert several.pop(name) != whole.pop(name)
    assert several == whole


def test_a_bad_file_among_several_is_refused_by_its_own_counts(pair_file: Path, tmp_path: Path) -> None:
    bad = write_lines(tmp_path / "bad.txt", ["a\tb", "no tab"])
    with pytest.raises(PairFileError, match=r"bad\.txt:2: the line has no tab .*1 of 2 lines"):
        prepare(pair_file, bad, out=tmp_path / "data" / "new" / "prepared")
    assert set(tmp_path.iterdir()) == {bad, pair_file}  # no folders either


def test_a_full_disk_is_reported_and_nothing_stays(pair_file: Path, tmp_path: Path) -> None:
    with disk_full_after(5000), pytest.raises(UsageError, match="out: cannot be written: File too large"):
        prepare(pair_file, out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == [pair_file]


@pytest.mark.parametrize(
    ("pair", "doubt"),
    [
        ("The cat {n}.\tThe cat {n}.", "of 118 pairs have the same text on both sides"),
        ("The cat {n}.\tDas MÃ¤dchen {n}.", "of 118 pairs have characters such as Ã¤ for ä"),
        (
            "The cat\tEine Katze {n} " + "und noch eine " * 20,
            "of 118 lines are dropped as 'length ratio', from pairs.txt:1 on: raise data.max_ratio",
        ),
    ],
)
def test_doubts_about_many_pairs_are_told(tmp_path: Path, pair: str, doubt: str) -> None:
    lines = [pair.format(n=n) for n in range(18)] + [f"The dog {n}.\tDer Hund {n} ist da." for n in range(100)]
    [warning] = prepare(write_lines(tmp_path / "pairs.txt", lines), out=tmp_path / "out").warnings
    assert warning.startswith(f"18 {doubt}")


def test_one_letter_that_is_written_with_several_marks_becomes_one(tmp_path: Path) -> None:
    marks = ["ʼ", "ʼ", "'", "’"]
    pairs = [f"The house {n} isn't mine.\tzow{marks[n % 4]}si ka\u0331{marks[n % 4]}ab {n}" for n in range(300)]
    report = prepare(write_lines(tmp_path / "pairs.txt", pairs), out=tmp_path / "out", languages="en-ddo")
    assert report.notices == ["second column: marks between letters are written as ʼ"]
    corpus = PreparedCorpus.open(report.out)
    assert {text[3] + text[10] for _, text in corpus.sentences("train")} == {"ʼʼ"}
    assert all("isn't" in text for text, _ in corpus.sentences("train"))


def test_sides_are_compared_in_words_also_where_a_script_has_no_spaces(tmp_path: Path) -> None:
    pairs = [f"佢聽日會嚟第{n}間屋\tShe will come to house number {n} tomorrow if she has the time." for n in range(30)]
    assert not prepare(write_lines(tmp_path / "x.yue-en.tsv", pairs), out=tmp_path / "out").manifest.dropped
