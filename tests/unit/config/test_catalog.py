"""A config is found by path or name, and a misspelt name is answered with the right one."""

from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import find_config, shipped_folder
from seq2seq_cli.errors import ConfigError


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(path: str, text: str = "# Mine.\n") -> Path:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return Path(path)


@pytest.mark.parametrize("name", ["luong_concat", "luong_concat.yaml"])
def test_a_shipped_config_is_found_from_anywhere(name: str) -> None:
    assert find_config(name) == shipped_folder() / "luong_concat.yaml"


def test_nearer_folders_come_first() -> None:
    in_configs = write("configs/luong_concat.yaml")
    assert find_config("luong_concat") == in_configs

    here = write("luong_concat.yaml")
    assert find_config("luong_concat") == here
    assert find_config("configs/luong_concat") == in_configs


def test_a_paper_s_config_is_found_by_its_name_with_the_folder() -> None:
    assert find_config("papers/luong2015") == shipped_folder() / "papers" / "luong2015.yaml"
    with pytest.raises(ConfigError, match="did you mean papers/luong2015"):
        find_config("luong2015")

    own = write("configs/papers/luong2015.yaml")
    assert find_config("papers/luong2015.yaml") == own


def test_a_folder_of_that_name_is_passed_over() -> None:
    Path("luong_concat").mkdir()

    assert find_config("luong_concat") == shipped_folder() / "luong_concat.yaml"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("luong_conact.yaml", "no config is named 'luong_conact.yaml'; did you mean luong_concat?"),
        ("Bahdanau2", "no config is named 'Bahdanau2'; did you mean bahdanau?"),
        ("there/luong_concat", "there/luong_concat: no such config file"),
        ("./", "./: no such config file"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_config(name)

    assert caught.value.args[0].startswith(line.rstrip("?"))


def test_a_name_near_to_none_is_answered_with_all() -> None:
    with pytest.raises(ConfigError, match="there are best, fast, few, quick, sample, tutorial, bahdanau, "):
        find_config("xyz")
