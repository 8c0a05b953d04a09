"""The languages of pair files, and where they were found."""

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pairs.languages import Statement, guess_languages, resolve_languages
from seq2seq_cli.pairs.published import find_published
from seq2seq_cli.text.languages.names import PUBLISHED
from seq2seq_cli.text.spacy_tokenizers import has_tokenizer


def languages(
    *names: str, stated: str | None = None, swap: bool = False, config: tuple[str, ...] = ()
) -> tuple[str, str]:
    resolved = resolve_languages(text_config(*config), stated=stated, files=files(*names), swap=swap).text
    return resolved.src.language, resolved.tgt.language


def warnings(*names: str, stated: str | None = None, config: tuple[str, ...] = ()) -> list[str]:
    return resolve_languages(text_config(*config), stated=stated, files=files(*names), swap=False).warnings


def files(*names: str) -> list[Statement]:
    """The statement of a pair file of these names, if it makes one."""
    found = guess_languages(names)
    return [Statement(found, "name")] if found else []


def text_config(*overrides: str) -> TextConfig:
    return load_config(None, overrides).text


@pytest.mark.parametrize(
    "name", ["fra.txt", "fra-eng.zip", "fra.txt.gz", "/some/where/fra.tsv", "FRA.TXT", "fra-eng (2).zip"]
)
def test_a_published_name_has_english_first(name: str) -> None:
    assert languages(name) == ("en", "fr")


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["corpus.en-ru.tsv"], ("en", "ru")),
        (["corpus.ru-en.tsv.gz"], ("ru", "en")),
        (["news_fr-de.txt"], ("fr", "de")),
        (["eng-pol.txt"], ("en", "pl")),
        (["a.es", "a.el"], ("es", "el")),
        (["b/a.el.txt", "b/a.es.txt.gz"], ("el", "es")),
        (["a.en", "b.en", "a.uk", "b.uk"], ("en", "uk")),
        (["fra.txt", "more.txt"], ("en", "fr")),
        (["a.hsb", "a.en"], ("hsb", "en")),
        (["b.qu", "b.es"], ("qu", "es")),
        (["train.gn-es.tsv"], ("gn", "es")),
        (["hsb-deu.tsv"], ("hsb", "de")),
        (["a.en", "a.fr", "a.dev"], ("en", "fr")),
        (["a.eng", "a.deu", "b.en", "b.de"], ("en", "de")),
        (["Sentence pairs in English-French - 2024-01-01.tsv"], ("en", "fr")),
        (["Sentence pairs in Norwegian Bokmål-English - 2024-01-01.tsv"], ("nb", "en")),
        (["en.txt", "fr.txt"], ("en", "fr")),
        (["fra.txt", "eng.txt"], ("fr", "en")),
        (["train.en_US", "train.fr_FR"], ("en", "fr")),
        (["train.eng_Latn", "train.fra_Latn"], ("en", "fr")),
        (["corpus-en-fr.txt"], ("en", "fr")),
        (["train_en.txt", "train_fr.txt"], ("en", "fr")),
        (["English.txt", "German.txt"], ("en", "de")),
    ],
)
def test_endings_and_codes_in_a_name_state_the_languages(names: list[str], found: tuple[str, str]) -> None:
    assert languages(*names) == found


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["-"],
        ["pairs.txt"],
        ["to-do.txt"],
        ["eng.txt"],
        ["a.src", "a.tgt"],
        ["a.src", "a.en"],
        *(["de-dup.tsv"], ["fr-new.txt"], ["pt-br.txt"], ["x.en-jp.tsv"], ["train-english.txt"], ["en.txt"]),
        *(["train_src.txt", "train_en.txt"], ["english.txt", "english-old.txt"]),
        ["only.fr"],
        ["deu.backup"],
    ],
)
def test_a_name_without_languages_means_english_and_german(names: list[str]) -> None:
    assert languages(*names) == ("en", "de")
    assert warnings(*names) == []


def test_of_several_files_the_first_that_states_both_languages_counts() -> None:
    said = [Statement(("xx", "es"), "columns"), Statement(("en", "fr"), "name"), Statement(("en", "es"), "columns")]
    resolved = resolve_languages(text_config(), stated=None, files=said, swap=False)
    assert (resolved.text.src.language, resolved.text.tgt.language, resolved.origin) == ("en", "fr", "name")


def test_swap_exchanges_the_columns() -> None:
    assert languages("fra.txt", swap=True) == ("fr", "en")
    assert languages(stated="en-fi", swap=True) == ("fi", "en")
    assert languages(swap=True) == ("de", "en")


