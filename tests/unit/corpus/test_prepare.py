import importlib.util
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from pathlib import Path

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.prepare import prepare
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import (
    ConfigError,
    InputError,
    Interrupted,
    PairFileError,
    PreparedFolderError,
    S2SError,
    UsageError,
)

from .conftest import pair_lines


def prepared(pair_file: Path, out: Path, overrides: Sequence[str] = ()) -> PreparedCorpus:
    prepare(pair_file, out, load_config(None, overrides))
    return PreparedCorpus.open(out)


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_report_is_that_of_the_folder(pair_file: Path, tmp_path: Path) -> None:
    with pair_file.open("a", encoding="utf-8") as file:
        file.write("\n" + "much " * 101 + "\tviel\nTom sees 0 cats.\tTom sieht 0 Katzen.\n")
    report = prepare(pair_file, tmp_path / "out", load_config(None))

    manifest = PreparedCorpus.open(tmp_path / "out").manifest
    assert report.manifest == manifest
    assert not report.up_to_date
    assert manifest.lines_read == 303
    assert {reason: (it.count, it.lines) for reason, it in manifest.dropped.items()} == {
        "blank line": (1, [301]),
        "too long": (1, [302]),
        "duplicate": (1, [303]),
    }
    assert sum(split.pairs for split in manifest.splits.values()) == 300


def test_vocabularies_come_from_training_alone(pair_file: Path, tmp_path: Path) -> None:
    corpus = prepared(pair_file, tmp_path / "out", ["text.src.min_count=1", "text.tgt.min_count=1"])

    train = {word for source, _ in corpus.sentences("train") for word in source.lower().replace(".", " .").split()}
    assert set(corpus.src_codec.vocabulary.words) == train
    valid = [word for source, _ in corpus.sentences("valid") for word in source.lower().replace(".", " .").split()]
    assert corpus.manifest.src.unknown_rate == pytest.approx(sum(word not in train for word in valid) / len(valid))


def test_without_held_out_splits_everything_is_for_training(pair_file: Path, tmp_path: Path) -> None:
    corpus = prepared(pair_file, tmp_path / "out", ["data.valid_sources=0", "data.test_sources=0"])

    assert [len(corpus.split(name)) for name in ("train", "valid", "test")] == [300, 0, 0]
    assert corpus.sentences("valid") == []
    assert corpus.manifest.src.unknown_rate is None


