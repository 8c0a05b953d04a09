import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import open_text

TEXT = b"".join(f"{number}\t{number}\n".encode() for number in range(5000))


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("deu.txt"), io.BytesIO())
    return packed.getvalue()


def encrypted(archive: bytes) -> bytes:
    """The archive with the mark of an encrypted member, in the local header and in the list of contents."""
    marked = bytearray(archive)
    marked[6] |= 1
    marked[marked.index(b"PK\x01\x02") + 8] |= 1
    return bytes(marked)


def read(path: Path, content: bytes) -> bytes:
    path.write_bytes(content)
    with open_text(path, path.name) as text:
        return b"".join(text.pieces)


def refusal(path: Path, content: bytes) -> str:
    with pytest.raises(PairFileError) as caught:
        read(path, content)
    return str(caught.value)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_the_text_of_a_zip_archive_is_found(tmp_path: Path, method: int) -> None:
    beside = {"_about.txt": TEXT * 2, "README.txt": TEXT * 2, "licence.txt": TEXT * 2, "x/LICENSE-CC.txt": TEXT * 2}
    hidden = {"__MACOSX/._deu.txt": TEXT * 2, ".hidden.txt": TEXT * 2, "picture.png": TEXT * 2, "folder.txt/": b""}
    for name in ("folder/deu.TXT", "readmes and more.tsv"):
        assert read(tmp_path / "x", zipped({**beside, **hidden, name: TEXT}, method)) == TEXT


def test_several_texts_of_an_archive_are_listed(tmp_path: Path) -> None:
    said = refusal(tmp_path / "x", zipped({"a.en.txt": TEXT[:99], "a.de.txt": TEXT}))
    assert said.startswith("x: several texts in the zip archive, a.en.txt, a.de.txt: unpack it")
    moses = refusal(tmp_path / "x", zipped({"X.de-en.de": TEXT, "X.de-en.en": TEXT, "README": TEXT}))
    assert "only X.de-en.de, X.de-en.en, README: unpack it, and give the file of sentence pairs, or two align" in moses
    many = refusal(tmp_path / "x", zipped({f"{number}.txt": TEXT for number in range(9)}))
    assert "0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 4 more: unpack it" in many


@pytest.mark.parametrize("cut", [1, 20, 2000, 9999])
@pytest.mark.parametrize("kind", ["zip archive", "gzip file"])
def test_a_truncated_download_is_named_as_such(tmp_path: Path, kind: str, cut: int) -> None:
    packed = zipped({"deu.txt": TEXT}) if kind == "zip archive" else gzip.compress(TEXT)
    said = refusal(tmp_path / "x", packed[:-cut])
    assert said.startswith(f"x: the {kind} is truncated")
    assert said.endswith("download it again")


def test_content_before_the_damage_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(gzip.compress(TEXT[:100])[:-1])
    with open_text(tmp_path / "x", "x") as text:
        assert next(text.pieces) == TEXT[:100]
        with pytest.raises(PairFileError, match="truncated"):
            next(text.pieces)


@pytest.mark.parametrize("pack", [zipped, gzip.compress])
def test_content_with_a_wrong_checksum_is_damaged(tmp_path: Path, pack: object) -> None:
    packed = bytearray(zipped({"deu.txt": TEXT}, zipfile.ZIP_STORED) if pack is zipped else gzip.compress(TEXT, 0))
    packed[200] ^= 1
    assert refusal(tmp_path / "x", bytes(packed)).endswith(" is damaged: download it again")


REFUSED = {
    "the zip archive is empty": zipped({}),
    "the zip archive is empty: download it again": zipped({"folder/": b""}),
    "no file of sentence pairs": zipped({"../deu.txt": TEXT}),
    "no file of sentence pairs (.txt, .tsv, .csv, .jsonl, .tmx) in the zip archive, only a.png, _about.txt": zipped(
        {"a.png": b"x", "_about.txt": b"x"}
    ),
    "the zip archive is damaged or encrypted: unpack it": encrypted(zipped({"deu.txt": TEXT})),
    "a web page: download": b"\n<!DOCTYPE HTML><html>",
    "the file is empty": b"",
}
DOCUMENTS = {
    "Word": zipped({"[Content_Types].xml": b"<", "word/document.xml": b"<", "a.txt": TEXT}),
    "OpenDocument": zipped({"mimetype": b"application/vnd.oasis", "content.xml": b"<"}),
}
OTHER_KINDS = {
    "7z": b"7z\xbc\xaf\x27\x1c\x00\x04",
    "rar": b"Rar!\x1a\x07\x01\x00",
    "bzip2": bz2.compress(TEXT),
    "xz": lzma.compress(TEXT),
    "zstd": b"\x28\xb5\x2f\xfd\x04",
    "tar": tarred(),
    "PDF": b"%PDF-1.7\n",
    "old Office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "RTF": b"{\\rtf1\\ansi",
}


def test_each_fault_of_a_file_is_named(tmp_path: Path) -> None:
    for message, content in REFUSED.items():
        assert refusal(tmp_path / "deu.txt", content).startswith(f"deu.txt: {message}")


@pytest.mark.parametrize("content", [*DOCUMENTS.values(), *OTHER_KINDS.values()], ids=[*DOCUMENTS, *OTHER_KINDS])
def test_other_kinds_of_files_are_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    said = refusal(tmp_path / "deu.txt", content)
    assert said.startswith("deu.txt: ")
    assert "unpack an archive, or save a document as UTF-8 text" in said


def test_an_archive_in_an_archive_is_to_be_unpacked(tmp_path: Path) -> None:
    for content in (
        gzip.compress(tarred()),
        gzip.compress(gzip.compress(TEXT)),
        zipped({"deu.txt": bz2.compress(TEXT)}),
    ):
        assert "unpack " in refusal(tmp_path / "x", content)


def test_a_member_without_a_name_is_ignored(tmp_path: Path) -> None:
    packed = zipped({"?": b"x", "deu.txt": TEXT})
    # A name of length 0, and a comment of length 1 in its place.
    entry = packed.index(b"PK\x01\x02")
    nameless = bytearray(packed)
    nameless[entry + 28], nameless[entry + 32] = 0, 1
    assert read(tmp_path / "x", bytes(nameless)) == TEXT


def test_incompressible_content_is_unchanged(tmp_path: Path) -> None:
    content = b"x" + os.urandom(600_000)
    for packed in (content, gzip.compress(content), zipped({"deu.txt": content})):
        assert read(tmp_path / "x", packed) == content
