"""The nouns, adjectives and adverbs of `sample.txt`, English beside German. Regular forms are derived."""

from data.grammar.words import Adjective, Adverb, Gender, Kind, Noun, Season

M, F, N = Gender.M, Gender.F, Gender.N
K = Kind

NAMES = {"Tom": M, "Mary": F, "Paul": M, "Anna": F}
GERMAN_NAMES = {"Mary": "Maria"}  # the others stay as they are

PEOPLE = (
    Noun("man", "Mann", M, K.PERSON | K.GROWN | K.CLOSE, ("men", "Männer")),
    Noun("woman", "Frau", F, K.PERSON | K.GROWN | K.CLOSE, ("women", "Frauen")),
    Noun("child", "Kind", N, K.PERSON | K.CLOSE, ("children", "Kinder")),
    Noun("boy", "Junge", M, K.PERSON | K.CLOSE, ("boys", "Jungen"), oblique="Jungen"),
    Noun("girl", "Mädchen", N, K.PERSON | K.CLOSE, ("girls", "Mädchen")),
    Noun("teacher", "Lehrer", M, K.PERSON | K.GROWN | K.GOAL),
    Noun("doctor", "Arzt", M, K.PERSON | K.GROWN | K.GOAL),
    Noun("neighbor", "Nachbar", M, K.PERSON | K.GROWN, ("neighbors", "Nachbarn"), oblique="Nachbarn"),
    Noun("student", "Student", M, K.PERSON | K.GROWN, ("students", "Studenten"), oblique="Studenten"),
    Noun("brother", "Bruder", M, K.RELATIVE | K.CLOSE, ("brothers", "Brüder")),
    Noun("sister", "Schwester", F, K.RELATIVE | K.CLOSE, ("sisters", "Schwestern")),
    Noun("father", "Vater", M, K.RELATIVE | K.CLOSE),
    Noun("mother", "Mutter", F, K.RELATIVE | K.CLOSE),
    Noun("daughter", "Tochter", F, K.RELATIVE | K.CLOSE, ("daughters", "Töchter")),
    Noun("son", "Sohn", M, K.RELATIVE | K.CLOSE, ("sons", "Söhne")),
)

ANIMALS = (
    Noun("dog", "Hund", M, K.ANIMAL, ("dogs", "Hunde")),
    Noun("cat", "Katze", F, K.ANIMAL, ("cats", "Katzen")),
    Noun("horse", "Pferd", N, K.ANIMAL, ("horses", "Pferde")),
)

THINGS = (
    Noun("book", "Buch", N, K.GOODS | K.SMALL | K.GIFT | K.TEXT, ("books", "Bücher")),
    Noun("letter", "Brief", M, K.SMALL | K.TEXT, ("letters", "Briefe")),
    Noun("story", "Geschichte", F, K.TEXT, ("stories", "Geschichten")),
    Noun("newspaper", "Zeitung", F, K.GOODS | K.SMALL | K.PAPER, ("newspapers", "Zeitungen")),
    Noun("movie", "Film", M, K.FILM, ("movies", "Filme")),
    Noun("song", "Lied", N, K.SONG, ("songs", "Lieder")),
    Noun("key", "Schlüssel", M, K.SMALL),
    Noun("bag", "Tasche", F, K.GOODS | K.SMALL | K.GIFT, ("bags", "Taschen")),
    Noun("hat", "Hut", M, K.GOODS | K.SMALL | K.GIFT, ("hats", "Hüte")),
    Noun("picture", "Bild", N, K.GOODS | K.SMALL | K.GIFT, ("pictures", "Bilder")),
    Noun("flower", "Blume", F, K.GOODS | K.GIFT, ("flowers", "Blumen")),
    Noun("shirt", "Hemd", N, K.GOODS | K.SMALL | K.GIFT, ("shirts", "Hemden")),
    Noun("car", "Auto", N, K.GOODS, ("cars", "Autos")),
    Noun("table", "Tisch", M, K.GOODS | K.SPOT),
    Noun("lamp", "Lampe", F, K.GOODS, ("lamps", "Lampen")),
    Noun("chair", "Stuhl", M, K.GOODS, ("chairs", "Stühle")),
    Noun("door", "Tür", F, K.DOOR, ("doors", "Türen")),
    Noun("window", "Fenster", N, K.DOOR | K.SPOT, ("windows", "Fenster")),
)

FOODS = (
    Noun("apple", "Apfel", M, K.FOOD | K.GIFT, ("apples", "Äpfel")),
    Noun("egg", "Ei", N, K.FOOD | K.DISH, ("eggs", "Eier")),
    Noun("potato", "Kartoffel", F, K.FOOD | K.DISH, ("potatoes", "Kartoffeln")),
    Noun("cake", "Kuchen", M, K.FOOD | K.GIFT),
    Noun("bread", "Brot", N, K.FOOD, countable=False),
    Noun("soup", "Suppe", F, K.FOOD | K.DISH, countable=False),
    Noun("milk", "Milch", F, K.DRINK, countable=False),
    Noun("water", "Wasser", N, K.DRINK, countable=False),
    Noun("coffee", "Kaffee", M, K.DRINK, countable=False),
    Noun("tea", "Tee", M, K.DRINK, countable=False),
)

