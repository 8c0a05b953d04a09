"""Two sentences of our own in each of many languages, read and written by a codec with each kind of unit."""

import pytest

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.text import SideConfig
from seq2seq_cli.text.characters import upper
from seq2seq_cli.text.vocabulary import UNK
from tests.unit.text.test_codec import UNITS, fitted

SENTENCES = {
    "ar": ("أين وضعتَ المفتاح؟", "لم أقرأ هذا الكتاب، لكن أختي قرأته."),
    "bg": ("Къде е ключът?", "Баба ми пече хляб в 6 ч. сутринта."),
    "cs": ("Kde máš klíče?", "Dnes v noci nejspíš napadne sníh, říkala teta."),
    "da": ("Hvor er nøglen?", "Min bror spiser æbler og rødgrød."),
    "de": ("Wo liegt der Schlüssel?", "Meine Tante fährt – z.B. heute – nach „Grünwald“."),
    "el": ("Πού είναι το κλειδί;", "Ο παππούς μου είπε: «Έλα εδώ!»"),
    "en": ("Where's the key?", 'My uncle said, "I don\'t know," and left at 5 p.m. sharp.'),
    "es": ("¿Dónde está la llave?", "¡Mañana lloverá en el pueblo de mi abuela!"),
    "fi": ("Missä avain on?", "Söimme eilen mökillä lämmintä puuroa."),
    "fr": ("Où est la clé de l'armoire ?", "Qu'est-ce qu'il a dit aujourd'hui : « Peut-être » ?"),
    "he": ("איפה המפתח?", 'אחותי אמרה: "אני באה מחר".'),
    "hi": ("चाबी कहाँ है?", "मेरी दादी ने सुबह चाय बनाई।"),
    "hu": ("Hol van a kulcs?", "Nagyapám őszibarackot ültetett a kertbe."),
    "it": ("Dov'è la chiave?", "L'ho vista un po' prima dell'alba."),
    "nl": ("Waar is m'n sleutel?", "'s Avonds eten we bij oma's buren."),
    "pl": ("Gdzie jest klucz?", "Wczoraj ciocia upiekła żółty placek ze śliwkami."),
    "pt": ("Onde está a chave?", "O avô deu-me três maçãs e um pão-de-ló."),
    "ro": ("Unde este cheia?", "Bunica mi-a spus că țara e frumoasă."),
    "ru": ("Где же ключ?", "Бабушка сказала: «Всё будет хорошо» — и ушла."),
    "sv": ("Var är nyckeln?", "Min farbror åkte på semester i går kväll."),
    "tr": ("Anahtar nerede, İpek?", "Dedem Iğdır'dan ılık bir çorba getirdi."),
    "uk": ("Де ключ?", "Моя бабуся з'їла яблуко й поїхала в село."),
    "zh": ("钥匙在哪里?", "我奶奶说:“明天会下雪。”"),
    # Languages that spaCy has no tokenizer for.
    "cy": ("Ble mae'r allwedd?", "Mae fy nain yn byw yn y dref."),
    "eo": ("Kie estas la ŝlosilo?", "Mia avino ĉiam diras: «Ĝis morgaŭ!»"),
    "ka": ("სად არის გასაღები?", "ბებიამ თქვა, რომ ხვალ მოვა."),
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_written_as_they_were_read_and_in_a_source_case_and_spaces_are_ignored(
    language: str, unit: Unit
) -> None:
    sentences = SENTENCES[language]
    target = fitted(SideConfig(language=language, lowercase=False, spacing=True, min_count=1), *sentences, unit=unit)
    source = fitted(SideConfig(language=language, lowercase=True, spacing=False, min_count=1), *sentences, unit=unit)
    for sentence in sentences:
        assert target.write(target.read(sentence).ids).text == sentence
        ids = source.read(sentence).ids
        assert UNK not in ids
        assert source.read(upper(sentence, language)).ids == ids
        # A space before the last punctuation mark changes nothing.
        assert source.read(f"{sentence[:-1]} {sentence[-1]}").ids == ids
        assert "".join(source.read(sentence).parts).replace("▁", "") == "".join(sentence.split())
