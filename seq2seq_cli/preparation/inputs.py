"""The files of a preparation, recognised: the way to read each, the languages, and what may be wrong with them.

Beside the pairs of the two languages, there are files that help to train: related languages, word lists, texts of one
side. A related pair shares the source's or the target's language and stands on that side. A text of one side has equal
sides here; training changes its sources.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.manifest import PairFileRecord
from seq2seq_cli.corpus.splits import PARTS, RELATED, SRC_ONLY, TEST, TGT_ONLY, TRAIN
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.json_records import find_json
from seq2seq_cli.pairs.marked_lines import find_marked
from seq2seq_cli.pairs.pair_files import PairFile
from seq2seq_cli.pairs.recognise import recognise
from seq2seq_cli.pairs.stated_languages import (
    DEFAULT,
    Codes,
    LanguageOrigin,
    Statement,
    by_words,
    find_mismatch,
    fits,
    resolve_languages,
    script_of,
    with_languages,
)
from seq2seq_cli.pairs.xml_records import find_xml
from seq2seq_cli.preparation.analysis import PairSettings
from seq2seq_cli.text.characters import letter_of_marks
from seq2seq_cli.text.languages import name_of
from seq2seq_cli.text.sides import SIDES
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

_OPTIONS = {TGT_ONLY: "--tgt-only", SRC_ONLY: "--src-only"}


@dataclass(kw_only=True)
class Inputs:
    """The files, the ways in which they are read, and the config with their languages."""

    config: Config
    files: list[tuple[PairFile, PairSettings]]
    languages_from: LanguageOrigin
    notices: list[str]
    warnings: list[str]

    @property
    def records(self) -> list[PairFileRecord]:
        """The manifest's records of the files."""
        sides = SIDES[::-1] if self.config.data.swap else SIDES
        return [
            PairFileRecord(
                name=file.base_name,
                size=file.size,
                sha256=file.sha256,
                part=None if pair_file.split == TRAIN else PARTS[pair_file.split],
                side=side if len(pair_file.files) > 1 else None,
                languages="-".join(pair_file.languages) if pair_file.split == RELATED and pair_file.languages else None,
            )
            for pair_file, _ in self.files
            for side, file in zip(sides, pair_file.files, strict=False)
        ]


def read_inputs(
    given: Sequence[PairFile], related: Sequence[Codes | None], asked: Config, preferred: Statement | None
) -> Inputs:
    """The files in the `preferred` languages or those that the pairs state; `related` has the codes of related files.

    Raises PairFileError for a file that cannot be used, UsageError for a related file that shares no language.
    """
    own, data = [each for each in given if each.split <= TEST], asked.data
    own = recognise(own, encoding=data.encoding, columns=data.columns, languages=preferred and preferred.codes)
    samples = [each.sample(data.encoding) for each in own]
    stated = [each.statement for each in own if each.statement]
    statements = [preferred] if preferred else stated or [by_words(samples[0])]
    text, origin, warnings = resolve_languages(asked.text, statements, swap=data.swap)
    config = asked.model_copy(update={"text": text})
    if origin == "default" and ANY_LANGUAGE in text.languages:
        warnings.append(
            f"{own[0].name}: a column is in neither {' nor '.join(map(name_of, DEFAULT))}, and is read by the"
            " rules for any language (xx): name the languages with --languages"
        )
    for each, sample in zip(own, samples, strict=True):
        warnings += _doubts(each, sample, config, origin)
    for_training = [s for s, each in zip(samples, own, strict=True) if each.split == TRAIN]
    first, second = (letter_of_marks([*chain(*texts)]) for texts in zip(*for_training, strict=True))
    notices = [each.notice for each in own if each.notice]
    marks = zip(("first", "second"), (first, second), strict=True)
    notices += [f"{which} column: marks between letters are written as {letter}" for which, letter in marks if letter]
    settings = PairSettings(text=text, letters=(first, second), swap=data.swap)
    files = [(each, settings) for each in own]
    helping = (each for each in given if each.split > TEST)
    for each, codes in zip_longest(helping, related):  # related files are the first
        helper, settings, doubts = _read_help(each, codes, config)
        files.append((helper, settings))
        notices += filter(None, [helper.notice])
        warnings += doubts
    return Inputs(config=config, files=files, languages_from=origin, notices=notices, warnings=warnings)


