import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from seq2seq_cli.corpus.inspection import draw_pairs
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import SPLITS
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.preparation.pipeline import prepare
from seq2seq_cli.text.sides import SIDES
from seq2seq_cli.text.vocabulary import UNK
from tests.corpora import forge_record


@pytest.fixture
def folder(pair_file: Path, tmp_path: Path) -> Path:
    prepare(pair_file, out=tmp_path / "out", overrides=["data.max_tokens=50"])
    return tmp_path / "out"


NO_TRAINING = {
    name: {"pairs": pairs, "sources": pairs, "covered": None}
    for name, pairs in [("train", 0), ("valid", 1), ("test", 1)]
}


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
    for side, codec, record in zip(SIDES, corpus.codecs, (corpus.manifest.src, corpus.manifest.tgt), strict=True):
        for name in SPLITS:
            ids, texts = corpus.split(name).side(side), list(corpus.texts(name, side))
            assert len(ids) == len(texts) == corpus.manifest.splits[name].pairs > 0
            assert [ids.row(number).tolist() for number in range(len(ids))] == [codec.read(text).ids for text in texts]
        assert sum(len(corpus.split(name).side(side).values) for name in SPLITS) == record.tokens
    valid = [id_ for source, _ in corpus.sentences("valid") for id_ in corpus.codec("src").read(source).ids]
    assert corpus.manifest.src.unknown_rate == pytest.approx(valid.count(UNK) / len(valid))


def test_pairs_keep_the_order_of_the_file(folder: Path, pair_file: Path) -> None:
    order = {line: number for number, line in enumerate(pair_file.read_text(encoding="utf-8").splitlines())}
    places = [order["\t".join(pair)] for pair in PreparedCorpus.open(folder).sentences("train")]
    assert places == sorted(places)


def write_into(file: Path) -> None:
    with file.open("rb+") as opened:
        opened.seek(-8, os.SEEK_END)
        opened.write(bytes(8))


def test_a_folder_that_is_replaced_or_removed_is_as_it_was_or_damaged(folder: Path, tmp_path: Path) -> None:
    def held() -> list[object]:
        return [corpus.sentences("valid"), corpus.sentences("test"), [len(corpus.split(name)) for name in SPLITS]]

    corpus, other = PreparedCorpus.open(folder), tmp_path / "other.txt"
    before = held()
    other.write_text("".join(f"{n} mice\t{n} Mäuse\n" for n in range(50)), encoding="utf-8")
    prepare(other, out=folder, overwrite=True)
    for state in ("damaged", "missing"):
        assert held() == before
        with pytest.raises(PreparedFolderError, match=rf"train\.src\.txt: {state}: prepare again"):
            corpus.sentences("train")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 99}, "made by a newer s2s .*: upgrade"),
        ({"format": "1"}, "damaged: no format number"),
        ({"splits": {}}, "damaged: splits: .*no test and train and valid"),
        ({"splits": NO_TRAINING}, "damaged: splits: .*no training pairs"),
        ({"data": {"max_tokens": "many"}}, r"damaged: data\.max_tokens: "),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused(folder: Path, changes: dict[str, object], message: str) -> None:
    change_manifest(folder, **changes)
    with pytest.raises(PreparedFolderError, match=message) as caught:
        PreparedCorpus.open(folder)
    assert "\n" not in str(caught.value)
    (folder / "manifest.json").unlink()
    with pytest.raises(PreparedFolderError, match=r"not a prepared folder: name one"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("name", ["codec/src.json", "train.src.offsets.npy"])
def test_a_file_that_is_missing_or_cut_is_named(folder: Path, name: str) -> None:
    file = folder / name
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(PreparedFolderError, match=f"{name}: damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)
    file.unlink()
    with pytest.raises(PreparedFolderError, match=f"{name}: missing"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize(
    "name", ["codec/tgt.json", "train.src.npy", "train.tgt.offsets.npy", "test.src.txt", "train.src.txt", "dropped.tsv"]
)
def test_a_file_of_the_right_size_with_other_bytes_is_damaged(folder: Path, name: str) -> None:
    corpus = PreparedCorpus.open(folder)
    corpus.verify()
    write_into(folder / name)
    message = f"{name}: damaged: prepare again with --overwrite"
    with pytest.raises(PreparedFolderError, match=message):
        corpus.verify()
    if name not in ("dropped.tsv", "train.src.txt"):  # which are read later, if at all
        with pytest.raises(PreparedFolderError, match=message):
            PreparedCorpus.open(folder)


def with_numbers(*numbers: int, kind: str = "<u2") -> bytes:
    written = io.BytesIO()
    np.save(written, np.array(numbers, dtype=kind))
    return written.getvalue()


OFFSETS: dict[str, Callable[[NDArray[np.int64]], NDArray[np.int64]]] = {
    "backwards": lambda offsets: offsets[::-1],
    "negative": lambda offsets: np.concatenate([[-1], offsets[1:]]),
    "too large": lambda offsets: np.concatenate([offsets[:5], [60_000], offsets[6:]]),
}
FORGED: dict[str, Callable[[bytes], bytes]] = {
    "two dimensions": lambda _: with_numbers(0, 0).replace(b"(2,)", b"(2,1)"),
    "signed": lambda _: with_numbers(0, 0, 0, kind="<i8"),
    "too few": lambda _: with_numbers(0, 0, 0),
    "beyond the vocabulary": lambda content: content[:-2] + b"\xff\xff",
    "no header": lambda content: content.replace(b"{'", b"{{", 1),
}


@pytest.mark.parametrize("fault", [*FORGED, *OFFSETS])
def test_other_numbers_with_a_forged_hash_are_damaged(folder: Path, fault: str) -> None:
    path = folder / ("train.src.npy" if fault in FORGED else "train.src.offsets.npy")
    if fault in FORGED:
        path.write_bytes(FORGED[fault](path.read_bytes()))
    else:
        np.save(path, OFFSETS[fault](np.load(path)))
    forge_record(folder, path.name)
    with pytest.raises(PreparedFolderError, match=r"train\..* damaged: prepare again with --overwrite"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("change", [lambda lines: lines[:-1], lambda lines: [b"\xff", *lines[1:]]])
def test_other_texts_with_a_forged_hash_are_damaged(folder: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    for side in ("src", "tgt"):
        path = folder / f"train.{side}.txt"
        path.write_bytes(b"".join(line + b"\n" for line in change(path.read_bytes().splitlines())))
        forge_record(folder, path.name)
    corpus = PreparedCorpus.open(folder)
    for read in (lambda: corpus.sentences("train"), lambda: list(draw_pairs(corpus, 5, 1))):
        with pytest.raises(PreparedFolderError, match=r"train\..* damaged: prepare again with --overwrite"):
            read()


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/../../b", "..\\secret", "C:\\secret", "C:secret", "a\0b", ""]
)
def test_a_manifest_names_no_file_outside_its_folder_on_any_system(folder: Path, name: str) -> None:
    files = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
    change_manifest(folder, files=files | {name: files["codec/src.json"]})
    with pytest.raises(PreparedFolderError, match=r"damaged: files\..* should match pattern"):
        PreparedCorpus.open(folder)