PLACES = (
    Noun("house", "Haus", N, K.GOODS | K.ROOM | K.HOME, ("houses", "Häuser")),
    Noun("garden", "Garten", M, K.ROOM),
    Noun("kitchen", "Küche", F, K.ROOM),
    Noun("park", "Park", M, K.ROOM | K.GOAL),
    Noun("city", "Stadt", F, K.ROOM | K.HOME),
    Noun("school", "Schule", F, K.ROOM | K.GOAL),
    Noun("station", "Bahnhof", M, K.GOAL | K.SPOT),
)

TIME = Noun("time", "Zeit", F, K.MEANS, countable=False)
MONEY = Noun("money", "Geld", N, K.MEANS, countable=False)
ABSTRACT = (
    TIME,
    MONEY,
    Noun("German", "Deutsch", N, K.LANGUAGE, countable=False),
    Noun("English", "Englisch", N, K.LANGUAGE, countable=False),
)

NOUNS = PEOPLE + ANIMALS + THINGS + FOODS + PLACES + ABSTRACT

COLD, WARM = Adjective("cold", "kalt", K.DRINK), Adjective("warm", "warm", K.DISH)
OBJECTS = K.GOODS | K.SMALL
ADJECTIVES = (
    Adjective("new", "neu", OBJECTS | K.FILM | K.SONG),
    Adjective("old", "alt", OBJECTS | K.GROWN | K.ANIMAL | K.HOME | K.GOAL | K.SONG | K.FILM | K.DOOR),
    Adjective("big", "groß", K.GOODS | K.ANIMAL | K.ROOM | K.DOOR),
    Adjective("small", "klein", OBJECTS | K.ANIMAL | K.ROOM | K.DOOR),
    Adjective("beautiful", "schön", OBJECTS | K.ROOM | K.SONG | K.HOME),
    Adjective("good", "gut", K.TEXT | K.FILM | K.SONG | K.FOOD | K.DRINK),
    Adjective("interesting", "interessant", K.TEXT | K.FILM | K.PAPER),
    Adjective("long", "lang", K.TEXT | K.FILM | K.SONG),
    Adjective("expensive", "teuer", K.GOODS, irregular_stem="teur"),
    Adjective("cheap", "billig", K.GOODS),
    Adjective("red", "rot", K.GOODS | K.DOOR),
    Adjective("black", "schwarz", K.GOODS | K.ANIMAL),
    Adjective("white", "weiß", K.GOODS | K.ANIMAL),
    Adjective("fresh", "frisch", K.FOOD),
    Adjective("hot", "heiß", K.DRINK | K.DISH),
    COLD,
    WARM,
    Adjective("young", "jung", K.GROWN | K.ANIMAL),
    Adjective("nice", "nett", K.PERSON),
    Adjective("rich", "reich", K.PERSON),
    Adjective("poor", "arm", K.PERSON),
)

TIRED, HAPPY, SAD, SICK, HUNGRY, THIRSTY = STATES = (
    Adjective("tired", "müde", K.HUMAN),
    Adjective("happy", "glücklich", K.HUMAN),
    Adjective("sad", "traurig", K.HUMAN),
    Adjective("sick", "krank", K.HUMAN),
    Adjective("hungry", "hungrig", K.HUMAN),
    Adjective("thirsty", "durstig", K.HUMAN),
)

S = Season
EVERY_DAY = Adverb("every day", "jeden Tag", S.HABIT | S.PAST)
ADVERBS = (
    Adverb("now", "jetzt", S.NOW),
    Adverb("today", "heute", S.NOW | S.PERFECT | S.FUTURE),
    EVERY_DAY,
    Adverb("often", "oft", S.HABIT | S.PAST | S.PERFECT, inner=True),
    Adverb("always", "immer", S.HABIT, inner=True),
    Adverb("never", "nie", S.HABIT | S.PAST | S.PERFECT, inner=True),
    Adverb("yesterday", "gestern", S.PAST),
    Adverb("last week", "letzte Woche", S.PAST),
    Adverb("on Monday", "am Montag", S.PAST | S.FUTURE),
    Adverb("on Sunday", "am Sonntag", S.PAST | S.FUTURE),
    Adverb("already", "schon", S.PERFECT, inner=True),
    Adverb("just", "gerade", S.PERFECT, inner=True),
    Adverb("tomorrow", "morgen", S.FUTURE),
    Adverb("next week", "nächste Woche", S.FUTURE),
    Adverb("soon", "bald", S.FUTURE),
)
WEATHER_ADVERBS = tuple(adverb for adverb in ADVERBS if not adverb.inner and Season.HABIT not in adverb.season)
