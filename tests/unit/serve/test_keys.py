"""API keys: the file that has them, and the requests that are let in."""

from pathlib import Path

import pytest
from starlette.requests import Request

from seq2seq_cli.errors import InputError
from seq2seq_cli.serve.requests import has_key, read_keys


def request_with(authorization: str) -> Request:
    return Request({"type": "http", "headers": [(b"authorization", authorization.encode("utf-8", "surrogatepass"))]})


def test_the_keys_of_the_file_are_let_in_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    lines = "first \n\n# of the office\n  # of nobody\n zweiter Schlüssel\n"
    file.write_text(lines, encoding="utf-8-sig")  # as Notepad writes it
    keys = read_keys(file)
    assert all(has_key(request_with(""), {"api_key": key}, keys) for key in ("first", "zweiter Schlüssel"))
    assert all(has_key(request_with(f"{kind} zweiter Schlüssel "), {}, keys) for kind in ("Bearer", "bearer"))
    for wrong in ("", "# of the office", "# of nobody", "First", "first ", "\udcff"):
        assert not has_key(request_with(f"Bearer {wrong.strip()}x"), {"api_key": wrong}, keys)
    assert not has_key(request_with("Basic first"), {"api_key": ["first"]}, keys)


@pytest.mark.parametrize(
    ("content", "told"), [(b"# none\n\n", "no API key"), (b"\xff\xfe", "not UTF-8"), (None, "no such file")]
)
def test_a_file_without_keys_is_refused(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "keys"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=rf"keys.*{told}"):
        read_keys(file)
