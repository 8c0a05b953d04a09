"""The verbs of `sample.txt`, and the prepositions and fixed phrases that go with them. Regular forms are derived."""

from data.grammar.words import Aspect, Case, Fixed, Kind, Modal, Preposition, Verb

K = Kind
EVENT, PERCEPTION, STATE = Aspect.EVENT, Aspect.PERCEPTION, Aspect.STATE
ACC, DAT = Case.ACCUSATIVE, Case.DATIVE

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
HOURS = (Fixed("early", "früh"), Fixed("late", "spät"), Fixed("at six", "um sechs"), Fixed("at eight", "um acht"))
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
    Verb("arrive", "kommen", past="kam", participle="gekommen", aspect=EVENT, prefix="an", with_sein=True, needs=HOURS),
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
