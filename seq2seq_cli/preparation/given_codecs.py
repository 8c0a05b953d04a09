"""Codecs of an older model for a new corpus, so that the model can be trained further."""

from dataclasses import asdict

from seq2seq_cli.config.keys import find_stated_differences
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import SourceConfig, TargetConfig, TextConfig
from seq2seq_cli.errors import UsageError
from seq2seq_cli.pairs.languages import Codes
from seq2seq_cli.text.sides import Codecs
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE


def adopt_codecs(config: Config, codecs: Codecs) -> Config:
    """The config with the text section of the codecs; raises UsageError when the config states another value."""
    src, tgt = codecs
    sizes = ((codec.config.min_count, codec.config.max_size) for codec in codecs)
    text = TextConfig(
        unit=src.unit,
        shared_vocabulary=src.vocabulary == tgt.vocabulary and len(set(sizes)) == 1,
        src=SourceConfig(**asdict(src.config)),
        tgt=TargetConfig(**asdict(tgt.config)),
    )
    adopted = config.model_copy(update={"text": text})
    if found := find_stated_differences(adopted, config, sections=("text",)):
        listed = "; ".join(difference.against("the model") for difference in found)
        raise UsageError(f"the config and the model of --codec-from disagree: {listed}. Leave these keys out")
    return adopted


def check_languages(taken: Codes, codecs: Codecs, *, swap: bool) -> None:
    """Raise UsageError when the languages of the columns of a corpus are not those of the codecs.

    `swap`: the second column is the source.
    """
    known = codecs[0].config.language, codecs[1].config.language
    columns = known[::-1] if swap else known
    if taken != columns and ANY_LANGUAGE not in taken:
        what = "--swap" if taken == columns[::-1] else "pairs of its languages"
        raise UsageError(
            f"the pairs are {'-'.join(taken)}, but the model of --codec-from translates {'-'.join(known)}: give {what},"
            f" or --languages {'-'.join(columns)} if that is what these are"
        )
