"""A school grammar of the sample's German, written out by hand and apart from the generator, to judge its text by."""

import re
from itertools import product

# infinitive, er in the present, er in the past, participle with its auxiliary
PRINCIPAL_PARTS = """
    kaufen kauft kaufte gekauft hat         verkaufen verkauft verkaufte verkauft hat
    finden findet fand gefunden hat         verlieren verliert verlor verloren hat
    vergessen vergisst vergaß vergessen hat suchen sucht suchte gesucht hat
    sehen sieht sah gesehen hat             hören hört hörte gehört hat
    essen isst aß gegessen hat              trinken trinkt trank getrunken hat
    kochen kocht kochte gekocht hat         lesen liest las gelesen hat
    schreiben schreibt schrieb geschrieben hat  öffnen öffnet öffnete geöffnet hat
    zumachen zumacht zumachte zugemacht hat singen singt sang gesungen hat
    lernen lernt lernte gelernt hat         küssen küsst küsste geküsst hat
    besuchen besucht besuchte besucht hat   anrufen anruft anrief angerufen hat
    treffen trifft traf getroffen hat       einladen einlädt einlud eingeladen hat
    fragen fragt fragte gefragt hat         helfen hilft half geholfen hat
    danken dankt dankte gedankt hat         geben gibt gab gegeben hat
    zeigen zeigt zeigte gezeigt hat         bringen bringt brachte gebracht hat
    kennen kennt kannte gekannt hat         lieben liebt liebte geliebt hat
    brauchen braucht brauchte gebraucht hat verstehen versteht verstand verstanden hat
    schlafen schläft schlief geschlafen hat arbeiten arbeitet arbeitete gearbeitet hat
    lachen lacht lachte gelacht hat         weinen weint weinte geweint hat
    tanzen tanzt tanzte getanzt hat         spielen spielt spielte gespielt hat
    sprechen spricht sprach gesprochen hat  warten wartet wartete gewartet hat
    wohnen wohnt wohnte gewohnt hat         gehen geht ging gegangen ist
    kommen kommt kam gekommen ist           fahren fährt fuhr gefahren ist
    bleiben bleibt blieb geblieben ist      schwimmen schwimmt schwamm geschwommen ist
    aufstehen aufsteht aufstand aufgestanden ist  ankommen ankommt ankam angekommen ist
    denken denkt dachte gedacht hat         sagen sagt sagte gesagt hat
    hoffen hofft hoffte gehofft hat         regnen regnet regnete geregnet hat
    schneien schneit schneite geschneit hat
"""
PREFIXES = {"zumachen": "zu", "anrufen": "an", "einladen": "ein", "aufstehen": "auf", "ankommen": "an"}
# ich, du, er, wir, sie: present, then past where there is one
IRREGULAR = """
    bin bist ist sind sind          war warst war waren waren
    habe hast hat haben haben       hatte hattest hatte hatten hatten
    werde wirst wird werden werden
    kann kannst kann können können  konnte konntest konnte konnten konnten
    muss musst muss müssen müssen   musste musstest musste mussten mussten
    will willst will wollen wollen  wollte wolltest wollte wollten wollten
    mag magst mag mögen mögen       mochte mochtest mochte mochten mochten
    weiß weißt weiß wissen wissen
"""
PERSONS = ("ich", "du", "er", "wir", "plural")

# singular, gender, plural; weak nouns add their other singular
NOUNS = """
    Mann m Männer, Frau f Frauen, Kind n Kinder, Junge m Jungen Jungen, Mädchen n Mädchen, Lehrer m Lehrer,
    Arzt m Ärzte, Nachbar m Nachbarn Nachbarn, Student m Studenten Studenten, Bruder m Brüder, Schwester f Schwestern,
    Vater m Väter, Mutter f Mütter, Tochter f Töchter, Sohn m Söhne, Hund m Hunde, Katze f Katzen, Pferd n Pferde,
    Buch n Bücher, Brief m Briefe, Geschichte f Geschichten, Zeitung f Zeitungen, Film m Filme, Lied n Lieder,
    Schlüssel m Schlüssel, Tasche f Taschen, Hut m Hüte, Bild n Bilder, Blume f Blumen, Hemd n Hemden, Auto n Autos,
    Tisch m Tische, Lampe f Lampen, Stuhl m Stühle, Tür f Türen, Fenster n Fenster, Apfel m Äpfel, Ei n Eier,
    Kartoffel f Kartoffeln, Kuchen m Kuchen, Brot n Brote, Suppe f Suppen, Milch f -, Wasser n -, Kaffee m Kaffees,
    Tee m Tees, Haus n Häuser, Garten m Gärten, Küche f Küchen, Park m Parks, Stadt f Städte, Schule f Schulen,
    Bahnhof m Bahnhöfe, Zeit f Zeiten, Geld n -, Deutsch n -, Englisch n -
"""
OTHER_CAPITALS = {"Tom", "Maria", "Paul", "Anna", "Berlin", "Montag", "Sonntag", "Tag", "Woche", "Hause"}
ADJECTIVE_STEMS = """
    neu alt groß klein schön gut interessant lang teur billig
    rot schwarz weiß frisch heiß kalt warm jung nett reich arm
""".split()  # noqa: SIM905

