import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.text import SideConfig, TextConfig
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.text.characters import CONTINUING, SPACING, capitalise, upper
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import CODEC_FILES, fit_codec, fit_codecs, load_codec, load_codecs, save_codecs
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, UNK

UNITS: list[Unit] = ["word", "bpe", "character"]


def fitted(config: SideConfig, *texts: str, unit: Unit = "word") -> Codec:
    tokens = get_segmenter(config, unit).tokens
    return fit_codec(config, unit, Counter(token for text in texts for token in tokens(text)))


TARGET = SideConfig(language="de", min_count=1)
SOURCE = SideConfig(lowercase=True, spacing=False, language="en", min_count=1)


@pytest.fixture
def target() -> Codec:
    return fitted(TARGET, "Sie küsste ihn.", "Geht's dir gut?")


@pytest.fixture
def source() -> Codec:
    return fitted(SOURCE, "She kissed him.")


def test_without_spacing_tokens_are_joined_by_spaces() -> None:
    codec = fitted(SideConfig(language="de", min_count=1, spacing=False, lowercase=True), "Sie küsste ihn.")
    assert codec.write(codec.read("Sie küsste ihn.").ids).text == "sie küsste ihn ."


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    ("apostrophe", "text", "known"),
    [
        ("'", "don’t don´t don`t don′t donʼt DON’T", "don't don't don't don't don't DON'T"),
        ("’", "don't l'e\u0301te\u0301 rock'n'roll", "don’t l’été rock’n’roll"),
        ("'", "’twas the girls’ 5′ of `code` a ’ b", "’twas the girls’ 5′ of `code` a ’ b"),  # not between two letters
        ("", "don’t don't", "don’t don't"),
    ],
)
def test_a_text_is_read_with_the_apostrophe_of_the_training_sentences(
    unit: Unit, apostrophe: str, text: str, known: str
) -> None:
    config = SideConfig(language="en", min_count=1, lowercase=False, spacing=True)
    codec = replace(fitted(config, known, unit=unit), apostrophe=apostrophe)
    reading = codec.read(text)
    assert codec.write(reading.ids).text == known
    assert reading.ids == codec.read(known).ids
    assert reading.text == text


def test_a_protected_span_keeps_its_apostrophes() -> None:
    codec = replace(fitted(SideConfig(language="en", min_count=1), "it's a"), apostrophe="'")
    words = codec.read("it’s /o’b", [(5, 9)]).words
    assert [word.text for word in words] == ["it", "'s", "/o’b"]


def test_codecs_of_the_same_units_may_know_other_sentences(source: Codec, target: Codec) -> None:
    assert source.has_units_of(replace(source, longest=9, apostrophe="’", counts=(1,)))
    assert not source.has_units_of(target)


def test_special_ids_are_not_written_and_copies_replace_unknown_ones(source: Codec, target: Codec) -> None:
    sie, kuesste, dot = target.read("Sie küsste .").ids[:2] + target.read("ihn.").ids[1:]
    ids = [BOS, sie, kuesste, UNK, dot, EOS, PAD]

    assert target.write(ids, {3: "Maria"}).text == "Sie küsste Maria."
    assert target.write(ids, {3: "Maria"}).units == ["Sie", "küsste", "Maria", "."]
    assert target.write(ids).text == "Sie küsste."
    assert target.write(ids).units == ["Sie", "küsste", "", "."]
    she, him = source.read("she him").ids
    assert source.write([UNK, she, UNK, him], {2: "Tom"}).text == "she Tom him"


@pytest.mark.parametrize("unit", UNITS)
def test_a_language_that_is_not_resolved_is_refused(unit: Unit) -> None:
    with pytest.raises(ValueError, match="language"):
        get_segmenter(SideConfig(), unit)
    with pytest.raises(ValueError, match="language"):
        fit_codec(SideConfig(), unit, {"a": 1})


def saved(codec: Codec, folder: Path) -> Path:
    """The file of the codec of a source."""
    save_codecs(folder, (codec, codec))
    return folder / CODEC_FILES[0]


