"""Files whose names or columns state other languages than those that they are taken for."""

from collections.abc import Iterator, Sequence
from itertools import islice

from seq2seq_cli.pairs.languages import Codes, Statement, reversed_codes, whole_first
from seq2seq_cli.pairs.recognise import Recognised
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

TURN = "give its columns or files in the order of those for training"
"""What helps a held-out split whose sides are the other way round."""
_TURN_ONE = "give its columns or files in the order of the others"
_APART = "see --languages, or prepare each pair of languages by itself"


def find_disagreements(
    train: Sequence[Recognised], held_out: Sequence[Recognised], taken: Codes, *, are_given: bool
) -> Iterator[str]:
    """A sentence for each file that states other languages than those `taken`, or the same in the other order.

    Also for a file that names a column after no known language, where this column decides.

    `are_given`: an option, the config or a model states the languages, which may correct the name of a file.
    """
    first = None if are_given else next(iter(whole_first(statements(train))), None)
    all_turned = all(each.statement and each.statement.codes == reversed_codes(taken) for each in train)
    for number, each in enumerate([*train, *held_out]):
        if first and each.names and each.languages == taken and ANY_LANGUAGE in taken:
            yield (
                f"{each.pair_file.name}: the column {each.names[taken.index(ANY_LANGUAGE)]} is not named after a known"
                f" language: it is taken as any language ({ANY_LANGUAGE}); name it with --languages"
            )
        turn = "for the other direction use --swap" if all_turned else _TURN_ONE if number < len(train) else TURN
        # The name of one column may contradict that of the file, which is the statement then.
        said = [codes for codes in (each.statement and each.statement.codes, each.languages) if codes]
        cures = ((codes, cure) for codes in said if (cure := _cure(each, codes, taken, first, turn)))
        for codes, cure in islice(cures, 1):
            yield (
                f"{each.pair_file.name}: says that its columns are {'-'.join(codes)}; they are taken as"
                f" {'-'.join(taken)}: {cure}"
            )


def statements(files: Sequence[Recognised]) -> list[Statement]:
    """The languages that files state, by the file."""
    return [each.statement for each in files if each.statement]


def _cure(each: Recognised, stated: Codes, taken: Codes, first: Statement | None, turn: str) -> str:
    """The cure for the disagreement of a file, `turn` if it states the other order; empty where it agrees."""
    if stated == reversed_codes(taken) != taken:
        return turn
    if each.languages and any(one not in (ANY_LANGUAGE, other) for one, other in zip(stated, taken, strict=True)):
        return _APART
    return _APART if first and not each.languages and set(stated) != set(first.codes) else ""