def _doubts(file: PairFile, sample: Sequence[Sequence[str]], config: Config, origin: LanguageOrigin) -> Iterator[str]:
    """The doubts about the languages of a file; raises PairFileError for a text in the script of unstated ones."""
    in_order = config.text.languages[::-1] if config.data.swap else config.text.languages
    stated = file.statement.codes if file.statement else in_order
    # A text with few of their words gives the default order both ways.
    by_both = by_words(sample).codes, by_words(sample[::-1]).codes
    is_turned = stated == in_order and by_both == (in_order[::-1], in_order)
    said = in_order[::-1] if is_turned else stated
    differs = any(one not in (ANY_LANGUAGE, other) for one, other in zip(said, in_order, strict=True))
    if said == in_order[::-1] != in_order or (differs and origin in ("columns", "name", "default")):
        yield (
            f"{file.name}: {'its columns look like' if is_turned else 'says that its columns are'} {'-'.join(said)};"
            f" they are taken as {'-'.join(in_order)}: give all files in one order, or see --languages and --swap"
        )
    if mismatch := find_mismatch(sample, in_order):
        problem = f"{file.name}: {mismatch}"
        if origin in ("default", "name"):
            raise PairFileError(problem)
        yield problem


def _read_help(file: PairFile, codes: Codes | None, config: Config) -> tuple[PairFile, PairSettings, list[str]]:
    """A file that helps, recognised, with the way to read it and what may be wrong with it.

    A related file is turned around if the language that it shares stands on the other side. `config` has the languages
    of the translator, `codes` are stated ones of the columns of a related file. Raises UsageError for a related file
    that shares no language, and PairFileError for a text that is none, or for texts in the script of another language.
    """
    if file.split in _OPTIONS:
        return _of_text(file, config)
    text, data = config.text, config.data
    [file] = recognise([file], encoding=data.encoding, columns=None, languages=codes)
    own, related = text.languages, file.split == RELATED
    columns = file.sample(data.encoding)
    if related:
        stated = codes or (file.statement and file.statement.codes)
        cure = f"name the languages of its columns behind it, as in --related FILE:{own[1]}-fr"
    else:  # few words tell their language, but many their script
        orders = (own[::-1], own) if data.swap else (own, own[::-1])
        fitting = [order for order in orders if not find_mismatch(columns, order)]
        stated = file.statement.codes if file.statement else (*fitting, orders[0])[0]
        cure = "--dictionary is for words in the two languages"
    found = stated or by_words(columns).codes
    straight, turned = (sum(map(str.__eq__, each, own)) for each in (found, found[::-1]))
    if related and not straight and not turned:
        raise UsageError(
            f"{file.name}: is taken as {' and '.join(map(name_of, found))}, and shares neither"
            f" {' nor '.join(map(name_of, own))} with the pairs: {cure}"
        )
    swap = data.swap if straight == turned else turned > straight
    src, tgt = (found[::-1] if swap else found) if related else own
    in_languages, warnings = with_languages(text, src, tgt)
    if mismatch := find_mismatch(columns, (tgt, src) if swap else (src, tgt), cure):
        if not codes:
            raise PairFileError(f"{file.name}: {mismatch}")
        warnings.append(f"{file.name}: {mismatch}")
    first, second = map(letter_of_marks, columns)
    notice = f"{file.name}: read as {name_of(src)} to {name_of(tgt)} ({src}-{tgt})" if related else file.notice
    file = replace(file, languages=found if related else None, notice=notice)
    return file, PairSettings(text=in_languages, letters=(first, second), swap=swap), warnings


def _of_text(file: PairFile, config: Config) -> tuple[PairFile, PairSettings, list[str]]:
    """A text in the language of one side."""
    file = replace(file, is_text=True)
    option = _OPTIONS[file.split]
    language = (config.text.tgt if file.split == TGT_ONLY else config.text.src).language
    lines, _ = file.sample(config.data.encoding)
    has_columns = 2 * sum("\t" in line.strip() for line in lines) > len(lines)
    if has_columns or find_marked(head := "\n".join(lines)) or find_xml(head) or find_json(head):
        what = "has columns" if has_columns else "has marks that are no text"
        raise PairFileError(f"{file.name}: {what}: {option} is for a text in one language, a sentence per line")
    script = script_of(lines)
    if not fits(script, language):
        raise PairFileError(f"{file.name}: is in {script} script, not {name_of(language)} ({language}), for {option}")
    in_language, _ = with_languages(config.text, language, language)
    letter, (seen, again) = letter_of_marks(lines), by_words((lines, lines)).codes
    is_other = seen == again and {seen, language} == {*DEFAULT}
    other = f"{file.name}: looks like {name_of(seen)}, and {option} is for {name_of(language)} ({language})"
    return file, PairSettings(text=in_language, letters=(letter, letter), swap=False), [other] if is_other else []
