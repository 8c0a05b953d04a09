import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from tests.corpora import forge_record, pair_lines, write_lines


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prepared folder."""
    folder = tmp_path_factory.mktemp("made")
    pairs = write_lines(folder / "deu.txt", pair_lines(300))
    return prepare(pairs, out=folder / "out", overrides=["data.max_tokens=50"]).out


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it, which may be changed."""
    return shutil.copytree(made, tmp_path / "out")


NO_TRAINING = {name: {"pairs": n, "sources": n, "covered": None} for name, n in zip(SPLITS, (0, 1, 1), strict=True)}


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


def test_a_folder_that_is_replaced_or_removed_is_as_it_was_or_damaged(folder: Path, tmp_path: Path) -> None:
    def held() -> list[object]:
        return [corpus.sentences("valid"), corpus.sentences("test"), [len(corpus.split(name)) for name in SPLITS]]

    corpus = PreparedCorpus.open(folder)
    before = held()
    other = write_lines(tmp_path / "other.txt", (f"{n} mice\t{n} Mäuse" for n in range(50)))
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
    with (folder / name).open("rb+") as file:
        file.seek(-8, os.SEEK_END)
        file.write(bytes(8))
    message = f"{name}: damaged: prepare again with --overwrite"
    with pytest.raises(PreparedFolderError, match=message):
        corpus.verify()
    if name not in ("dropped.tsv", "train.src.txt"):  # which are read later, if at all
        with pytest.raises(PreparedFolderError, match=message):
            PreparedCorpus.open(folder)


IDS, OFFSETS = "train.src.npy", "train.src.offsets.npy"
FORGED: dict[str, tuple[str, Callable[[NDArray[Any]], NDArray[Any]] | None]] = {
    "two dimensions": (IDS, lambda ids: ids.reshape(-1, 1)),
    "signed": (IDS, lambda ids: ids.astype(np.int64)),
    "too few": (IDS, lambda ids: ids[:3]),
    "beyond the vocabulary": (IDS, lambda ids: np.append(ids[:-1], ids.dtype.type(0xFFFF))),
    "no header": (IDS, None),
    "backwards": (OFFSETS, lambda offsets: offsets[::-1]),
    "negative": (OFFSETS, lambda offsets: np.concatenate([[-1], offsets[1:]])),
    "too large": (OFFSETS, lambda offsets: np.concatenate([offsets[:5], [60_000], offsets[6:]])),
}


@pytest.mark.parametrize("fault", FORGED)
def test_other_numbers_with_a_forged_hash_are_damaged(folder: Path, fault: str) -> None:
    name, change = FORGED[fault]
    path = folder / name
    if change:
        np.save(path, change(np.load(path)))
    else:
        path.write_bytes(path.read_bytes().replace(b"{'", b"{{", 1))
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
