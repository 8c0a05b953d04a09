import errno
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.files.reading import read_json
from seq2seq_cli.files.whole_folder import whole_folder
from seq2seq_cli.files.writing import check_output_path, output_file, rename_free, whole_file, write_json, write_whole

WRITE_FILE = """
import sys
from pathlib import Path
from seq2seq_cli.files.writing import whole_file
with whole_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    print("begun", flush=True)
    sys.stdin.read()
"""


@contextmanager
def writer(path: Path, program: str = WRITE_FILE) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of a program, by default one that writes a file; it goes on when its input ends."""
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "begun\n"
        yield process


def test_what_a_killed_write_left_behind_is_removed_by_the_next_of_that_file(tmp_path: Path) -> None:
    with writer(tmp_path / "a.txt") as killed, writer(tmp_path / "b.txt") as other:
        killed.kill()
        other.kill()
    assert len(list(tmp_path.iterdir())) == 2
    write_whole(tmp_path / "a.txt", b"whole")

    names = sorted(file.name for file in tmp_path.iterdir())
    assert len(names) == 2
    assert names[0].startswith(".b.txt.")
    assert names[1] == "a.txt"


def test_what_another_process_is_writing_stays_and_replaces_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with writer(path) as other:
        write_whole(path, b"whole")
        assert path.read_bytes() == b"whole"
    assert other.returncode == 0
    assert path.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("host", ["elsewhere", f"{platform.node()}.lab"])
def test_what_a_process_of_another_host_has_left_stays(tmp_path: Path, host: str) -> None:
    theirs = tmp_path / f".a.txt.{host}.999999999.0badcafe.unfinished"
    theirs.touch()
    write_whole(tmp_path / "a.txt", b"whole")
    assert theirs.exists()


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    write_whole(path, b"whole")
    assert list(tmp_path.iterdir()) == [path]


def failing(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")  # as of a file system without links


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_came_to_be_there_meanwhile_is_replaced_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", failing)
    path = tmp_path / "a.txt"
    with ExitStack() as written:
        written.enter_context(whole_file(path, replace=False)).write(b"ours")
        path.write_bytes(b"mine")
        with pytest.raises(FileExistsError):
            written.close()
    assert path.read_bytes() == b"mine"
    path.unlink()
    with whole_file(path, replace=False) as file:
        file.write(b"ours")
    assert path.read_bytes() == b"ours"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o666, 0o444])
def test_a_file_keeps_its_permissions_when_it_is_replaced(tmp_path: Path, permissions: int, linked: bool) -> None:
    path = tmp_path / "a.txt"
    if linked:
        path.symlink_to("target.txt")
    path.touch()
    path.chmod(permissions)
    with whole_file(path) as file:
        meanwhile = os.fstat(file.fileno()).st_mode & 0o777
        file.write(b"new")
    assert path.stat().st_mode & 0o777 == permissions
    assert path.read_bytes() == b"new"
    assert not meanwhile & ~permissions & 0o077


@pytest.mark.skipif(os.name == "nt", reason="no such permissions")
def test_a_new_file_has_the_permissions_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a.txt", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_lose_its_unfinished_name_has_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "unfinished", tmp_path / "a.txt"
    source.write_bytes(b"whole")
    monkeypatch.setattr(Path, "unlink", failing)
    rename_free(source, target)
    assert target.read_bytes() == b"whole"


def test_where_there_are_no_links_a_failed_renaming_leaves_the_name_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "unfinished", tmp_path / "a.txt"
    source.write_bytes(b"whole")
    for method in ("hardlink_to", "replace"):
        monkeypatch.setattr(Path, method, failing)
    with pytest.raises(OSError, match="Operation not permitted"):
        rename_free(source, target)
    assert list(tmp_path.iterdir()) == [source]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"format": 1})

    with pytest.raises(TypeError):
        write_json(path, {"format": object()})

    assert read_json(path, error=ModelFileError) == {"format": 1}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="a folder is a file like others there")
def test_an_error_names_the_file_and_not_the_temporary_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        if Path(path).name.endswith(".unfinished"):
            raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(OSError, match="Read-only") as raised:
        write_whole(tmp_path / "file", b"content")
    assert raised.value.filename == str(tmp_path / "file")
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OSError, match="Read-only") as raised, whole_folder(tmp_path / "folder"):
        pass
    assert raised.value.filename == str(tmp_path / "folder")


@pytest.mark.parametrize("make", [whole_file, whole_folder, partial(output_file, overwrite=False)])
def test_an_error_inside_names_what_is_being_made_or_the_other_file(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="full") as raised, make(Path("new")):
        raise OSError(errno.ENOSPC, "full")
    assert raised.value.filename == "new"
    with pytest.raises(FileNotFoundError) as raised, make(tmp_path / "new"):
        (tmp_path / "other").open()
    assert raised.value.filename == str(tmp_path / "other")
    assert list(tmp_path.iterdir()) == []


check = partial(check_output_path, content="learning curves", endings=(".png", ".svg", ".pdf"))


def test_a_file_is_replaced_only_with_overwrite_and_other_paths_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    check(path, overwrite=False)
    path.touch()
    with pytest.raises(UsageError, match="--overwrite"):
        check(path, overwrite=False)
    check(path, overwrite=True)
    for name in ("a.jpg", "a", "nowhere/a.png", "."):
        with pytest.raises(UsageError):
            check(tmp_path / name, overwrite=True)
