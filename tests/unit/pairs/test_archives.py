import errno
import gzip
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.archives import local_files, open_file, read_text
from tests.site import archive_of

TEXT = b"".join(f"{number}\t{number}\n".encode() for number in range(5000))


def encrypted(archive: bytes) -> bytes:
    """The archive with the mark of an encrypted member, in the local header and in the list of contents."""
    marked = bytearray(archive)
    marked[6] |= 1
    marked[marked.index(b"PK\x01\x02") + 8] |= 1
    return bytes(marked)


def changed(packed: bytes) -> bytes:
    return packed[:200] + bytes([packed[200] ^ 1]) + packed[201:]


def read(path: Path, content: bytes) -> bytes:
    path.write_bytes(content)
    with path.open("rb") as file:
        return b"".join(read_text(file, path.name))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_the_text_of_a_zip_archive_is_found(tmp_path: Path, method: int) -> None:
    beside = {"_about.txt": TEXT * 2, "README.txt": TEXT * 2, "licence.txt": TEXT * 2, "x/LICENSE-CC.txt": TEXT * 2}
    hidden = {"__MACOSX/._deu.txt": TEXT * 2, ".hidden.txt": TEXT * 2, "picture.png": TEXT * 2, "folder.txt/": b""}
    for name in ("folder/deu.TXT", "readmes and more.tsv", "./deu.txt", "film.en.srt", "memory.xliff"):
        assert read(tmp_path / "x", archive_of({**beside, **hidden, name: TEXT}, compression=method)) == TEXT


STORED = archive_of({"deu.txt": TEXT}, compression=zipfile.ZIP_STORED)
DAMAGED_ZIP = "the zip archive is truncated, damaged or encrypted: get it again"
DAMAGED_GZIP = "the gzip file is truncated, damaged or encrypted: get it again"
NO_FILE, SEVERAL = (f"{many} of sentence pairs in the zip archive" for many in ("no file", "several files"))
REFUSED = [
    *((archive_of({"deu.txt": TEXT})[:-cut], DAMAGED_ZIP) for cut in (1, 20, 2000, 9999)),
    *((gzip.compress(TEXT)[:-cut], DAMAGED_GZIP) for cut in (1, 20, 2000, 9999)),
    (changed(STORED), DAMAGED_ZIP),
    (changed(gzip.compress(TEXT, 0)), DAMAGED_GZIP),
    (encrypted(STORED), DAMAGED_ZIP),
    (archive_of({}), f"{NO_FILE} ()"),
    (archive_of({"a.png": b"x", "_about.txt": b"x"}), f"{NO_FILE} (a.png, _about.txt): "),
    (archive_of({"a.en.txt": TEXT, "a.de.txt": TEXT}), f"{SEVERAL} (a.en.txt, a.d"),
    (archive_of({f"{n}.txt": TEXT for n in range(9)}), f"{SEVERAL} (0.txt, 1.txt, 2.txt, 3.txt, 4.txt, ...): unpa"),
    (archive_of({"[Content_Types].xml": b"<"}), f"{NO_FILE} ([Content_Types].xml): unpa"),
    (b"\n<!DOCTYPE HTML><html>", "a web page: download"),
    (b"", "the file is empty"),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_each_fault_of_a_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(PairFileError) as caught:
        read(tmp_path / "x", content)
    assert str(caught.value).startswith(f"x: {message}")


def test_a_name_that_no_file_can_have_is_not_told_as_damage() -> None:
    with pytest.raises(PairFileError, match=r"cannot be read: .*null"):
        open_file(Path("a\0"), "a")


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
def test_a_pipe_that_does_not_fit_on_the_disk_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfileobj", full)
    os.mkfifo(tmp_path / "pipe")
    keep = os.open(tmp_path / "pipe", os.O_RDWR)
    with pytest.raises(PairFileError, match="set TMPDIR") as caught, local_files([tmp_path / "pipe"]):
        pass
    os.close(keep)
    assert caught.value.exit_code == 1


def test_incompressible_content_is_unchanged(tmp_path: Path) -> None:
    content = b"x" + os.urandom(600_000)
    for packed in (content, gzip.compress(content), archive_of({"deu.txt": content})):
        assert read(tmp_path / "x", packed) == content
