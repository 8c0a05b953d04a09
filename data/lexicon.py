"""The words of `sample.txt`, English beside German. A regular form is not written down: it is derived."""

from words import Adjective, Adverb, Aspect, Case, Fixed, Gender, Kind, Modal, Noun, Preposition, Season, Verb

M, F, N = Gender.M, Gender.F, Gender.N
K = Kind
EVENT, PERCEPTION, STATE = Aspect.EVENT, Aspect.PERCEPTION, Aspect.STATE
ACC, DAT = Case.ACCUSATIVE, Case.DATIVE

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
WEATHER = (COLD, WARM)
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

IN = Preposition("in", "in", DAT, K.ROOM)
LIVE_IN = Preposition("in", "in", DAT, K.HOME)
AT = Preposition("at", "an", DAT, K.SPOT)
INTO = Preposition("into", "in", ACC, K.ROOM)
TO = Preposition("to", "zu", DAT, K.GOAL)
WITH = Preposition("with", "mit", DAT, K.HUMAN | K.CLOSE)
WITH_PLAYMATE = Preposition("with", "mit", DAT, K.HUMAN | K.CLOSE | K.ANIMAL)
FOR = Preposition("for", "auf", ACC, K.HUMAN | K.CLOSE)  # to wait for: warten auf
AT_HOME = Fixed("at home", "zu Hause")
HOMEWARDS = Fixed("home", "nach Hause")
IN_BERLIN, TO_BERLIN = Fixed("in Berlin", "in Berlin"), Fixed("to Berlin", "nach Berlin")
PLACE = (IN, AT_HOME)
HOURS = (
    Fixed("early", "früh"),
    Fixed("late", "spät"),
    Fixed("at six", "um sechs"),
    Fixed("at eight", "um acht"),
)
DIRECTION = (INTO, TO, TO, HOMEWARDS)