CASES = ("nominative", "accusative", "dative")
# Endings of der, ein-words and adjectives: rows m, f, n, plural; columns nominative, accusative, dative.
DEFINITE = {"m": "der den dem", "f": "die die der", "n": "das das dem", "p": "die die den"}
INDEFINITE = {"m": "- en em", "f": "e e er", "n": "- - em", "p": "e e en"}
AFTER_DEFINITE = {"m": "e en en", "f": "e e en", "n": "e e en", "p": "en en en"}
AFTER_INDEFINITE = {"m": "er en en", "f": "e e en", "n": "es es en", "p": "en en en"}
AFTER_NOTHING = {"m": "er en em", "f": "e e er", "n": "es es em", "p": "e e en"}
EIN_WORDS = ("ein", "kein", "mein", "dein", "sein", "ihr", "unser")

Reading = tuple[str, str]  # case, and m, f, n or p (plural)


def conjugate(third: str, infinitive: str, past: str) -> list[tuple[str, str]]:
    """All finite forms, each with its person."""
    second = third if re.search(r"(ss|ß|z|es|is|s)t$", third) and not third.endswith("ssst") else f"{third[:-1]}st"
    plural_past = past + ("n" if past.endswith("e") else "en")
    return [
        ("ich", infinitive[:-1]),
        ("du", second),
        ("er", third),
        *[(person, infinitive) for person in ("wir", "plural")],
        *[(person, past) for person in ("ich", "er")],
        *[(person, plural_past) for person in ("wir", "plural")],
    ]


def _verbs() -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, str], set[str]]:
    fields = PRINCIPAL_PARTS.split()
    finite: dict[str, set[str]] = {}
    joined: dict[str, set[str]] = {}  # with a separable prefix in front, as at the end of a clause
    auxiliaries: dict[str, str] = {}
    for infinitive, third, past, participle, auxiliary in zip(*[iter(fields)] * 5, strict=True):
        auxiliaries[participle] = auxiliary
        prefix = PREFIXES.get(infinitive, "")
        for person, form in conjugate(third, infinitive, past):
            joined.setdefault(form, set()).add(person)
            finite.setdefault(form.removeprefix(prefix), set()).add(person)
    for forms in zip(*[iter(IRREGULAR.split())] * 5, strict=True):
        for person, form in zip(PERSONS, forms, strict=True):
            finite.setdefault(form, set()).add(person)
            joined.setdefault(form, set()).add(person)
    infinitives = {*fields[::5], "haben", "sein", "mögen", "wissen"}
    return finite, joined, auxiliaries, infinitives


FINITE, FINITE_AT_THE_END, AUXILIARY_OF, INFINITIVES = _verbs()


def _noun_readings() -> dict[str, set[Reading]]:
    readings: dict[str, set[Reading]] = {}
    for entry in NOUNS.split(","):
        singular, gender, plural, *oblique = entry.split()
        for case in CASES:
            form = oblique[0] if oblique and case != "nominative" else singular
            readings.setdefault(form, set()).add((case, gender))
            if plural != "-":
                dative = plural if plural.endswith(("n", "s")) else f"{plural}n"
                readings.setdefault(dative if case == "dative" else plural, set()).add((case, "p"))
    return readings


NOUN_READINGS = _noun_readings()


def _fits(table: dict[str, str], ending: str) -> set[Reading]:
    """The cases and genders for which a table has the ending."""
    return {
        (case, gender)
        for gender, (column, case) in product(table, enumerate(CASES))
        if table[gender].split()[column] == (ending or "-")
    }


def determiner_readings(word: str) -> tuple[set[Reading], dict[str, str]] | None:
    """What a determiner can stand for, and the endings of the adjective behind it; None if it is no determiner."""
    if word in ("der", "die", "das", "den", "dem"):
        return _fits(DEFINITE, word), AFTER_DEFINITE
    for stem in EIN_WORDS:
        if word in [stem + ending for ending in ("", "e", "en", "em", "er")]:
            return _fits(INDEFINITE, word.removeprefix(stem)), AFTER_INDEFINITE
    return None


def readings(determiner: str, adjective: str, noun: str) -> set[Reading]:
    """The cases and genders in which the three agree; none if they never do. Determiner and adjective may be empty."""
    found = set(NOUN_READINGS[noun])
    endings = AFTER_NOTHING
    if determiner:
        known = determiner_readings(determiner)
        assert known is not None
        found &= known[0]
        endings = known[1]
    if adjective:
        stem = next(stem for stem in ADJECTIVE_STEMS if adjective.startswith(stem))
        found &= _fits(endings, adjective.removeprefix(stem))
    return found


_STEMS = "|".join(sorted(ADJECTIVE_STEMS, key=len, reverse=True))
_DETERMINERS = r"d(?:er|ie|as|en|em)|(?:k?ein|mein|dein|sein|ihr|unser)(?:e[nmr]?)?"
PHRASE = (
    rf"(?:(?P<determiner>(?i:{_DETERMINERS})) )?"
    rf"(?:(?P<adjective>(?:{_STEMS})e[nmrs]?) )?"
    rf"(?P<noun>{'|'.join(NOUN_READINGS)})"
)
NOUN_PHRASE = re.compile(rf"(?<!\w){PHRASE}(?!\w)")


def read(match: re.Match[str]) -> set[Reading]:
    """The readings of a match of NOUN_PHRASE. `ihr` may be a pronoun before a phrase without an article."""
    determiner, adjective = (match["determiner"] or "").lower(), (match["adjective"] or "").lower()
    found = readings(determiner, adjective, match["noun"])
    return found or readings("", adjective, match["noun"]) if determiner == "ihr" else found
