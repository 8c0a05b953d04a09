from pathlib import Path

import pytest

from seq2seq_cli.errors import InputError
from seq2seq_cli.serve.limits import ApiKeys


def test_without_keys_everybody_is_let_in() -> None:
    assert not ApiKeys().are_required
    assert ApiKeys().allow(None)


def test_the_keys_of_the_file_are_let_in_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    lines = "first \n\n# of the office\n  # of nobody\n zweiter Schlüssel\n"
    file.write_text(lines, encoding="utf-8-sig")  # as Notepad writes it
    keys = ApiKeys.read(file)
    assert keys.are_required
    assert all(map(keys.allow, ["first", "zweiter Schlüssel"]))
    assert not any(map(keys.allow, [None, "", "# of the office", "# of nobody", "First", "first ", "\udcff"]))


@pytest.mark.parametrize(
    ("content", "told"), [(b"# none\n\n", "no API key"), (b"\xff\xfe", "not UTF-8"), (None, "no such file")]
)
def test_a_file_without_keys_is_refused(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "keys"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=rf"keys: .*{told}"):
        ApiKeys.read(file)
