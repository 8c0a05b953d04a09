import json
from pathlib import Path

import pytest

from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.conventions import Conventions

ENGLISH = Conventions(
    language="en",
    longest=30,
    before=".?!,;:)",
    after="(",
    apart_before="(",
    apart_after=",;!?",
    quotes='"',
    suffixes=("'s", "n't"),
    apostrophe="'",
    final_marks=".?!",
    final_mark=".",
    openings={"what": "?", "what a": "!"},
    endings={"right": "?", "isn't it": "?"},
    lower_case=True,
    capital_start=True,
    capital_after=".?!",
    cased_words=("I", "Tom", "U.S", "TV"),
)


def test_the_first_letter_of_dutch_may_be_ij() -> None:
    dutch = Conventions(language="nl", lower_case=True, capital_start=True, cased_words=("IJsland",))
    for text in ("ijsland is koud.", "IJSLAND IS KOUD."):
        assert dutch.apply(text) == "IJsland is koud."


def test_without_conventions_a_text_is_only_normalised() -> None:
    for text in ("she kissed him", "SHE KISSED HIM .", 'a , b ( " c', "don’t", ""):
        assert Conventions().apply(f" {text}\t") == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("what a day", "What a day!"),
        ("what is it", "What is it?"),
        ("it is so , right", "It is so, right?"),
        ("it is so , is n't it", "It is so, isn't it?"),
        ("what is it , right", "What is it, right?"),
        ("no. what is it", "No. What is it?"),
        ("i watch TV", "I watch TV."),  # it has an upper-case letter: only the start
        ("i watch tv", "I watch TV."),
        ("(i watch tv)", "(I watch TV)"),
        ('"i watch tv."', '"I watch TV."'),
        ("I WATCH TV IN THE U.S.", "I watch TV in the U.S."),
        ("A", "A."),
        ("i WATCH TV", "I watch TV."),
        ("OK", "Ok."),  # two letters are a text in upper case
        ("say hi , hi ! ( or not )", "Say hi, hi! (Or not)"),
        ("hi,tom;hi,www.x.org/a,b", "hi,tom;hi,www.x.org/a,b."),
        ("hi,tom;hi", "Hi, Tom; hi."),
        ("he is 5 ' tall : yes", "He is 5 ' tall: yes."),
        ("wait . . .", "Wait..."),
        ("wait ?! no :)", "Wait?! No :)"),
        ("Hi Tom!How are you?I am fine", "Hi Tom! How are you? I am fine."),
        ("HELLO!HOW ARE YOU?", "Hello! How are you?"),
        ("see a.org/x?y=b or a/b!c", "See a.org/x?y=b or a/b!c."),
    ],
)
def test_each_convention(text: str, written: str) -> None:
    assert ENGLISH.apply(text) == written
    assert ENGLISH.apply(written) == written


def test_protected_spans_are_kept_and_found_again() -> None:
    text = "see  www.tom.org , tom@x.org\ufdd0 and what  is not"
    spans = [(5, 16), (19, 28)]
    written, moved = ENGLISH.apply_around(text, spans)
    assert written == "See www.tom.org, tom@x.org and what is not."
    assert [written[start:end] for start, end in moved] == ["www.tom.org", "tom@x.org"]
    assert ENGLISH.apply_around("look: a b", [(6, 9)]) == ("Look: a b.", [(6, 9)])
    assert ENGLISH.apply_around("LOOK AT i", [(8, 9)]) == ("Look at i.", [(8, 9)])
    assert ENGLISH.apply_around("tom", []) == ("Tom.", [])
    assert ENGLISH.apply_around("", []) == ("", [])


def test_conventions_are_saved_with_the_codec(tmp_path: Path) -> None:
    path = tmp_path / "src.json"
    config = SideConfig(language="en", lowercase=False, spacing=True)
    for conventions in (ENGLISH, Conventions(), Conventions(spaces=False, endings={"吗": "？"})):
        Codec(**vars(Codec.fit(config, "word", {"a": 2})) | {"conventions": conventions}).save(path)
        assert Codec.load(path).conventions == conventions
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["conventions"] == {"spaces": False, "endings": {"吗": "？"}}  # what is written by hand, too
    content["conventions"]["later"] = 1
    path.write_text(json.dumps(content), encoding="utf-8")
    assert Codec.load(path).conventions == conventions


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        "none",
        {"before": 1},
        {"before": None},
        {"longest": "30"},
        {"longest": True},
        {"spaces": 1},
        {"suffixes": "'s"},
        {"cased_words": ["Tom", 1]},
        {"openings": ["what"]},
        {"endings": {"right": 1}},
        {"apostrophe": "\\1"},
    ],
)
def test_damaged_conventions_are_refused_in_one_line(tmp_path: Path, damaged: object) -> None:
    path = tmp_path / "src.json"
    Codec.fit(SideConfig(language="en", lowercase=False, spacing=True), "word", {"a": 2}).save(path)
    content = json.loads(path.read_text(encoding="utf-8")) | {"conventions": damaged}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"^.*src\.json: damaged: .*$"):
        Codec.load(path)