def test_the_number_of_processes_does_not_change_a_byte(tmp_path: Path) -> None:
    pair_file = tmp_path / "deu.txt"
    pair_file.write_text("\n".join(pair_lines(9000)), encoding="utf-8")
    prepare(pair_file, tmp_path / "one", load_config(None))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        prepare(pair_file, tmp_path / "two", load_config(None), executor=pool)

    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_dead_worker_is_told_and_nothing_is_written(pair_file: Path, tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(os._exit, 1).exception()
        with pytest.raises(S2SError, match="a worker process died"):
            prepare(pair_file, tmp_path / "out", load_config(None), executor=pool)

    assert list(tmp_path.iterdir()) == [pair_file]


class Interrupting(Executor):
    def submit(self, *_: object, **__: object) -> Future[object]:  # type: ignore[override]
        raise KeyboardInterrupt


def test_stopped_by_the_user_it_says_that_nothing_was_written(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match="nothing was written"):
        prepare(pair_file, tmp_path / "out", load_config(None), executor=Interrupting())
    assert list(tmp_path.iterdir()) == [pair_file]


def test_more_words_than_two_bytes_can_number_take_four(tmp_path: Path) -> None:
    pair_file = tmp_path / "deu.txt"
    lines = [f"{' '.join(f'w{start + n}' for n in range(90))}\tja {start}" for start in range(0, 72_000, 90)]
    pair_file.write_text("\n".join(lines), encoding="utf-8")
    corpus = prepared(
        pair_file, tmp_path / "out", ["text.src.min_count=1", "text.src.max_size=null", "data.valid_sources=0"]
    )
    train = corpus.split("train")
    assert train.src(0).dtype.itemsize == 4
    assert train.tgt(0).dtype.itemsize == 2
    last = len(train) - 1
    assert train.src(last).tolist() == corpus.src_codec.encode(corpus.sentences("train")[last][0])


def test_the_same_again_is_left_alone(pair_file: Path, tmp_path: Path) -> None:
    first = prepare(pair_file, tmp_path / "out", load_config(None))
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    second = prepare(pair_file, tmp_path / "out", load_config(None))

    assert second.up_to_date
    assert second.manifest == first.manifest
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before


def test_another_preparation_is_replaced_only_when_asked(pair_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prepare(pair_file, out, load_config(None))
    other = load_config(None, ["data.limit=200", "text.tgt.lowercase=true"])

    with pytest.raises(UsageError, match=r"data.limit=null, now 200.*text.tgt.lowercase=false, now true") as caught:
        prepare(pair_file, out, other)
    assert "--overwrite" in str(caught.value)
    assert "--out" in str(caught.value)

    assert prepare(pair_file, out, other, overwrite=True).manifest.lines_read == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deu.txt", "out"]


def test_another_file_is_told_apart_by_its_content(pair_file: Path, tmp_path: Path) -> None:
    prepare(pair_file, tmp_path / "out", load_config(None))
    pair_file.write_text("\n".join(pair_lines(301)), encoding="utf-8")

    with pytest.raises(UsageError, match=r"of another pair file, deu\.txt"):
        prepare(pair_file, tmp_path / "out", load_config(None))


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_prepare_did_not_write_is_never_replaced(pair_file: Path, tmp_path: Path, overwrite: bool) -> None:
    folder, file, mixed = tmp_path / "folder", tmp_path / "file", tmp_path / "mixed"
    folder.mkdir()
    (folder / "thesis.tex").touch()
    file.touch()
    for out in (folder, file):
        with pytest.raises(UsageError, match="not a prepared folder"):
            prepare(pair_file, out, load_config(None), overwrite=overwrite)
    assert (folder / "thesis.tex").exists()

    prepare(pair_file, mixed, load_config(None))
    (mixed / "codec" / "notes.txt").touch()
    with pytest.raises(UsageError, match="prepare did not write .*notes.txt" if overwrite else "data.limit"):
        prepare(pair_file, mixed, load_config(None, ["data.limit=200"]), overwrite=overwrite)
    assert (mixed / "codec" / "notes.txt").exists()


def test_an_empty_folder_is_used(pair_file: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert len(prepared(pair_file, tmp_path / "out").split("train")) > 200


def test_a_damaged_preparation_is_told_and_can_be_made_again(pair_file: Path, tmp_path: Path) -> None:
    prepare(pair_file, tmp_path / "out", load_config(None))
    (tmp_path / "out" / "train.src.npy").write_bytes(b"")

    with pytest.raises(PreparedFolderError, match="damaged: prepare again with --overwrite"):
        prepare(pair_file, tmp_path / "out", load_config(None))
    prepare(pair_file, tmp_path / "out", load_config(None), overwrite=True)
    assert len(PreparedCorpus.open(tmp_path / "out").split("train")) > 200


def test_languages_without_a_tokenizer_are_named_by_their_keys(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        prepare(pair_file, tmp_path / "out", load_config(None, ["text.src.language=qq", "text.tgt.language=qqq"]))
    assert [line.split(":")[0] for line in caught.value.problems] == ["text.src.language", "text.tgt.language"]


@pytest.mark.skipif(importlib.util.find_spec("sudachipy") is not None, reason="the package is there")
def test_a_language_that_needs_another_package_names_it(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'ja' needs another package: .*SudachiPy"):
        prepare(pair_file, tmp_path / "out", load_config(None, ["text.tgt.language=ja"]))


def test_pairs_that_are_all_too_long_are_refused(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match=r"more than data\.max_tokens=2 tokens"):
        prepare(pair_file, tmp_path / "out", load_config(None, ["data.max_tokens=2"]))
    assert list(tmp_path.iterdir()) == [pair_file]


def test_a_place_that_cannot_be_written_is_told(pair_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written: .*--out"):
        prepare(pair_file, pair_file / "out", load_config(None))
