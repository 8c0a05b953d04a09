"""Numbers, dates and quantities that translations of runs write as German does.

    python -m benchmarks.quality.number_forms RUN...

Each English-German run translates 165 made-up sentences of common words with a number; the table has how many of each
kind have the form that is wanted, such as "am 24. März", "1,85 m", "250 g Mehl" and "19,99 Euro".
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import parser_of
from seq2seq_cli.decoding.load import load
from seq2seq_cli.errors import S2SError

MONTHS = {"January": "Januar", "April": "April", "May": "Mai", "July": "Juli", "October": "Oktober", "March": "März"}
GOODS = (("g", "flour", "Mehl"), ("kg", "apples", "Äpfel"), ("g", "meat", "Fleisch"), ("kg", "sugar", "Zucker"))
FRAMES = {
    "dates, day first": ("The meeting is on {}.", "I was born on {}.", "She died on {}.", "Tom came back on {}."),
    "dates, month first": ("The party is on {}.", "We will leave on {}.", "School begins on {}.", "The test is on {}."),
    "quantities": ("I need {}.", "We bought {}.", "Tom ate {}.", "You need {}."),
    "prices": ("It costs {} euros.", "I paid {} euros.", "The book costs {} euros.", "She gave me {} euros."),
    "percent": ("The price went up by {}%.", "Prices rose by {}%.", "About {}% of the people came."),
    "lengths": ("He is {} m tall.", "The wall is {} m high.", "The table is {} m long.", "The lake is {} m deep."),
    "thousands": ("About {} people came.", "He has {} dollars.", "There were {} people."),
    "counts": ("We have {} dogs.", "I bought {} eggs.", "It takes {} minutes.", "She wrote {} books."),
    "times": ("The train leaves at {}.", "It's {} in the morning.", "The concert starts at {}."),
}
PER_FRAME = 5


class Sentence(NamedTuple):
    """A sentence to translate, and a pattern of the form that its translation is to have."""

    kind: str
    source: str
    wanted: str


def main() -> None:
    """Translate, count, print."""
    parser = parser_of("quality.number_forms", "Count the numbers that are written as the target language does.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folders of English-German runs")
    options = parser.parse_args()
    made_up = list(sentences())
    of_kind = Counter(each.kind for each in made_up)
    try:
        for run in options.runs:
            translations = load(run).translate([each.source for each in made_up])
            pairs = zip(made_up, translations, strict=True)
            right = Counter(each.kind for each, text in pairs if re.search(each.wanted, str(text)))
            print(run.name, *(f"  {kind:<20}{right[kind]:3} of {n}" for kind, n in of_kind.items()), sep="\n")
            print(f"  {'all':<20}{right.total():3} of {len(made_up)}", flush=True)
    except S2SError as error:
        sys.exit(f"benchmarks.quality.number_forms: {error}")


def sentences() -> Iterator[Sentence]:
    """The same sentences each time."""
    draw = random.Random(1)  # noqa: S311
    for kind, frames in FRAMES.items():
        for frame in frames * PER_FRAME:
            text, wanted = number(kind, draw)
            yield Sentence(kind, frame.format(text), wanted)


def number(kind: str, draw: random.Random) -> tuple[str, str]:
    """A number of a kind in English, and a pattern of the German one."""
    few, cents = draw.randint(2, 30), draw.randint(10, 99)
    match kind:
        case "dates, day first" | "dates, month first":
            month, of_tgt = draw.choice(list(MONTHS.items()))
            return f"{few} {month}" if kind.endswith("day first") else f"{month} {few}", rf"\b{few}\. {of_tgt}"
        case "quantities":
            unit, goods, of_tgt = draw.choice(GOODS)
            return f"{few} {unit} of {goods}", rf"\b{few} ?({unit}|Gramm|Kilo\w*) {of_tgt}"
        case "thousands":
            return f"{few},{cents}0", rf"\b{few}.?{cents}0\b(?<!,...)"
        case "counts":
            return f"{few}", rf"\b{few}\b"
        case "times":
            return f"{few % 10 + 1}:{cents % 50 + 10}", rf"\b{few % 10 + 1}[.:]{cents % 50 + 10} Uhr"
        case _:
            unit = {"prices": "Euro", "percent": "(%|Prozent)", "lengths": "(m|Meter)"}[kind]
            return f"{few}.{cents}", rf"\b{few},{cents} ?{unit}(?!\w)"


if __name__ == "__main__":
    main()