@pytest.mark.parametrize("unit", UNITS)
def test_the_same_text_makes_the_same_file(tmp_path: Path, unit: Unit) -> None:
    texts = ["Sie küsste ihn.", "Geht's dir gut?", "Geht ihr?"]
    one = saved(fitted(TARGET, *texts, unit=unit), tmp_path / "one")
    other = saved(fitted(TARGET, *reversed(texts), unit=unit), tmp_path / "other")

    assert one.read_bytes() == other.read_bytes()
    again = load_codec(one)
    assert again == fitted(TARGET, *texts, unit=unit)
    assert again.write(again.read(texts[0]).ids).text == texts[0]


def test_a_codec_cuts_by_the_rules_of_its_file(tmp_path: Path) -> None:
    path = saved(fitted(SOURCE, "Gonna go!"), tmp_path)
    assert words_of(path, "Gonna go! Lotsa!") == ["Gon", "na", "go", "!", "Lotsa", "!"]

    content = json.loads(path.read_text(encoding="utf-8"))
    del content["tokenizer"]["exceptions"]["gonna"]
    content["tokenizer"]["exceptions"]["lotsa"] = "lots a"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert words_of(path, "Gonna go! Lotsa!") == ["Gonna", "go", "!", "Lots", "a", "!"]

    for pieces in (["(", 0], ["(" * 5000, 0], ["a{99999999999}", 0]):
        content["tokenizer"]["expressions"]["suffix"] = pieces
        path.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ModelFileError, match="damaged: an expression of the tokenizer"):
            words_of(path, "go!")


def words_of(path: Path, text: str) -> list[str]:
    return [word.text for word in load_codec(path).read(text).words]


def test_a_language_whose_tokenizer_is_a_program_has_no_rules_in_the_file(tmp_path: Path) -> None:
    codec = fitted(SideConfig(lowercase=True, spacing=False, language="zh", min_count=1), "她吻了他。")
    assert codec.rules is None
    assert words_of(saved(codec, tmp_path), "他吻她") == ["他", "吻", "她"]


