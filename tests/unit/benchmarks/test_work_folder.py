"""A work folder belongs to the files and settings that it was made of."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.work_folder import claim
from seq2seq_cli.errors import PairFileError, UsageError

SETTINGS = ["text.unit=word"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[Path]]:
    for name in ("pairs", "test"):
        (tmp_path / name).write_text(f"a {name}\tb {name}\n", encoding="utf-8")
    return {"pairs": [tmp_path / "pairs"], "valid": [], "test": [tmp_path / "test"]}


def assert_refused(folder: Path, files: Mapping[str, Sequence[Path]], settings: Sequence[str] = SETTINGS) -> None:
    with pytest.raises(UsageError, match="other files or with other settings: name another folder with --work"):
        claim(folder, files, settings)


def test_it_is_taken_again_with_the_same_content_under_any_name(files: dict[str, list[Path]], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    claim(folder, files, SETTINGS)
    moved = files["pairs"][0].rename(tmp_path / "moved")
    claim(folder, files | {"pairs": [moved]}, SETTINGS)


def test_other_files_and_settings_are_refused_and_leave_it_as_it_was(
    files: dict[str, list[Path]], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    claim(folder, files, SETTINGS)
    assert_refused(folder, files, [])
    assert_refused(folder, files | {"test": []})
    assert_refused(folder, files | {"valid": files["test"], "test": []})
    content = files["pairs"][0].read_bytes()
    files["pairs"][0].write_bytes(content + b"c\td\n")
    assert_refused(folder, files)
    files["pairs"][0].write_bytes(content)
    claim(folder, files, SETTINGS)


def test_a_folder_that_holds_other_things_is_refused_and_an_empty_one_taken(
    files: dict[str, list[Path]], tmp_path: Path
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    claim(folder, files, SETTINGS)
    with pytest.raises(UsageError, match=r"not empty, and without made_of\.json: name another folder with --work"):
        claim(tmp_path, files, SETTINGS)


def test_a_missing_file_is_told_and_nothing_made(files: dict[str, list[Path]], tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match="none: no such file"):
        claim(tmp_path / "work", files | {"test": [tmp_path / "none"]}, SETTINGS)
    assert not (tmp_path / "work").exists()
