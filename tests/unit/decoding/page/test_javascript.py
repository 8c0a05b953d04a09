"""Python's expressions for JavaScript; the tests in a browser hold what they find."""

import re

import pytest

from seq2seq_cli.decoding.page.javascript import to_javascript


def test_the_classes_are_pythons() -> None:
    assert to_javascript(r"\d") == (r"[\p{Nd}]", "v")
    assert to_javascript(r"[^\W_]")[0] == r"[^[^\p{L}\p{N}_]\u{5f}]"


def test_names_flags_and_places_are_kept() -> None:
    assert to_javascript(re.compile("(?P<word>a)|b$", re.IGNORECASE)) == (r"(?:(?<word>a)|b(?=\n?$))", "iv")
    assert to_javascript("^a.", finds_all=True) == (r"^a[^\n]", "gv")


def test_references_to_groups_are_kept() -> None:
    assert to_javascript(r"(?P<mark>a)(b)(?P=mark)\2") == (r"(?<mark>a)(b)\k<mark>(?:\2)", "v")


def test_what_has_no_counterpart_is_refused() -> None:
    with pytest.raises(ValueError, match="no counterpart of GROUPREF_EXISTS"):
        to_javascript(r"(a)?(?(1)b|c)")