ANYBODY = K.HUMAN
VERBS = (
    # transitive
    Verb("buy", "kaufen", "bought", daily=False, accusative=K.GOODS | K.FOOD | K.DRINK),
    Verb("sell", "verkaufen", "sold", daily=False, accusative=K.GOODS),
    Verb(
        "find",
        "finden",
        "found",
        past="fand",
        participle="gefunden",
        aspect=EVENT,
        daily=False,
        accusative=K.SMALL | K.MEANS | K.ANIMAL,
    ),
    Verb(
        "lose",
        "verlieren",
        "lost",
        past="verlor",
        participle="verloren",
        aspect=EVENT,
        daily=False,
        wanted=False,
        accusative=K.SMALL,
    ),
    Verb(
        "forget",
        "vergessen",
        "forgot",
        "forgotten",
        "vergaß",
        "vergessen",
        "vergiss",
        aspect=EVENT,
        daily=False,
        wanted=False,
        accusative=K.SMALL,
    ),
    Verb("look for", "suchen", daily=False, accusative=K.SMALL | K.ANIMAL | ANYBODY),
    Verb(
        "see",
        "sehen",
        "saw",
        "seen",
        "sah",
        "gesehen",
        "sieh",
        aspect=PERCEPTION,
        accusative=ANYBODY | K.ANIMAL | K.FILM | K.GOODS | K.SMALL,
        allows=(IN, AT),
    ),
    Verb("hear", "hören", "heard", aspect=PERCEPTION, accusative=ANYBODY | K.SONG | K.ANIMAL),
    Verb("eat", "essen", "ate", "eaten", "aß", "gegessen", "iss", accusative=K.FOOD, allows=(IN, AT)),
    Verb("drink", "trinken", "drank", "drunk", "trank", "getrunken", accusative=K.DRINK, allows=(IN, AT)),
    Verb("cook", "kochen", accusative=K.DISH),
    Verb("read", "lesen", "read", "read", "las", "gelesen", "lies", accusative=K.TEXT | K.PAPER, allows=(IN, AT_HOME)),
    Verb("write", "schreiben", "wrote", "written", "schrieb", "geschrieben", accusative=K.TEXT),
    Verb("open", "öffnen", accusative=K.DOOR),
    Verb("close", "machen", prefix="zu", accusative=K.DOOR),
    Verb("sing", "singen", "sang", "sung", "sang", "gesungen", accusative=K.SONG),
    Verb("learn", "lernen", accusative=K.LANGUAGE),
    Verb("kiss", "küssen", accusative=K.CLOSE),
    Verb("visit", "besuchen", accusative=ANYBODY),
    Verb("call", "rufen", past="rief", participle="gerufen", prefix="an", accusative=ANYBODY),
    Verb(
        "meet",
        "treffen",
        "met",
        past="traf",
        participle="getroffen",
        vowel="triff",
        accusative=ANYBODY,
        allows=(IN, AT),
    ),
    Verb(
        "invite", "laden", past="lud", participle="geladen", vowel="läd", daily=False, prefix="ein", accusative=ANYBODY
    ),
    Verb("ask", "fragen", daily=False, accusative=ANYBODY),
    # with a dative
    Verb("help", "helfen", past="half", participle="geholfen", vowel="hilf", dative=ANYBODY),
    Verb("thank", "danken", daily=False, dative=ANYBODY),
    Verb("give", "geben", "gave", "given", "gab", "gegeben", "gib", daily=False, accusative=K.GIFT, dative=ANYBODY),
    Verb("show", "zeigen", "showed", "shown", daily=False, accusative=K.GOODS | K.SMALL | K.TEXT, dative=ANYBODY),
    Verb(
        "bring",
        "bringen",
        "brought",
        past="brachte",
        participle="gebracht",
        accusative=K.GIFT | K.DRINK | K.FOOD | K.SMALL,
        dative=ANYBODY,
    ),
    # states
    Verb(
        "know",
        "kennen",
        "knew",
        "known",
        past="kannte",
        participle="gekannt",
        aspect=STATE,
        accusative=ANYBODY | K.TEXT | K.SONG | K.FILM | K.HOME,
    ),
    Verb("love", "lieben", aspect=STATE, accusative=K.CLOSE),
    Verb(
        "like",
        "mögen",
        past="mochte",
        present=("mag", "magst", "mag", "mögen", "mögen"),
        aspect=STATE,
        accusative=ANYBODY | K.ANIMAL | K.SONG | K.FILM | K.TEXT | K.GOODS,
    ),
    Verb("need", "brauchen", aspect=STATE, accusative=K.GOODS | K.SMALL | K.MEANS),
    Verb(
        "have",
        "haben",
        "had",
        past="hatte",
        present=("habe", "hast", "hat", "haben", "haben"),
        aspect=STATE,
        accusative=K.ANIMAL | K.GOODS | K.SMALL | K.MEANS,
    ),
    Verb(
        "understand",
        "verstehen",
        "understood",
        past="verstand",
        participle="verstanden",
        aspect=STATE,
        accusative=ANYBODY | K.TEXT | K.FILM | K.LANGUAGE,
    ),
    # without an object
    Verb(
        "sleep",
        "schlafen",
        "slept",
        past="schlief",
        participle="geschlafen",
        vowel="schläf",
        subject=K.HUMAN | K.ANIMAL,
        allows=PLACE,
    ),
    Verb("work", "arbeiten", allows=(IN, AT_HOME, WITH)),
    Verb("laugh", "lachen"),
    Verb("cry", "weinen", allows=(IN,)),
    Verb("dance", "tanzen", allows=(WITH, IN)),
    Verb("play", "spielen", subject=K.HUMAN | K.ANIMAL, allows=(IN, WITH_PLAYMATE)),
    Verb("speak", "sprechen", "spoke", "spoken", "sprach", "gesprochen", "sprich", needs=(WITH,)),
    Verb("wait", "warten", needs=(FOR, FOR, AT)),
    Verb("live", "wohnen", aspect=STATE, needs=(LIVE_IN, IN_BERLIN)),
    # perfect with sein
    Verb("go", "gehen", "went", "gone", "ging", "gegangen", with_sein=True, needs=DIRECTION),
    Verb("come", "kommen", "came", "come", "kam", "gekommen", with_sein=True, needs=(INTO, HOMEWARDS, TO)),
    Verb(
        "drive",
        "fahren",
        "drove",
        "driven",
        "fuhr",
        "gefahren",
        "fähr",
        with_sein=True,
        needs=(Preposition("to", "zu", DAT, K.GOAL), TO_BERLIN, HOMEWARDS),
    ),
    Verb(
        "stay", "bleiben", past="blieb", participle="geblieben", with_sein=True, subject=K.HUMAN | K.ANIMAL, needs=PLACE
    ),
    Verb("swim", "schwimmen", "swam", "swum", "schwamm", "geschwommen", with_sein=True),
    Verb(
        "get up",
        "stehen",
        "got",
        past="stand",
        participle="gestanden",
        aspect=EVENT,
        prefix="auf",
        with_sein=True,
        needs=HOURS,
    ),
    Verb(
        "arrive",
        "kommen",
        past="kam",
        participle="gekommen",
        aspect=EVENT,
        prefix="an",
        with_sein=True,
        needs=HOURS,
    ),
)
KNOW_THAT = Verb(
    "know", "wissen", "knew", past="wusste", present=("weiß", "weißt", "weiß", "wissen", "wissen"), aspect=STATE
)
THINK = Verb("think", "denken", aspect=STATE)
SAY = Verb("say", "sagen", aspect=STATE)
HOPE = Verb("hope", "hoffen", aspect=STATE)
ASK = Verb("ask", "fragen", aspect=STATE)
RAIN, SNOW = Verb("rain", "regnen"), Verb("snow", "schneien")
BE = Verb(
    "be",
    "sein",
    "was",
    "been",
    past="war",
    participle="gewesen",
    present=("bin", "bist", "ist", "sind", "sind"),
    with_sein=True,
    aspect=STATE,
)

CAN = Modal("can", ("kann", "kannst", "kann", "können", "können"), "could", "konnte")
MUST = Modal("must", ("muss", "musst", "muss", "müssen", "müssen"), "had to", "musste", negatable=False)
WANT = Modal("wants to", ("will", "willst", "will", "wollen", "wollen"), "wanted to", "wollte", "want to")
WILL = Modal("will", ("werde", "wirst", "wird", "werden", "werden"))

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
