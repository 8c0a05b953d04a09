"""The languages of pair files, where they were found, and whether the text is in their scripts."""

from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.config.loader import load_config
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pairs.stated_languages import (
    LanguageOrigin,
    Statement,
    by_words,
    guess_languages,
    resolve_languages,
    script_of,
    stated_languages,
)
from tests.commands import s2s_here


def languages(*names: str, **options: Any) -> tuple[str, str]:
    text, _, _ = resolved(*names, **options)
    return text.src.language, text.tgt.language


def resolved(
    *names: str, stated: str | None = None, swap: bool = False, config: tuple[str, ...] = ()
) -> tuple[TextConfig, LanguageOrigin, list[str]]:
    text = text_config(*config)
    preferred = stated_languages(text, stated, swap=swap)
    return resolve_languages(text, [preferred] if preferred else files(*names), swap=swap)


def files(*names: str) -> list[Statement]:
    """The statement of a pair file of these names."""
    found = guess_languages(names)
    return [Statement(found, "name") if found else by_words([])]


def text_config(*overrides: str) -> TextConfig:
    return load_config(None, overrides).text


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["corpus.en-ru.tsv"], ("en", "ru")),
        (["news_fr-de.txt"], ("fr", "de")),
        (["a.es", "a.el"], ("es", "el")),
        (["b/a.el.txt", "b/a.es.txt.gz"], ("el", "es")),
        *(([name], ("en", "fr")) for name in ("fra.txt", "fra-eng.zip", "/some/where/fra.tsv.gz", "FRA-eng (2).zip")),
        (["fra.txt", "more.txt"], ("en", "fr")),
        (["a.hsb", "a.en"], ("hsb", "en")),
        (["train.gn-es.tsv"], ("gn", "es")),
        (["Sentence pairs in English-French - 2024-01-01.tsv"], ("en", "fr")),
        (["Sentence pairs in Norwegian Bokmål-English - 2024-01-01.tsv"], ("nb", "en")),
        (["fra.txt", "eng.txt"], ("fr", "en")),
        (["train.eng_Latn", "train.fra_Latn"], ("en", "fr")),
        (["corpus-en-fr.txt"], ("en", "fr")),
        (["eng_Latn.dev", "zul_Latn.dev"], ("en", "zu")),
        (["newstest2019-src.eng.txt", "newstest2019-ref.arb.txt"], ("en", "ar")),
        (["corpus_nah.txt", "corpus_es.txt"], ("nah", "es")),
        (["tsez.txt", "english.txt"], ("ddo", "en")),
        (["tsez-english.tsv"], ("ddo", "en")),
        (["English.txt", "German.txt"], ("en", "de")),
        (["corpus.en-sh.tsv"], ("en", "sr")),  # in its Latin script, for which spaCy has no other rules
    ],
)
def test_endings_and_codes_in_a_name_state_the_languages(names: list[str], found: tuple[str, str]) -> None:
    assert languages(*names) == found


@pytest.mark.parametrize(
    "names",
    [
        *([], ["-"], ["pairs.txt"], ["to-do.txt"], ["eng.txt"], ["a.src", "a.en"], ["only.fr"], ["deu.backup"]),
        *(
            ["film.srt", "film.en.srt"],
            ["de-dup.tsv"],
            ["fr-new.txt"],
            ["x.en-jp.tsv"],
            ["train-english.txt"],
            ["english.txt", "english-old.txt"],
        ),
    ],
)
def test_a_name_without_languages_means_english_and_german(names: list[str]) -> None:
    assert languages(*names) == ("en", "de")
    assert resolved(*names)[2] == []


ENGLISH = ["I see the house.", "You want to go.", "She knows it."]
GERMAN = ["Ich sehe das Haus.", "Die Katze ist nicht hier.", "Sie und wir gehen zu Tom."]
DUTCH = ["Ik zie het huis.", "Zij weten het niet.", "De kat is hier en wij gaan naar Tom."]


@pytest.mark.parametrize(
    ("columns", "codes"),
    [
        ((ENGLISH, GERMAN), ("en", "de")),
        ((GERMAN, ENGLISH), ("de", "en")),
        ((ENGLISH, DUTCH), ("en", "xx")),
        ((DUTCH, GERMAN), ("xx", "de")),
    ],
)
def test_without_a_statement_the_words_tell_english_and_german(
    columns: tuple[list[str], list[str]], codes: tuple[str, str]
) -> None:
    assert by_words([texts * 100 for texts in columns]) == (codes, "default")
    few = tuple(default if code == "xx" else code for code, default in zip(codes, ("en", "de"), strict=True))
    assert by_words(columns) == (few, "default")
    assert by_words([["Це не тест, а речення."] * 3, ENGLISH]) == (("en", "en"), "default")  # refused by its script
    assert by_words([["One."], ENGLISH]) == (("xx", "en"), "default")
    qiosa = [f"naa {word} qile tu chara xixi sole" for word in ("i", "he", "we", "to", *map(str, range(16)))]
    assert by_words([qiosa * 100, ENGLISH]) == (("xx", "en"), "default")


def test_of_several_files_the_first_that_states_both_languages_counts() -> None:
    said = [Statement(("xx", "es"), "columns"), Statement(("en", "fr"), "name"), Statement(("en", "es"), "columns")]
    text, origin, _ = resolve_languages(text_config(), said, swap=False)
    assert (text.src.language, text.tgt.language, origin) == ("en", "fr", "name")


