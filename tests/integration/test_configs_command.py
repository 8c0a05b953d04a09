"""``s2s configs`` as a user types it, and the modules that light commands do not import."""

import json
from pathlib import Path

import pytest

from seq2seq_cli.config.catalog import GROUPS, shipped_folder
from seq2seq_cli.config.keys import differing_values
from seq2seq_cli.config.loader import load_config
from tests.commands import output_of, s2s_here, with_modules


def test_the_list_has_a_line_for_each_shipped_config_in_its_group(tmp_path: Path) -> None:
    groups = [group.splitlines() for group in output_of(s2s_here(tmp_path, "configs")).split("\n\n")]
    assert [title for title, *_ in groups] == list(GROUPS)
    members = {line.split()[0]: title for title, *lines in groups for line in lines}
    files = [path.relative_to(shipped_folder()) for path in shipped_folder().rglob("*.yaml")]
    assert sorted(members) == sorted(file.with_suffix("").as_posix() for file in files)
    assert members["tutorial"] == "To begin with"
    assert members["rnnsearch"] == members["bahdanau"] == "Bahdanau's decoder: attend, then the RNN"
    assert members["papers/luong2015"] == GROUPS[-1]


def test_show_explains_every_key(tmp_path: Path) -> None:
    shown = output_of(s2s_here(tmp_path, "configs", "show", "bahdanau"))
    assert shown.startswith("# RNNsearch whose output layer reads the state alone, as in the tutorials.\n")
    assert "    word_dropout: 0.0               # 0 to below 1\n" in shown
    assert "    kind: bahdanau                  # bahdanau or luong; default luong\n" in shown


def test_the_schema_is_json_and_describes_every_section(tmp_path: Path) -> None:
    schema = json.loads(output_of(s2s_here(tmp_path, "configs", "schema")))
    assert list(schema["properties"]) == ["data", "text", "model", "training", "decoding"]
    assert schema["$defs"]["TrainingConfig"]["properties"]["lr"]["exclusiveMinimum"] == 0
    for section in schema["$defs"].values():
        assert all(key.get("description") for key in section["properties"].values())


def test_the_empty_file_of_a_redirection_does_not_hide_the_config_that_is_shown(tmp_path: Path) -> None:
    (tmp_path / "luong_dot.yaml").touch()
    shown = s2s_here(tmp_path, "configs", "show", "luong_dot", "--short").stdout
    assert shown == (shipped_folder() / "luong_dot.yaml").read_text(encoding="utf-8")


def test_a_shown_config_can_be_edited_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = s2s_here(tmp_path, "configs", "show", "luong_dot").stdout
    (tmp_path / "mine.yaml").write_text(shown.replace("epochs: 100 ", "epochs: 7 "), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    changes = differing_values([load_config("luong_dot"), load_config("mine")])
    assert list(changes) == [("training.epochs", [100, 7])]
    assert s2s_here(tmp_path, "configs", "show", "mine", "--short").stdout == (tmp_path / "mine.yaml").read_text()


@pytest.mark.parametrize("line", ["--help", "configs", "configs show bahdanau", "configs schema"])
def test_light_commands_import_nothing_heavy(line: str, tmp_path: Path) -> None:
    done, modules = with_modules(tmp_path, *line.split())
    assert done.returncode == 0
    assert modules.isdisjoint({"torch", "spacy", "numpy"})
    assert line != "--help" or modules.isdisjoint({"pydantic", "yaml"})
