"""A work folder belongs to the files and settings that it was made of."""

from pathlib import Path

import pytest

from benchmarks.work_folder import claim
from seq2seq_cli.errors import UsageError

SETTINGS = ["text.unit=word"]


def test_it_is_taken_again_for_the_same_content_alone(tmp_path: Path) -> None:
    for name in ("pairs", "test", "other"):
        (tmp_path / name).write_text(f"a {name}\tb {name}\n", encoding="utf-8")
    files: dict[str, list[Path]] = {"pairs": [tmp_path / "pairs"], "valid": [], "test": [tmp_path / "test"]}
    folder = tmp_path / "work"
    claim(folder, files, SETTINGS)
    for others, settings in (
        (files, []),
        (files | {"test": []}, SETTINGS),
        (files | {"valid": files["test"], "test": []}, SETTINGS),
        (files | {"pairs": [tmp_path / "other"]}, SETTINGS),
    ):
        with pytest.raises(UsageError, match="other files or with other settings: name another folder with --work"):
            claim(folder, others, settings)
    moved = files | {"pairs": [files["pairs"][0].rename(tmp_path / "moved")]}
    claim(folder, moved, SETTINGS)
    with pytest.raises(UsageError, match=r"not empty, and without made_of\.json: name another folder with --work"):
        claim(tmp_path, moved, SETTINGS)