RULES = {"is_known": True, "exceptions": {"don't": "do n't"}, "classes": ["az"], "expressions": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"words": ["a", "a"]},
        {"words": ["<eos>"]},
        {"words": [1]},
        {"config": {"language": "../en", "lowercase": True, "spacing": True}},
        {"unit": "syllable"},
        {"merges": ["a"]},
        {"merges": ["▁ ▏never-seen"]},
        {"merges": ["▁Sie"]},
        {"longest": -1},
        {"longest": "5"},
        {"apostrophe": "-"},
        {"counts": [1]},
        {"counts": "abc"},
        {"tokenizer": {}},
        {"tokenizer": RULES | {"is_known": 1}},
        {"tokenizer": RULES | {"exceptions": {"don't": "do not"}}},
        {"tokenizer": RULES | {"classes": ["a"]}},
        {"tokenizer": RULES | {"expressions": {"middle": ["x"]}}},
        {"tokenizer": RULES | {"expressions": {"prefix": ["x", 1]}}},
    ],
)
def test_a_damaged_codec_is_refused(tmp_path: Path, target: Codec, change: dict[str, object]) -> None:
    path = saved(target, tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")

    with pytest.raises(ModelFileError, match=r"src\.json: damaged"):
        load_codec(path)


def test_counts_of_nothing_or_of_one_side_are_refused(tmp_path: Path, target: Codec) -> None:
    size = len(target.vocabulary)
    save_codecs(tmp_path, (replace(target, counts=(0,) * size), target))
    with pytest.raises(ModelFileError, match=r"src\.json: damaged"):
        load_codecs(tmp_path)
    save_codecs(tmp_path, (replace(target, counts=(1,) * size), target))
    with pytest.raises(ModelFileError, match=r"damaged: only one codec has the counts of its units: restore it"):
        load_codecs(tmp_path)


def test_a_token_with_an_unseen_character_is_one_unknown_id() -> None:
    codec = fitted(TARGET, "Der Mann mit Hut.", unit="bpe")
    ids = codec.read("Der Zwerg mit Mut.").ids
    tokens = codec.vocabulary.split(ids)
    units = iter(codec.write(ids).units)
    assert [[next(units) for _ in token] for token in tokens] == [["Der"], [""], ["mit"], ["M", "ut"], ["."]]
    assert ids.count(UNK) == 1
    assert codec.write(ids, {1: "Riese"}).text == "Der Riese mit Mut."
    assert [word.text for word in codec.read("Der Zwerg mit Mut.").words] == ["Der", "Zwerg", "mit", "Mut", "."]


@pytest.mark.parametrize("unit", UNITS)
def test_tokens_with_count_0_are_not_learned(unit: Unit) -> None:
    assert fit_codec(TARGET, unit, {"▁b": 2, "▁xyz": 0, "c": 1}) == fit_codec(TARGET, unit, {"▁b": 2, "c": 1})


def test_every_seen_character_is_known_at_every_place() -> None:
    codec = fitted(SideConfig(language="de", max_size=1, min_count=9), "Weiß, sagt er.", unit="bpe")
    for text in ("ßiW,ar", "ß", "e r s t"):
        reading = codec.read(text)
        assert codec.write(reading.ids, case=reading.case).text == text


def test_the_parts_of_a_lower_cased_word_keep_their_case() -> None:
    # The lower case of İ is two characters long.
    codec = fitted(SideConfig(lowercase=True, spacing=False, language="en", min_count=9), "i̇stanbul", unit="bpe")
    assert codec.read("Hİ İSTANBUL").parts == ["Hİ", "İ", "", *"STANBUL"]
    assert [word.text for word in codec.read("Hİ İSTANBUL").words] == ["Hİ", "İSTANBUL"]


def test_bpe_without_spacing_joins_parts_and_separates_tokens() -> None:
    codec = fitted(SideConfig(lowercase=True, spacing=False, language="en", min_count=9), "she didn't.", unit="bpe")
    ids = codec.read("She didn't.").ids
    assert len(ids) == len("shedidn't.")
    assert codec.write(ids).text == "she did n't ."
    assert codec.read("She didn't .").ids == ids


def test_other_spaces_are_characters() -> None:
    codec = fitted(SOURCE, "Is he, at 5 him?", unit="character")
    assert codec.write(codec.read("Is he, at 5 him?").ids).text == "is he,at 5 him?"
    assert codec.read("Is he?").parts == ["I", "s", SPACING, "h", "e", "?"]
    assert codec.read("is he").ids != codec.read("ishe").ids
    spaces = fitted(SideConfig(language="en", min_count=1), "him .", unit="character")
    assert spaces.write(spaces.read("him .").ids).text == "him ."


@pytest.mark.parametrize("unit", UNITS)
def test_a_shared_vocabulary_is_learned_from_both_sides(unit: Unit) -> None:
    side = {"min_count": 2, "max_size": 50}
    text = TextConfig.model_validate(
        {"unit": unit, "shared_vocabulary": True, "src": {"language": "en"} | side, "tgt": {"language": "de"} | side}
    )
    src_counts, tgt_counts = {"i": 1, "in": 1, "b": 5}, {"in": 1, "▁in": 2, "i": 1, "c": 1}
    src, tgt = fit_codecs(text, src_counts, tgt_counts)
    assert src == fit_codec(text.src, unit, {"i": 2, "in": 2, "b": 5, "▁in": 2, "c": 1})
    assert (tgt.vocabulary, tgt.merges) == (src.vocabulary, src.merges)
    assert (src.config.language, tgt.config.language) == ("en", "de")

    apart = text.model_copy(update={"shared_vocabulary": False})
    src, tgt = fit_codecs(apart, src_counts, tgt_counts)
    assert src == fit_codec(text.src, unit, src_counts)
    assert tgt == fit_codec(text.tgt, unit, tgt_counts)


PARTS_TEXT = "Der Dampf fährt dahin, Zoë."


def test_dropout_1_gives_characters_and_less_gives_other_parts_drawn_by_its_generator() -> None:
    parts = fitted(TARGET, "Der Dampfer fährt, das Dampfschiff fährt dahin.", unit="bpe")
    ids = parts.read(PARTS_TEXT).ids
    apart = parts.resample(ids, 1.0, np.random.default_rng(3))
    assert parts.write(apart).units == ["", *"Der", "", *"Dampf", "", *"fährt", "", *"dahin", ",", "", "."]
    assert parts.resample([BOS, *apart, EOS, PAD], 0.0, np.random.default_rng(3)) == [BOS, *ids, EOS, PAD]
    one, other = np.random.default_rng(4), np.random.default_rng(4)
    drawn = [parts.resample(ids, 0.3, one) for _ in range(50)]
    assert drawn == [parts.resample(ids, 0.3, other) for _ in range(50)]
    assert len(set(map(tuple, drawn))) > 20


def test_each_merge_is_dropped_with_the_given_probability() -> None:
    # Two merges: a b, then ab c. All three in one when both are kept: 0.6 * 0.6. In two when the first is kept
    # and the second is dropped: 0.6 * 0.4. In three when the only possible merge is dropped: 0.4.
    codec = fitted(SideConfig(language="de", min_count=2, spacing=False), "abc abc ab", unit="bpe")
    ids = codec.read("abc").ids
    assert len(codec.merges) == 2
    random = np.random.default_rng(5)
    lengths = Counter(len(codec.resample(ids, 0.4, random)) for _ in range(4000))
    assert lengths[1] / 4000 == pytest.approx(0.36, abs=0.03)
    assert lengths[2] / 4000 == pytest.approx(0.24, abs=0.03)
    assert lengths[3] / 4000 == pytest.approx(0.40, abs=0.03)


@pytest.mark.parametrize("unit", ["word", "character"])
def test_dropout_does_not_change_words_and_characters(unit: Unit) -> None:
    codec = fitted(TARGET, PARTS_TEXT, unit=unit)
    ids = codec.read(PARTS_TEXT).ids
    assert codec.resample(ids, 0.9, np.random.default_rng(0)) == ids


@pytest.mark.parametrize("unit", UNITS)
def test_a_protected_span_is_one_unknown_word_between_the_known_ones(unit: Unit) -> None:
    text = "Geht (geht) gut?"
    codec = fitted(TARGET, text, unit=unit)
    start = text.index("geht")
    words = codec.read(text, [(start, start + 4)]).words
    assert [word for word in words if word.is_unknown] == [("geht", (UNK,), ("geht",), True)]
    at = [word.is_unknown for word in words].index(True)
    before, after = ([id_ for word in part for id_ in word.ids] for part in (words[:at], words[at + 1 :]))
    assert codec.write(before).text == "Geht ("
    # No space comes before the bracket, where it had none.
    assert next(codec.vocabulary.unit(id_) for id_ in after).startswith((")", f"{CONTINUING})"))
    assert codec.write(after).text == ") gut?"


@pytest.mark.parametrize(
    ("language", "usual", "text"),
    [
        ("de", "Geht es dir gut?", "GEHT ES DIR GUT?"),
        ("de", "Die strasse", "DIE STRASSE"),  # not Straße, which would be written STRASSE too
        ("en", "It's 3 p.m.!", "IT'S 3 P.M.!"),
        ("tr", "İyi ışık var.", "İYİ IŞIK VAR."),
        ("nl", "IJsland is mooi", "IJSLAND IS MOOI"),
        ("el", "Ο λόγος", "Ο ΛΌΓΟΣ"),
    ],
)
def test_a_text_in_capitals_has_the_ids_of_a_usual_one(language: str, usual: str, text: str) -> None:
    codec = fitted(SideConfig(language=language, min_count=1), usual, unit="bpe")
    reading = codec.read(text)
    assert reading.case == "capitals"
    assert reading.ids == codec.read(usual).ids
    assert codec.write(reading.ids, case="capitals").text == text
    assert "".join(reading.parts) == text.replace(" ", "")  # in the case of the text


@pytest.mark.parametrize(
    ("known", "text"),
    [
        # Of a corpus in small letters, of three texts.
        *(("sie geht.|er geht.|Tom", text) for text in ("sie geht.", "Tom", "Tie geht.", "om")),
        ("Weiß ẞ WEI", "WEIẞ"),  # capitals would give SS
        ("NASA", "NASA"),  # known in capitals alone
        ("I am A 3", "A 3"),  # one letter
        ("OK 好 ok", "OK好"),  # a letter without case
        ("Go NOW now", "Go NOW"),
    ],
)
def test_texts_in_small_letters_and_others_with_capitals_are_read_as_they_are(known: str, text: str) -> None:
    codec = fitted(TARGET, *known.split("|"), unit="bpe")
    reading = codec.read(text)
    assert reading.case == "usual"
    assert UNK not in reading.ids
    assert codec.write(reading.ids).text == codec.text(reading.ids) == text


KNOWN = ("Sie weiß, dass sie geht.", "Tom, sie und Tom.", "Er und er. Gut.", "„Sie“ 3 er.")


@pytest.mark.parametrize(
    ("text", "first", "written"),
    [
        ("Sie geht.", "sie", None),
        ("sie geht.", "sie", None),
        ("Tom geht.", "Tom", None),
        ("tom geht.", "Tom", "Tom geht."),
        ("Und er.", "und", None),
        ("Gut.", "Gut", None),  # seen inside texts with a capital alone
        ("„Sie“", "„", None),
        ("3 sie", "", None),
    ],
)
def test_the_first_word_is_read_in_the_case_that_it_has_inside_texts(
    text: str, first: str, written: str | None
) -> None:
    codec = fitted(TARGET, *KNOWN, unit="bpe")
    reading = codec.read(text)
    assert codec.vocabulary.unit(reading.ids[0]) == SPACING + first
    assert reading.case == ("small" if text[0].islower() else "usual")
    assert reading.words[0].text == text[: len(reading.words[0].text)]
    assert codec.write(reading.ids, case=reading.case).text == (written or text)
    assert codec.text(reading.ids) == codec.write(reading.ids).text == capitalise(text, "de")
    # The texts of the corpus are read token by token.
    assert [id_ for token in codec.segmenter.tokens(text) for id_ in codec.token_ids(token)] == reading.ids


@pytest.mark.parametrize(
    ("text", "case", "usual"),
    [
        ("SIE UND TOM.", "capitals", "Sie und Tom."),
        ("Sie Und Tom Und Er.", "title", "Sie und Tom und er."),
        ("Tom Er", "usual", "Tom Er"),  # no title: the name of somebody
        ("Er Und er Und", "usual", "Er Und er Und"),
    ],
)
def test_a_text_in_capitals_or_in_title_case_has_the_words_that_the_vocabulary_has(
    text: str, case: str, usual: str
) -> None:
    codec = fitted(TARGET, *KNOWN, "Tom Er und Er Und und er und", unit="bpe")
    reading = codec.read(text)
    assert reading.case == case
    assert reading.ids == codec.read(usual).ids
    assert [word.text for word in reading.words] == re.findall(r"\w+|\.", text)
    assert codec.write(reading.ids, case=reading.case).text == text


def test_a_capital_that_only_begins_texts_stays_known() -> None:
    codec = fitted(SideConfig(language="es", min_count=1), "Últimamente no duermo.", "No, últimamente no.", unit="bpe")
    for text in ("Últimamente no duermo.", "Última"):
        assert UNK not in codec.read(text).ids


def test_a_piece_of_words_is_no_word_in_small_letters() -> None:
    codec = fitted(SideConfig(language="en", min_count=1), "He knew it is in it.", "So I knew in it I am.", unit="bpe")
    assert {f"{SPACING}i", f"{SPACING}I"} <= set(codec.vocabulary.words)
    assert codec.vocabulary.unit(codec.read("I knew it.").ids[0]) == f"{SPACING}I"
    assert codec.read("I KNEW IT.").ids == codec.read("I knew it.").ids


def test_each_side_has_the_case_of_its_own_texts() -> None:
    text = load_config(None, ["text.src.language=en", "text.tgt.language=de"]).text
    small, usual = ["she saw it.", "she saw her."], ["Sie sah es.", "Er sah sie."]
    src_counts, tgt_counts = (
        Counter(token for sentence in sentences for token in get_segmenter(side, "bpe").tokens(sentence))
        for side, sentences in ((text.src, small * 5), (text.tgt, usual * 5))
    )
    src, tgt = fit_codecs(text, src_counts, tgt_counts)
    assert (bool(src.small_words), bool(tgt.small_words)) == (False, True)
    assert src.read("she saw it.").case == "usual"
    assert tgt.write(tgt.read("Sie sah es.").ids, case="usual").text == "Sie sah es."


def test_a_copied_first_word_is_as_it_stands_in_the_source() -> None:
    codec = fitted(TARGET, *KNOWN, unit="bpe")
    assert codec.write([UNK, *codec.read_part("sie")[0].ids], {0: "www.example.org"}).text == "www.example.org sie"


def test_copies_into_a_text_in_capitals_are_as_they_stand_in_the_source() -> None:
    codec = fitted(TARGET, "Frag es an!", unit="bpe")
    reading = codec.read("FRAG ZOË (a@b.de) AN!", [(10, 16)])
    assert reading.case == "capitals"
    unknown = [word.text for word in reading.words if word.is_unknown]
    assert unknown == ["ZOË", "(", "a@b.de", ")"]
    places = [place for place, id_ in enumerate(reading.ids) if id_ == UNK]
    copies = dict(zip(places, ["ZOË", "", "a@b.de", ""], strict=True))
    assert codec.write(reading.ids, copies, reading.case).text == "FRAG ZOË a@b.de AN!"


@pytest.mark.parametrize(
    ("unit", "config", "has"),
    [
        ("bpe", TARGET, True),
        ("bpe", SideConfig(language="de", min_count=1, lowercase=True), False),
        ("word", TARGET, False),
        ("character", TARGET, False),
    ],
)
def test_subwords_that_keep_their_case_are_read_in_the_usual_one(unit: Unit, config: SideConfig, has: bool) -> None:
    codec = fitted(config, "Sie küsste ihn.", unit=unit)
    assert codec.segmenter.has_usual_case == has
    usual = codec.write(codec.read("Sie küsste ihn.").ids).text
    capitals = codec.write(codec.read("Sie küsste ihn.").ids, case="capitals").text
    assert capitals == (upper(usual, "de") if has else usual)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("spacing", [True, False])
@pytest.mark.parametrize("text", ["Geht's dir (gut)?", "e\u0301 3,5 %", "GEHT DIR", "a", ""])
def test_units_are_written_fast_as_they_are_slowly(unit: Unit, spacing: bool, text: str) -> None:
    codec = fitted(SideConfig(language="de", min_count=1, spacing=spacing), text, "Geht dir", unit=unit)
    ids = codec.read(text).ids
    assert codec.text([BOS, *ids, EOS, PAD]) == codec.write(ids).text


def test_long_words_of_known_parts_cost_far_less_than_random_letters() -> None:
    random = np.random.default_rng(1)
    stems = ["".join(random.choice(list("bdgklmnprst"), 1).item() + vowel for vowel in v) for v in ("aeo", "iu", "ao")]
    endings = ["lar", "ler", "im", "in", "iniz", "da", "den", "mis", "ti", "siz", "lik", "ci"]
    words = ["".join([random.choice(stems), *random.choice(endings, 5)]) for _ in range(1200)]
    text = [" ".join(words[i : i + 3]) for i in range(0, len(words), 3)]
    codec = fitted(SideConfig(language="tr", max_size=120), *text[:300], unit="bpe")
    counts = Counter(id_ for each in text[:300] for id_ in codec.read(each).ids)
    codec = replace(codec, counts=tuple(counts[id_] for id_ in range(len(codec.vocabulary))))

    def relative_cost(text: str) -> float:
        words = codec.read(text).words
        return (
            sum(codec.costs[id_] for word in words for id_ in word.ids)
            / codec.usual_cost
            / sum(len(word.text) for word in words)
        )

    assert max(map(relative_cost, text[300:])) < 1.3
    letters = sorted(set("".join(words)))
    assert relative_cost(" ".join("".join(random.choice(letters, 7)) for _ in range(6))) > 1.6