def test_the_config_overrides_names_and_the_option_overrides_both() -> None:
    config = ("text.tgt.language=it",)

    assert languages("fra.txt", config=config) == ("en", "it")
    assert languages("fra.txt", config=config, stated="pl-cs") == ("pl", "cs")
    assert languages("fra.txt", stated="pl-cs") == ("pl", "cs")


def test_a_side_left_open_is_the_other_language_of_the_pair() -> None:
    assert languages("fra.txt", config=("text.src.language=fr",)) == ("fr", "en")
    assert languages(config=("text.tgt.language=en",)) == ("de", "en")
    assert languages(swap=True, config=("text.src.language=ru",)) == ("ru", "en")


@pytest.mark.parametrize(
    ("names", "stated", "config", "origin"),
    [
        (["fra.txt"], "pl-cs", ["text.src.language=it", "text.tgt.language=it"], "option"),
        (["fra.txt"], None, ["text.src.language=it", "text.tgt.language=it"], "config"),
        (["fra.txt"], None, ["text.src.language=it"], "name"),
        (["mine.txt"], None, ["text.src.language=it"], "default"),
    ],
)
def test_it_says_where_the_languages_were_found(
    names: list[str], stated: str | None, config: list[str], origin: str
) -> None:
    resolved = resolve_languages(text_config(*config), stated=stated, files=files(*names), swap=False)
    assert resolved.origin == origin


@pytest.mark.parametrize("stated", ["eng-deu", "EN-DE", "en-deu", " en-de "])
def test_codes_of_three_letters_are_understood(stated: str) -> None:
    assert languages(stated=stated) == ("en", "de")


@pytest.mark.parametrize("stated", ["", "en", "en-", "en-de-fr", "english-german", "en/de", "e-d", "ён-де"])
def test_anything_else_is_refused_in_one_line(stated: str) -> None:
    with pytest.raises(UsageError, match=r"^--languages .*: must be two language codes, such as en-de"):
        languages(stated=stated)


def test_everything_else_of_the_config_stays() -> None:
    config = text_config("text.tgt.max_size=7", "text.src.lowercase=false", "text.unit=bpe")

    resolved = resolve_languages(config, stated="en-fr", swap=False).text

    assert resolved.model_dump(exclude={"src": {"language"}, "tgt": {"language"}}) == config.model_dump(
        exclude={"src": {"language"}, "tgt": {"language"}}
    )


def test_a_language_without_a_tokenizer_gives_one_warning() -> None:
    how = "words are cut at spaces and punctuation, by the rules for any language (xx)"
    assert warnings("epo.txt") == [f"spaCy has no tokenizer for 'eo': {how}"]
    assert len(warnings(stated="eo-eo")) == 1
    assert len(warnings(stated="ber-eo")) == 2


def test_characters_and_xx_give_no_warning_of_a_missing_tokenizer() -> None:
    assert warnings("epo.txt", config=("text.unit=character",)) == []
    assert warnings(stated="xx-en") == []


def test_the_warning_of_a_long_code_names_the_short_one() -> None:
    (warning,) = warnings(config=("text.tgt.language=deu",))

    assert warning.startswith("spaCy has no tokenizer for 'deu', but one for 'de':")


@pytest.mark.parametrize("word", ["deu", "de", "German", "german", "GERMAN", " deu "])
def test_a_published_language_is_found_by_code_and_name(word: str) -> None:
    assert find_published(word) == ("deu", "de", "German")


def test_a_name_and_its_addition_in_brackets_both_find_a_language() -> None:
    assert {find_published(word).code3 for word in ("chinese", "mandarin", "Chinese (Mandarin)")} == {"cmn"}


def test_an_unknown_code_is_left_to_the_site_but_an_unknown_name_is_not() -> None:
    assert find_published("hsb").code3 == "hsb"
    with pytest.raises(UsageError, match=r"called 'Germn', did you mean deu \(German\)\?"):
        find_published("Germn")
    with pytest.raises(UsageError, match="s2s download --list"):
        find_published("qqqqqqqq")


@pytest.mark.parametrize("word", ["eng", "en", "English"])
def test_english_alone_is_no_pair(word: str) -> None:
    with pytest.raises(UsageError, match="English is the other language"):
        find_published(word)


def test_the_table_names_each_language_once() -> None:
    for field in ("code3", "code", "name"):
        values = [getattr(language, field) for language in PUBLISHED]
        assert len(set(values)) == len(values)
    assert all(len(language.code3) == 3 for language in PUBLISHED)
    # The tokenizer is found by the code of two letters wherever spaCy has one.
    assert not any(has_tokenizer(lang.code3) for lang in PUBLISHED if lang.code3 != lang.code)
