"""A work folder belongs to the files and settings that it was made of."""

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


def test_it_is_taken_again_for_the_same_content_alone(files: dict[str, list[Path]], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    claim(folder, files, SETTINGS)
    (tmp_path / "other").write_text("c\td\n", encoding="utf-8")
    for others, settings in (
        (files, []),
        (files | {"test": []}, SETTINGS),
        (files | {"valid": files["test"], "test": []}, SETTINGS),
        (files | {"pairs": [tmp_path / "other"]}, SETTINGS),
    ):
        with pytest.raises(UsageError, match="other files or with other settings: name another folder with --work"):
            claim(folder, others, settings)
    claim(folder, files | {"pairs": [files["pairs"][0].rename(tmp_path / "moved")]}, SETTINGS)


def test_a_folder_with_other_things_is_refused_and_a_missing_file_makes_none(
    files: dict[str, list[Path]], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"not empty, and without made_of\.json: name another folder with --work"):
        claim(tmp_path, files, SETTINGS)
    with pytest.raises(PairFileError, match="none: no such file"):
        claim(tmp_path / "work", files | {"test": [tmp_path / "none"]}, SETTINGS)
    assert not (tmp_path / "work").exists()
