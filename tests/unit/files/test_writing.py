import os
from pathlib import Path

import pytest

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import whole_folder, write_json, write_whole


def test_a_file_is_replaced_whole_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, b"old")
    write_whole(path, b"new")

    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_write_left_behind_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    (tmp_path / ".a.txt.0badcafe.unfinished").write_bytes(b"ha")
    (tmp_path / ".b.txt.0badcafe.unfinished").write_bytes(b"of another file")
    write_whole(path, b"whole")

    assert {file.name for file in tmp_path.iterdir()} == {"a.txt", ".b.txt.0badcafe.unfinished"}


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"format": 1})

    with pytest.raises(TypeError):
        write_json(path, {"format": object()})

    assert read_json(path, newest=1, error=ModelFileError) == {"format": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_appears_when_it_is_finished_and_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder"
    for content in ("one", "two"):
        with whole_folder(path) as folder:
            (folder / content).write_text(content, encoding="utf-8")
            assert not (path / content).exists()

    assert [file.name for file in path.iterdir()] == ["two"]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_leads_to_the_folder_whether_that_is_there_or_not(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "disk" / "folder")
    for content in ("one", "two"):
        with whole_folder(link) as folder:
            (folder / content).touch()

    assert link.is_symlink()
    assert [file.name for file in link.iterdir()] == ["two"]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["disk", "folder", "link", "two"]


def test_a_folder_whose_writer_fails_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    with whole_folder(path) as folder:
        (folder / "old").touch()

    with pytest.raises(FileNotFoundError), whole_folder(path) as folder:
        (folder / "no" / "such" / "folder").touch()

    assert [file.name for file in path.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_takes_away_what_killed_writers_left_and_what_a_failed_one_made(tmp_path: Path) -> None:
    leftover = tmp_path / ".folder.0badcafe.unfinished"
    (leftover / "deep").mkdir(parents=True)
    other = tmp_path / ".other.0badcafe.unfinished"
    other.mkdir()
    with whole_folder(tmp_path / "folder") as folder:
        (folder / "new").touch()
    with pytest.raises(ValueError, match="no"), whole_folder(tmp_path / "a" / "b" / "folder"):
        raise ValueError("no")

    assert {path.name for path in tmp_path.iterdir()} == {"folder", other.name}
