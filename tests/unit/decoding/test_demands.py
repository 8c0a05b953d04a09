"""Beginnings and glossaries: what they find, and the translations of small untrained models with them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.decoding.demands import Demands, demanded, forms, glossary_of
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.characters import normalise
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.unit.decoding.test_translator import codec, with_options
from tests.unit.decoding.test_translator import translator as untrained

SRC = "she kissed him . the hot dog saw her"
TGT = "Sie küsste den Hund , der Hunde sah . Der Hotdog und das Haus"
UNITS: list[Unit] = ["word", "bpe", "character"]


@pytest.fixture(scope="module", params=UNITS)
def translator(request: pytest.FixtureRequest) -> Translator:
    made = untrained(codec(SRC, request.param), codec(TGT, request.param, "de", keep=True))
    return with_options(made, beam_size=2, min_length=3)


def words(text: str) -> list[str]:
    return "".join(c if c.isalpha() else " " for c in text).split()


def test_every_translation_begins_with_the_prefix(translator: Translator) -> None:
    sources = ["She kissed him.", "The dog saw"]
    for prefix in ("Sie küsste", "Der"):
        for translation in translator.with_demands(Demands(prefix=prefix)).translate(sources):
            assert translation.text.startswith(prefix)
            assert "".join(translation.forced).replace("▁", "").startswith(prefix.replace(" ", ""))


@settings(max_examples=10)
@given(st.lists(st.sampled_from(["she", "kissed", "the", "hot", "dog", "saw", "her", "Him"]), min_size=1, max_size=6))
def test_a_term_that_occurs_is_translated_as_demanded(translator: Translator, source: list[str]) -> None:
    glossary = {"dog": ("Hund", "Hunde"), "hot dog": ("Hotdog",), "her": ("das Haus",)}
    text = " ".join(source)
    [translation] = translator.with_demands(Demands(terms=glossary)).translate([text])
    written = f" {' '.join(words(translation.text))} ".lower()  # a term that begins a translation has a capital
    for _, translations in demanded(glossary, text):
        assert any(f" {each.lower()} " in written for each in translations)


def test_words_that_the_model_cannot_write_are_refused(translator: Translator) -> None:
    with pytest.raises(InputError, match=r"--prefix Žaba: has words that the model cannot write"):
        translator.with_demands(Demands(prefix="Žaba"))
    glossary = {"dog": ("Žaba", "Hund"), "frog": ("Žaba", "Želva")}
    with pytest.raises(InputError, match=r"--glossary: frog: the model cannot write all words of Žaba or Želva"):
        translator.with_demands(Demands(terms=glossary))
    known = {"dog": glossary["dog"]}
    [translation] = translator.with_demands(Demands(terms=known)).translate(["the dog"])
    assert "Hund" in words(translation.text)


def test_a_prefix_may_be_the_ids_of_tokens(translator: Translator) -> None:
    [of_text] = translator.with_demands(Demands(prefix="Der Hund")).translate(["she kissed him ."])
    ids = of_text.sentences[0].ids
    for prefix in (ids[:1], ids[:2], (*ids[:2], EOS)):
        [found] = translator.with_demands(Demands(prefix=prefix)).translate(["she kissed him ."])
        assert found.sentences[0].ids[: len(prefix)] == prefix
        assert len(found.sentences[0].forced) == len(prefix)
    for id_ in (-1, PAD, BOS, len(translator.tgt_codec.vocabulary)):
        with pytest.raises(InputError, match="the ids of tokens are 1 and from 3 to"):
            translator.with_demands(Demands(prefix=(EOS, id_)))


@pytest.mark.parametrize("unit", UNITS)
def test_a_term_is_also_written_without_a_space_before_it(unit: Unit) -> None:
    target = codec(f"{TGT} ( Hund ) (Hund) „Hotdog“ Haus-Hund", unit, "de", keep=True)
    for term in ("Hund", "Hotdog"):
        spaced, *unspaced = forms([term], target)
        assert target.write(spaced).text == term
        assert [target.write(each).text for each in unspaced] == [term]
        assert unspaced[0][0] in target.inner_ids
        assert spaced[0] not in target.inner_ids
    opening = {target.vocabulary.unit(each).lstrip("▁▏") for each in target.vocabulary.opening_ids}
    assert {"(", "„"} <= opening
    assert opening.isdisjoint({")", ",", "."})


@pytest.mark.parametrize(("language", "text"), [("de", "Der Hund"), ("zh", "我 喜 欢 你"), ("th", "ฉัน รัก คุณ")])
def test_only_words_of_scripts_with_spaces_end_behind_a_prefix(language: str, text: str) -> None:
    target = codec(text, "character", language, keep=True)
    found = Demands(prefix=text.split()[0]).constraints(target.read(text), target)
    assert found.after_prefix == (target.inner_ids if language == "de" else frozenset())


def test_a_term_has_the_positions_of_its_words_in_the_source(translator: Translator) -> None:
    source, target = translator.src_codec, translator.tgt_codec
    reading = source.read("The hot dog saw her dog.")
    demands = Demands(terms={"dog": ("Hund",), "hot dog": ("Hotdog",), "her": ("Haus",)})
    terms = demands.constraints(reading, target).terms
    said = ["".join(reading.parts[position] for position in term.positions) for term in terms]
    assert [text.replace("▁", "") for text in said] == ["hotdog", "her", "dog"]
    assert terms[2].positions[-1] < len(reading.ids) - 1


def test_a_term_or_a_prefix_in_capitals_leaves_the_rest_of_the_translation_as_it_is() -> None:
    target = codec("Die EU hilft dem Hund", "bpe", "de", keep=True)
    demands = Demands(prefix="EU", terms={"union": ("EU",)})
    usual = demands.constraints(target.read("the union"), target)
    assert target.write([*usual.prefix, *target.read("hilft").ids]).text == "EU hilft"
    assert target.write([*usual.terms[0].forms[0], *target.read("hilft").ids]).text == "EU hilft"
    loud = demands.constraints(target.read("HUND"), target)
    assert target.write([*loud.prefix, *target.read("hilft").ids], case="capitals").text == "EU HILFT"


def test_lines_of_a_term_are_alternatives(tmp_path: Path) -> None:
    file = tmp_path / "terms.tsv"
    file.write_bytes("\ufeffdog\tHund\r\n\r\nhouse = Haus\ndog\tHunde\ndog\tHund\na=b\tx=y\n".encode())
    assert glossary_of(read_lines(file), "terms.tsv") == {"dog": ("Hund", "Hunde"), "house": ("Haus",), "a=b": ("x=y",)}


@pytest.mark.parametrize("line", ["dog", "dog\t", "\tHund", "dog = Hund = Hunde", "dog\tHund\tHunde", "dog\t\x07 "])
def test_another_line_is_refused_by_its_number(line: str) -> None:
    with pytest.raises(InputError, match=r"terms\.tsv:3: needs a term, a tab or =, and its translation"):
        glossary_of(["she\tsie", "", line], "terms.tsv")


@pytest.mark.parametrize(
    ("terms", "text", "found"),
    [
        ("dog", "The dog!", ["dog"]),
        ("dog", "a hot-dog's", ["dog"]),
        ("dog", "dogs, underdog dogma", []),
        ("hot dog", "A hot   dog.", ["hot dog"]),
        ("US", "He told us.", []),
        ("US", "The US told him.", ["US"]),
        ("é", "e\u0301", ["é"]),
        ("क", "कि", []),
        ("犬", "犬が好き", ["犬"]),
        ("istanbul", "İstanbul", ["İstanbul"]),
        ("σοφός", "Ο ΣΟΦΌΣ ζει", ["ΣΟΦΌΣ"]),
        ("ışık", "Işık, IŞIK ve ışık", ["Işık", "IŞIK", "ışık"]),
        ("kʼó", "Na k'ó ré", ["k'ó"]),
        ("zbek", "oʼzbek tili", []),
        ("driver's license", "My driver’s license", ["driver’s license"]),
        ("dog|hot dog", "A dog and a hot dog and a dog", ["dog", "hot dog", "dog"]),
    ],
)
def test_a_term_occurs_as_whole_words_and_the_longer_of_two_counts(terms: str, text: str, found: list[str]) -> None:
    text = normalise(text)
    spans = [span for span, _ in demanded(dict.fromkeys(terms.split("|"), ("x",)), text)]
    assert [text[start:end] for start, end in spans] == found
