import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.corpus.batches import collate
from seq2seq_cli.corpus.inspection import count_references, draw_pairs
from seq2seq_cli.corpus.manifest import FileRecord
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.text.vocabulary import UNK


@pytest.fixture
def folder(pair_file: Path, tmp_path: Path) -> Path:
    prepare(pair_file, out=tmp_path / "out", overrides=["data.max_tokens=50"])
    return tmp_path / "out"


FOUND = load_config(None, ["data.max_tokens=50", "text.src.language=en", "text.tgt.language=de"])


NO_TRAINING = {name: {"pairs": pairs, "sources": pairs} for name, pairs in [("train", 0), ("valid", 1), ("test", 1)]}


def change_manifest(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


@pytest.mark.parametrize(
    "overrides",
    [
        ["text.unit=word"],
        ["text.unit=bpe", "text.src.max_size=80", "text.tgt.max_size=80", "text.shared_vocabulary=true"],
        ["text.unit=character", "text.tgt.min_count=1"],
    ],
    ids=["word", "bpe", "character"],
)
def test_ids_are_those_of_the_codecs(pair_file: Path, tmp_path: Path, overrides: list[str]) -> None:
    prepare(pair_file, out=tmp_path / "out", overrides=overrides)
    corpus = PreparedCorpus.open(tmp_path / "out")
    tokens = {"src": 0, "tgt": 0}
    for name in SPLITS:
        ids, sentences = corpus.split(name), corpus.sentences(name)
        assert len(ids) == len(sentences) == corpus.manifest.splits[name].pairs > 0
        for pair, (source, target) in enumerate(sentences):
            assert ids.src.row(pair).tolist() == corpus.src_codec.read(source).ids
            assert ids.tgt.row(pair).tolist() == corpus.tgt_codec.read(target).ids
            assert ids.src.lengths[pair] == len(ids.src.row(pair))
            assert ids.tgt.lengths[pair] == len(ids.tgt.row(pair))
        tokens["src"] += int(ids.src.lengths.sum())
        tokens["tgt"] += int(ids.tgt.lengths.sum())
    assert tokens == {"src": corpus.manifest.src.tokens, "tgt": corpus.manifest.tgt.tokens}
    valid = [id_ for source, _ in corpus.sentences("valid") for id_ in corpus.src_codec.read(source).ids]
    assert corpus.manifest.src.unknown_rate == pytest.approx(valid.count(UNK) / len(valid))


def test_pairs_keep_the_order_of_the_file(folder: Path, pair_file: Path) -> None:
    order = {line: number for number, line in enumerate(pair_file.read_text(encoding="utf-8").splitlines())}
    places = [order["\t".join(pair)] for pair in PreparedCorpus.open(folder).sentences("train")]
    assert places == sorted(places)


@pytest.fixture
def from_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of ids is small enough to be read into memory."""
    monkeypatch.setattr("seq2seq_cli.corpus.prepared.MOST_IN_MEMORY", 0)


def rows_of(folder: Path) -> list[list[int]]:
    train = PreparedCorpus.open(folder).split("train")
    some = np.array([5, 0, len(train) - 1, 5])
    return [row.tolist() for side in train.pick(some) for row in [side.values, side.offsets, side.lengths]]


def test_ids_on_the_disk_are_those_in_memory(folder: Path, request: pytest.FixtureRequest) -> None:
    in_memory = rows_of(folder)
    request.getfixturevalue("from_disk")
    assert rows_of(folder) == in_memory
    train = PreparedCorpus.open(folder).split("train")
    assert train.src.row(3).tolist() == train.src.pick(np.array([3])).values.tolist()


def cut(file: Path) -> None:
    with file.open("rb+") as opened:
        opened.truncate(200)


def write_into(file: Path) -> None:
    with file.open("rb+") as opened:
        opened.seek(-8, os.SEEK_END)
        opened.write(bytes(8))


@pytest.mark.usefixtures("from_disk")
@pytest.mark.parametrize("change", [cut, write_into])
def test_ids_that_were_changed_on_the_disk_are_never_taken_for_those_opened(
    folder: Path, change: Callable[[Path], None]
) -> None:
    corpus = PreparedCorpus.open(folder)
    change(folder / "train.src.npy")
    with pytest.raises(PreparedFolderError, match=r"train\.src\.npy: changed since it was opened"):
        collate(corpus.split("train"), [0, 1])
    assert corpus.changed_files() == [folder / "train.src.npy"]


@pytest.mark.parametrize("name", ["valid.src.txt", "test.tgt.txt"])
def test_a_text_that_was_changed_since_is_never_taken_for_the_one_opened(folder: Path, name: str) -> None:
    corpus = PreparedCorpus.open(folder)
    before = corpus.sentences("valid"), corpus.sentences("test")
    write_into(folder / name)
    with pytest.raises(PreparedFolderError, match=f"{name}: changed since it was opened"):
        corpus.sentences("valid" if "valid" in name else "test")
    with pytest.raises(PreparedFolderError, match=f"{name}: damaged"):
        PreparedCorpus.open(folder)
    assert before[0]


def test_a_folder_that_is_replaced_or_removed_is_read_as_it_was(folder: Path, tmp_path: Path) -> None:
    corpus, other = PreparedCorpus.open(folder), tmp_path / "other.txt"
    before = [(corpus.sentences(name), len(corpus.split(name))) for name in SPLITS]
    assert corpus.changed_files() == []
    other.write_text("".join(f"{n} mice\t{n} Mäuse\n" for n in range(50)), encoding="utf-8")
    prepare(other, out=folder, overwrite=True)
    assert [(corpus.sentences(name), len(corpus.split(name))) for name in SPLITS] == before
    assert folder / "train.src.npy" in corpus.changed_files()
    shutil.rmtree(folder)
    assert [(corpus.sentences(name), len(corpus.split(name))) for name in SPLITS] == before


def test_there_is_no_pair_before_the_first_or_after_the_last(folder: Path) -> None:
    train = PreparedCorpus.open(folder).split("train")
    for pair in (-1, len(train)):
        with pytest.raises(IndexError):
            train.src.row(pair)


def test_the_config_is_that_of_the_preparation(folder: Path) -> None:
    assert PreparedCorpus.open(folder).config == FOUND


def test_a_missing_folder_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(PreparedFolderError, match="no such folder: make it with: s2s prepare FILE"):
        PreparedCorpus.open(tmp_path / "none")


def test_a_folder_without_manifest_is_not_a_finished_one(folder: Path) -> None:
    (folder / "manifest.json").unlink()
    with pytest.raises(PreparedFolderError, match=r"not a prepared folder: it has no manifest\.json: name one"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "made by a newer s2s .*: upgrade"),
        ({"format": "1"}, "damaged: no format number"),
        ({"src": None}, "damaged: src: "),
        ({"splits": {}}, "damaged: splits: .*no test and train and valid"),
        ({"splits": NO_TRAINING}, "damaged: splits: .*no training pairs"),
        ({"data": {"max_tokens": "many"}}, r"damaged: data\.max_tokens: "),
        ({"data": {"max_token": 50}}, r"damaged: data\.max_token: "),
        ({"text": 5}, "damaged: text: "),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(folder: Path, changes: dict[str, object], message: str) -> None:
    change_manifest(folder, **changes)
    with pytest.raises(PreparedFolderError, match=message) as caught:
        PreparedCorpus.open(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["codec/src.json", "valid.tgt.npy", "test.src.txt", "train.src.offsets.npy"])
def test_a_file_that_is_missing_or_cut_is_named(folder: Path, name: str) -> None:
    file = folder / name
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(PreparedFolderError, match=f"{name}: damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)
    file.unlink()
    with pytest.raises(PreparedFolderError, match=f"{name}: missing"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("name", ["codec/src.json", "train.src.npy", "train.tgt.offsets.npy", "dropped.tsv"])
def test_a_file_of_the_right_size_with_other_bytes_is_found_by_a_check(folder: Path, name: str) -> None:
    corpus = PreparedCorpus.open(folder)
    corpus.verify()
    file = folder / name
    content = file.read_bytes()
    file.write_bytes(content[:-2] + bytes(255 - byte for byte in content[-2:]))
    with pytest.raises(PreparedFolderError, match=f"{name}: damaged: prepare again with --overwrite"):
        corpus.verify()


def test_a_codec_with_other_bytes_is_found_at_once(folder: Path) -> None:
    file = folder / "codec" / "tgt.json"
    file.write_bytes(file.read_bytes().replace(b"Katzen", b"Hunden"))
    with pytest.raises(PreparedFolderError, match=r"codec/tgt\.json: damaged"):
        PreparedCorpus.open(folder)


def test_a_folder_with_a_damaged_manifest_can_be_made_again(folder: Path, pair_file: Path) -> None:
    change_manifest(folder, pair_files=None)
    with pytest.raises(PreparedFolderError, match="damaged: pair_files"):
        PreparedCorpus.open(folder)
    prepare(pair_file, out=folder, overwrite=True)
    PreparedCorpus.open(folder).verify()


@pytest.mark.parametrize("name", ["train.src.npy", "train.tgt.offsets.npy", "valid.src.npy", "test.src.txt"])
def test_a_damaged_byte_is_found_when_the_folder_is_opened(folder: Path, name: str) -> None:
    write_into(folder / name)
    with pytest.raises(PreparedFolderError, match=f"{name}: damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("name", ["train.src.npy", "train.tgt.npy"])
def test_invalid_numbers_with_a_forged_hash_are_reported_when_they_are_used(folder: Path, name: str) -> None:
    numbers = np.load(folder / name)
    numbers[1:-1] = 60_000
    np.save(folder / name, numbers)
    forge_record(folder, name)
    ids = PreparedCorpus.open(folder).split("train")
    with pytest.raises(PreparedFolderError, match="the split 'train' is damaged: prepare again with --overwrite"):
        collate(ids, [0, 1, 2])


@pytest.mark.parametrize(
    "numbers",
    [np.zeros((2, 2), dtype="<u2"), np.zeros(3), np.zeros(3, dtype="<i8"), np.array(["a"]), np.zeros(3, dtype="<u2")],
    ids=["two dimensions", "floats", "signed", "texts", "too few"],
)
def test_other_numbers_with_a_forged_hash_are_damaged(folder: Path, numbers: NDArray[Any]) -> None:
    np.save(folder / "train.src.npy", numbers)
    forge_record(folder, "train.src.npy")
    with pytest.raises(PreparedFolderError, match="the split 'train' is damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda offsets: offsets[::-1],
        lambda offsets: np.concatenate([[-1], offsets[1:]]),
        lambda offsets: np.concatenate([offsets[:5], [60_000], offsets[6:]]),
    ],
    ids=["backwards", "negative", "too large"],
)
def test_offsets_in_another_order_with_a_forged_hash_are_damaged(
    folder: Path, change: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> None:
    path = folder / "train.src.offsets.npy"
    np.save(path, change(np.load(path)))
    forge_record(folder, path.name)
    with pytest.raises(PreparedFolderError, match="the split 'train' is damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("header", [b"{{", b"(" * 60, b"{'descr': [('a', '<u2', (2**40,))]", b"\xff", b""])
def test_a_header_that_numpy_does_not_write_is_damaged(folder: Path, header: bytes) -> None:
    path = folder / "train.src.npy"
    content = path.read_bytes()
    path.write_bytes(content[:10] + header + content[10 + len(header) :])
    if not header:
        path.write_bytes(content[:60])
    forge_record(folder, path.name)
    with pytest.raises(PreparedFolderError, match="the split 'train' is damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [*lines, b"more"],
        lambda lines: lines[:-1],
        lambda lines: [b"\xff", *lines[1:]],
    ],
    ids=["more", "fewer", "not UTF-8"],
)
def test_other_texts_with_a_forged_hash_are_damaged(folder: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    for side in ("src", "tgt"):
        path = folder / f"train.{side}.txt"
        path.write_bytes(b"".join(line + b"\n" for line in change(path.read_bytes().splitlines())))
        forge_record(folder, path.name)
    corpus = PreparedCorpus.open(folder)
    for read in (
        lambda: corpus.sentences("train"),
        lambda: count_references(corpus, "train"),
        lambda: draw_pairs(corpus, 5, 1),
    ):
        with pytest.raises(PreparedFolderError, match="the split 'train' is damaged: prepare again with --overwrite"):
            read()


def forge_record(folder: Path, name: str) -> None:
    """Describe a file in the manifest as it is now."""
    files = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    change_manifest(folder, files=files | {name: FileRecord.of(folder / name).model_dump()})