@pytest.mark.parametrize(
    ("name", "stated", "swap", "config", "found"),
    [
        ("fra.txt", None, True, "", ("fr", "en")),
        ("pairs.txt", None, True, "", ("de", "en")),
        ("pairs.txt", "en-fi", True, "", ("fi", "en")),
        ("fra.txt", None, False, "text.tgt.language=it", ("en", "it")),
        ("fra.txt", "pl-cs", False, "text.tgt.language=it", ("pl", "cs")),
        # A side that is left open is the other language of the pair.
        ("fra.txt", None, False, "text.src.language=fr", ("fr", "en")),
        ("pairs.txt", None, False, "text.tgt.language=en", ("de", "en")),
        ("pairs.txt", None, True, "text.src.language=ru", ("ru", "en")),
        # By code or name, in any case.
        *(("fra.txt", stated, False, "", ("en", "de")) for stated in ("eng-deu", "EN-DE", " en-de ", "English-German")),
        *(("fra.txt", stated, False, "", ("de", "en")) for stated in ("de-en", "german-EN")),
        ("fra.txt", "Tsez-English", False, "", ("ddo", "en")),
    ],
)
def test_the_option_overrides_the_config_and_the_config_the_name(
    name: str, stated: str | None, swap: bool, config: str, found: tuple[str, str]
) -> None:
    assert languages(name, stated=stated, swap=swap, config=tuple(filter(None, [config]))) == found


@pytest.mark.parametrize(
    ("stated", "config", "expected"),
    [
        ("eo-eo", "text.unit=bpe", ["spaCy has no tokenizer for 'eo': words are cut at spaces and punctuation, by"]),
        ("ber-eo", "text.unit=bpe", ["spaCy has no tokenizer for 'ber': ", "spaCy has no tokenizer for 'eo': "]),
        (None, "text.tgt.language=deu", ["spaCy has no tokenizer for 'deu', but one for 'de':"]),
        ("eo-en", "text.unit=character", []),
        ("xx-en", "text.unit=bpe", []),
    ],
)
def test_a_language_without_a_tokenizer_gives_one_warning(stated: str, config: str, expected: list[str]) -> None:
    _, _, found = resolved(stated=stated, config=(config,))
    assert len(found) == len(expected)
    assert all(map(str.startswith, found, expected))


def test_it_says_where_the_languages_were_found() -> None:
    both, one = ("text.src.language=it", "text.tgt.language=it"), ("text.src.language=it",)
    for name, stated, config, origin in (
        ("fra.txt", "pl-cs", both, "option"),
        ("fra.txt", None, both, "config"),
        ("fra.txt", None, one, "name"),
        ("mine.txt", None, one, "default"),
    ):
        assert resolved(name, stated=stated, config=config)[1] == origin


def test_anything_else_is_refused_in_one_line() -> None:
    for stated in ("", "en", "en-", "en-de-fr", "english-qiosa", "en/de", "e-d", "ён-де"):
        with pytest.raises(UsageError, match=r"^--languages .*: must be two languages, such as en-de"):
            languages(stated=stated)


TEXTS = {
    "en": "She left early because she was tired.",
    "ja": "彼女は疲れていたので早く帰った。",
    "ru": "Она ушла рано, потому что устала.",
    "zh": "她很累，所以早早地离开了。",
}
IN_ORDER = "is in Japanese script, not English (en): name the languages in the order of the columns, --languages ja-en"


@pytest.mark.parametrize(
    ("name", "first", "second", "options", "code", "said"),
    [
        ("pairs.txt", "en", "ja", [], 2, "error: pairs.txt: the second column is in Japanese script, not German (de):"),
        ("deu.txt", "en", "zh", [], 2, "error: deu.txt: the second column is in Han script, not German (de): name the"),
        ("jpn.txt", "ja", "en", [], 2, f"error: jpn.txt: the first column {IN_ORDER}"),
        ("pairs.txt", "en", "ja", ["--languages", "en-de"], 0, "warning: pairs.txt: the second column is in Japanese"),
        ("pairs.txt", "en", "ja", ["--languages", "en-ja"], 0, ""),
        ("jpn.txt", "en", "ja", ["--swap"], 0, ""),
    ],
)
def test_languages_that_nobody_stated_must_fit_the_script(
    tmp_path: Path, name: str, first: str, second: str, options: list[str], code: int, said: str
) -> None:
    (tmp_path / name).write_text(f"{TEXTS[first]}\t{TEXTS[second]}\n" * 3, encoding="utf-8")
    keys = ("text.unit=character", "data.max_ratio=99", "data.valid_sources=0", "data.test_sources=0")
    done = s2s_here(tmp_path, "prepare", name, *(word for key in keys for word in ("--set", key)), *options)
    assert (done.returncode, done.stderr.count("\n")) == (code, int(said != ""))
    assert done.stderr.startswith(f"s2s: {said}" if said else "")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        *((TEXTS[code] * 2, script) for code, script in {"en": "Latin", "ja": "Japanese", "ru": "Cyrillic"}.items()),
        (TEXTS["zh"], None),
        (TEXTS["zh"] * 2, "Han"),
        ("한국어 漢字 문장은 이렇게 길게 쓸 수 있습니다. 그렇지요?", "Hangul"),
        ("42 + 7 = 49!", None),
        ("Он said hello to her, и she сказала привет ему also.", "Latin"),
    ],
)
def test_the_script_is_that_of_most_letters(text: str, script: str | None) -> None:
    assert script_of([text]) == script
