"""The languages of the published pair files, each with English in the first column (https://www.manythings.org/anki/).

The list is of 2024, with the codes of the Tatoeba project, and is not checked against the site, which adds and drops
languages. A language that the site has and this list lacks is downloaded by its code.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from seq2seq_cli.errors import UsageError


class Published(NamedTuple):
    """A language of the site, with its codes and its name."""

    archive: str
    """The ISO 639-3 code of the files: ``deu`` is in ``deu-eng.zip``."""
    code: str
    """The code of the config: ISO 639-1 where there is one, as spaCy has it."""
    name: str
    """In English."""


PUBLISHED = tuple(
    Published(*line.split(maxsplit=2))
    for line in """
afr af Afrikaans
sqi sq Albanian
arq arq Algerian Arabic
ara ar Arabic
asm as Assamese
aze az Azerbaijani
eus eu Basque
bel be Belarusian
ben bn Bengali
ber ber Berber
bos bs Bosnian
bul bg Bulgarian
yue yue Cantonese
cat ca Catalan
ceb ceb Cebuano
cbk cbk Chavacano
cmn zh Chinese (Mandarin)
hrv hr Croatian
ces cs Czech
dan da Danish
nld nl Dutch
epo eo Esperanto
est et Estonian
fin fi Finnish
fra fr French
glg gl Galician
kat ka Georgian
deu de German
ell el Greek
guj gu Gujarati
heb he Hebrew
hin hi Hindi
hun hu Hungarian
isl is Icelandic
ido io Ido
ilo ilo Ilocano
ind id Indonesian
ina ia Interlingua
gle ga Irish
ita it Italian
jpn ja Japanese
kab kab Kabyle
kan kn Kannada
kaz kk Kazakh
kha kha Khasi
khm km Khmer
kor ko Korean
kur ku Kurdish
lao lo Lao
lvs lv Latvian
lit lt Lithuanian
nds nds Low Saxon
mkd mk Macedonian
zsm ms Malay
mal ml Malayalam
mlt mt Maltese
mar mr Marathi
mon mn Mongolian
max max North Moluccan Malay
nob nb Norwegian Bokmål
nno nn Norwegian Nynorsk
pes fa Persian
pol pl Polish
por pt Portuguese
pan pa Punjabi
ron ro Romanian
rus ru Russian
srp sr Serbian
sin si Sinhala
slk sk Slovak
slv sl Slovenian
spa es Spanish
swh sw Swahili
swe sv Swedish
tgl tl Tagalog
tam ta Tamil
tat tt Tatar
tel te Telugu
tha th Thai
tur tr Turkish
ukr uk Ukrainian
urd ur Urdu
uig ug Uyghur
vie vi Vietnamese
war war Waray
yid yi Yiddish
zza zza Zaza
""".strip().splitlines()
)

_ENGLISH = ("eng", "en", "english")
_ARCHIVE_CODE_LENGTH = 3


def find_published(word: str) -> Published:
    """The language with this code or name: ``deu``, ``de``, ``German`` or ``german``.

    An unknown code of three letters is returned as it is: the site may have more languages than this list. Raises
    UsageError for English, which is in every file, and for an unknown name, with the names near to it.
    """
    wanted = word.strip().casefold()
    if wanted in _ENGLISH:
        raise UsageError("English is the other language of every file: name the one that goes with it")
    for language in PUBLISHED:
        if wanted in _names(language):
            return language
    if len(wanted) == _ARCHIVE_CODE_LENGTH and wanted.isascii() and wanted.isalpha():
        return Published(archive=wanted, code=wanted, name=wanted)
    raise UsageError(f"no published language is called '{word}'{near_languages(wanted)}")


def near_languages(word: str) -> str:
    """The end of a message about an unknown language: the names nearest to ``word``."""
    by_name = {name: language for language in PUBLISHED for name in _names(language)}
    # A code with one wrong letter still agrees in two of three; names are longer and must agree better.
    cutoff = 0.65 if len(word) <= _ARCHIVE_CODE_LENGTH else 0.75
    near = dict.fromkeys(by_name[name] for name in get_close_matches(word.casefold(), by_name, n=3, cutoff=cutoff))
    if not near:
        return ": list the languages with 's2s download --list'"
    return ", did you mean " + " or ".join(f"{language.archive} ({language.name})" for language in near) + "?"


def _names(language: Published) -> Iterator[str]:
    name = language.name.casefold()
    yield from (language.archive, language.code, name)
    if name.endswith(")"):  # chinese (mandarin)
        yield from name.rstrip(")").split(" (")
